import type { NodeView, Row, Value } from '../../../kernel/engine.ts';
import type { Bound } from '../connection/flush.ts';
import { bind } from '../connection/session.ts';
import type { Asker } from './watched.ts';

/** The clock of the database in milliseconds since the Unix epoch: leases count on it. */
export const clock = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)';

type Own = Pick<Asker, 'node' | 'incarnation'>;

// The column `serving` of a process that lives. Programs that know no process that starts next to others write for it what
// they write for one that has the database for itself.
const servesAlone = 0;
const servesBeside = 1;
const startsBeside = 2;

/** Says whether the row of a process that lives is that of one that has the database for itself. */
export const isAlone = ({ serving }: Row): boolean => Number(serving) === servesAlone;

const viewed = `SELECT node, incarnation, state, version, joined_at, lease_until, config, seq - applied AS behind,
    (SELECT string_agg(role, ' ' ORDER BY role) FROM kernel_roles AS own
     WHERE own.incarnation = kernel_nodes.incarnation AND kernel_nodes.state = 'live') AS roles,
    CASE WHEN state = 'live' AND serving = 1 AND lease_until > ${clock} THEN 1 ELSE 0 END AS serving
  FROM kernel_nodes CROSS JOIN kernel_feed`;

/** Reads the clock of the database. */
export const databaseTime: Bound = bind(`SELECT ${clock} AS now`);

/** Reads the processes that have the database. */
export const livingNodes: Bound = bind(
  `SELECT node, incarnation, place, lease_until, serving, version FROM kernel_nodes WHERE state = 'live' ORDER BY node`,
);

/** Reads the epoch of a node. */
export function rowOf(node: string): Bound {
  return bind('SELECT epoch FROM kernel_nodes WHERE node = ?', [node]);
}

/** Reads the number of the last change that was told. */
export const feedHead: Bound = bind('SELECT seq FROM kernel_feed WHERE one = 1');

/** Reads the changes after a number, a thousand at most. */
export function changesAfter(seq: number): Bound {
  return bind('SELECT seq, topic, ref, incarnation FROM kernel_changes WHERE seq > ? ORDER BY seq LIMIT 1000', [seq]);
}

/**
 * Tells the others of a change, inside the transaction that makes it: the lock of the one row makes the numbers appear
 * in the order of the commits, without gaps.
 */
export const tellText = `WITH moved AS (UPDATE kernel_feed SET seq = seq + 1 WHERE one = 1 RETURNING seq)
  INSERT INTO kernel_changes (seq, topic, ref, node, incarnation) SELECT seq, ?, ?, ?, ? FROM moved`;

/** Drops the changes that all living nodes have learned. */
export const forgetChanges: Bound = bind(
  `DELETE FROM kernel_changes WHERE seq <= (SELECT min(applied) FROM kernel_nodes WHERE state = 'live')`,
);

/** Shows the digest of a process's configuration. */
export function showConfig({ node, incarnation }: Own, digest: string): Bound {
  return bind('UPDATE kernel_nodes SET config = ? WHERE node = ? AND incarnation = ?', [digest, node, incarnation]);
}

/** Reads the versions of the programs that serve. */
export const servingVersions: Bound = bind(
  `SELECT version FROM kernel_nodes WHERE state = 'live' AND serving = 1 AND lease_until > ${clock}`,
);

/** Shows how far a process has learned the changes, and that it serves. */
export function showApplied({ node, incarnation }: Own, applied: number): Bound {
  return bind(
    `UPDATE kernel_nodes SET applied = ?, serving = ? WHERE node = ? AND incarnation = ? AND state = 'live'`,
    [applied, servesBeside, node, incarnation],
  );
}

/**
 * Counts the nodes that serve and have not learned all changes up to a number. For a process that adopts those that end
 * (`adopts`) the end of a lease is not enough: until the node is adopted it may renew it, and write before it has learned.
 */
export function lateNodes(seq: number, adopts: boolean): Bound {
  const late = `SELECT count(*) AS late FROM kernel_nodes WHERE state = 'live' AND serving = 1 AND applied < ?`;
  return bind(adopts ? late : `${late} AND lease_until > ${clock}`, [seq]);
}

/** What a process joins with. */
export interface JoinOptions {
  /** Version of the program. */
  readonly version: string;
  /** Whether it serves next to other nodes. */
  readonly beside: boolean;
  readonly holdMs: number;
}

/**
 * Adds a process to the list: what an earlier process of its name left, and had adopted, becomes its own to settle. The
 * third statement answers its epoch and the number of the last change. The same process may join again.
 */
export function joining(
  { incarnation, node, place }: Asker,
  { beside, holdMs, version }: JoinOptions,
): readonly Bound[] {
  return [
    bind(`UPDATE kernel_ended SET adopter = ? WHERE adopter IN (SELECT incarnation FROM kernel_nodes WHERE node = ?)`, [
      incarnation,
      node,
    ]),
    bind(
      `INSERT INTO kernel_ended (incarnation, node, adopter, clean)
       SELECT incarnation, node, ?, 0 FROM kernel_nodes WHERE node = ? AND state = 'live' AND incarnation <> ?`,
      [incarnation, node, incarnation],
    ),
    bind(
      `INSERT INTO kernel_nodes (node, incarnation, place, epoch, state, lease_until, applied, serving, version, joined_at)
       SELECT ?, ?, ?, 1, 'live', ${clock} + ?, seq, CAST(? AS bigint), ?, ${clock} FROM kernel_feed WHERE one = 1
       ON CONFLICT (node) DO UPDATE SET incarnation = excluded.incarnation, place = excluded.place,
         epoch = kernel_nodes.epoch + 1, state = 'live', lease_until = excluded.lease_until, applied = excluded.applied,
         serving = excluded.serving, version = excluded.version, joined_at = excluded.joined_at, config = '', forgotten = 0
       RETURNING epoch, applied`,
      [node, incarnation, place, holdMs, beside ? startsBeside : servesAlone, version],
    ),
  ];
}

/** Leaves: any other node may settle what is left, without waiting for the end of the lease. */
export function leaving({ node, incarnation }: Own): Bound {
  return bind(
    `WITH gone AS (UPDATE kernel_nodes SET state = 'left', serving = 0
                   WHERE node = ? AND incarnation = ? AND state = 'live' RETURNING node, incarnation)
     INSERT INTO kernel_ended (incarnation, node, adopter, clean) SELECT incarnation, node, '', 1 FROM gone`,
    [node, incarnation],
  );
}

/**
 * Declares a process dead whose lease has ended, for one adopter, which must live itself: from here on the fence refuses
 * what that process writes.
 */
export function adoption(dead: string, { incarnation }: Own): Bound {
  return declareDead(
    `incarnation = ? AND state = 'live' AND lease_until < ${clock}
       AND EXISTS (SELECT 1 FROM kernel_nodes AS own
                   WHERE own.incarnation = ? AND own.state = 'live' AND own.lease_until > ${clock})`,
    [dead, incarnation],
    incarnation,
  );
}

// Ends the processes of a condition; an adopter settles what they left, or, when it is empty, whoever comes first.
function declareDead(where: string, values: readonly Value[], adopter: string): Bound {
  return bind(
    `WITH gone AS (UPDATE kernel_nodes SET epoch = epoch + 1, state = 'dead', serving = 0
                   WHERE ${where} RETURNING node, incarnation)
     INSERT INTO kernel_ended (incarnation, node, adopter, clean) SELECT incarnation, node, ?, 0 FROM gone`,
    [...values, adopter],
  );
}

/**
 * Declares dead all others that may not go on next to this process: all for one that serves alone, else those that do, and
 * the incarnations `old`, whose programs are. One that serves alone settles what they left in the journals without being
 * told; the rest of it is for a process that serves next to others: no process adopts them here.
 */
export function ending({ node }: Pick<Own, 'node'>, beside: boolean, old: readonly string[]): readonly Bound[] {
  const others = `state = 'live' AND node <> ?`;
  return [
    declareDead(beside ? `${others} AND serving = ${servesAlone}` : others, [node], ''),
    ...old.map((incarnation) => declareDead(`${others} AND incarnation = ?`, [node, incarnation], '')),
  ];
}

/**
 * Declares a process dead on the word of a person, when its lease has ended, and takes its node from the list; reads the
 * row of the node.
 */
export function dismissal(node: string, { incarnation }: Own): readonly Bound[] {
  return [
    declareDead(`node = ? AND state = 'live' AND lease_until < ${clock}`, [node], incarnation),
    bind(`${viewed} WHERE node = ? AND forgotten = 0`, [node]),
    bind(`UPDATE kernel_nodes SET forgotten = 1 WHERE node = ? AND state <> 'live'`, [node]),
  ];
}

/**
 * Takes the ended processes that no adopter settles, or whose adopter has ended too; reads those that this one settles. A
 * count is asked again of a row that another adopter took meanwhile; a join (NOT EXISTS) is not, and both would have it.
 */
export function leftByOthers({ incarnation }: Own): readonly Bound[] {
  return [
    bind(
      `UPDATE kernel_ended SET adopter = ?
       WHERE adopter <> ? AND (SELECT count(*) FROM kernel_nodes AS other
                               WHERE other.incarnation = kernel_ended.adopter AND other.state = 'live') = 0`,
      [incarnation, incarnation],
    ),
    bind('SELECT incarnation, node, clean FROM kernel_ended WHERE adopter = ? ORDER BY incarnation', [incarnation]),
  ];
}

/** Forgets a process that is settled. */
export function forgetEnded(ended: string, { incarnation }: Own): Bound {
  return bind('DELETE FROM kernel_ended WHERE incarnation = ? AND adopter = ?', [ended, incarnation]);
}

/** Takes a role when its holder does not live; answers a row when it is the process's own. */
export function takeRole(role: string, { node, incarnation }: Own): Bound {
  return bind(
    `INSERT INTO kernel_roles (role, node, incarnation) VALUES (?, ?, ?)
     ON CONFLICT (role) DO UPDATE SET node = excluded.node, incarnation = excluded.incarnation
     WHERE kernel_roles.incarnation = excluded.incarnation
        OR NOT EXISTS (SELECT 1 FROM kernel_nodes AS holder
                       WHERE holder.incarnation = kernel_roles.incarnation AND holder.state = 'live')
     RETURNING role`,
    [role, node, incarnation],
  );
}

// No process has such an incarnation, so the role is free; the process that offered it sees whether it still is.
const offered = (incarnation: string): string => `offered by ${incarnation}`;

/** Offers the roles of a process to all others, while its clock is wrong. */
export function offerRoles({ incarnation }: Own): Bound {
  return bind('UPDATE kernel_roles SET incarnation = ? WHERE incarnation = ?', [offered(incarnation), incarnation]);
}

/** Takes back a role that was offered; answers a row unless another process has taken it. */
export function takeBackRole(role: string, { incarnation }: Own): Bound {
  return bind(`UPDATE kernel_roles SET incarnation = ? WHERE role = ? AND incarnation IN (?, ?) RETURNING role`, [
    incarnation,
    role,
    offered(incarnation),
    incarnation,
  ]);
}

/** Reads all nodes. */
export const nodeViews: Bound = bind(`${viewed} WHERE forgotten = 0 ORDER BY node`);

/** Makes the view of a node from its row. */
export function nodeViewOf({ config, incarnation, node, roles, serving, state, version, ...numbers }: Row): NodeView {
  const { behind, joined_at, lease_until } = numbers;
  return {
    ...{ name: String(node), incarnation: String(incarnation), state: state as NodeView['state'] },
    ...{ serving: Number(serving) === 1, version: String(version), joined_at: Number(joined_at) },
    ...{ lease_until: Number(lease_until), behind: state === 'live' ? Number(behind) : 0, config: String(config) },
    roles: typeof roles === 'string' ? roles.split(' ') : [],
  };
}
