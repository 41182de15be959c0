import type { QueuedFilter } from '../tables/run-pages.ts';
import { callersIn } from '../tables/callers.ts';
import { leftRows, type Asking } from '../journal/owner.ts';
import { waitingAgain } from '../journal/put-back.ts';
import type { Mode } from '../facts/facts.ts';
import { heldReads, holding } from './holding.ts';
import { queueRoom } from '../run/limits/queue-room.ts';
import {
  rowWriter,
  defineStore,
  type AwaitableReads,
  type NodeIdentity,
  type Sealer,
  type Value,
  type WriteConnection,
  timesBetween,
  queriesOf,
} from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

/** A run that waits or is under way, without its request. Times are milliseconds since the Unix epoch. */
export interface QueuedRow {
  readonly run_id: string;
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly principal: string;
  readonly mode: Mode;
  /** `claimed`: a node works on it, or is about to. */
  readonly state: 'queued' | 'claimed' | 'held';
  readonly accepted_at: number;
  /** When the caller wants it to begin at the earliest. */
  readonly run_at: number;
  /** When its next turn may begin; while it is held, when its approval expires. */
  readonly due_at: number;
  readonly expires_at: number;
  /** Turns that ended without an effect. */
  readonly turns: number;
  /** JSON: attempts of those turns, the last twenty. */
  readonly attempts: string;
  /** The approval by which it goes on, or waits; null: nobody was asked. */
  readonly approval: string | null;
  /** How often it was held. */
  readonly holds: number;
}

/** A claimed run with its request. */
export interface ClaimedRow extends QueuedRow {
  /** JSON text. */
  readonly request: string;
}

/** A line whose runs are asked for, and how many. */
export interface Wish {
  readonly orbiset_id: string;
  readonly limit: number;
}

/** The result of a claim: the runs, and when the next run of each line is due; undefined: none waits. */
export interface Claims {
  readonly rows: readonly ClaimedRow[];
  readonly next: readonly { readonly orbiset_id: string; readonly due_at: number | undefined }[];
}

/** Runs of an Orb in an Orbiset that wait or are under way. */
type WaitingCount = Pick<QueuedRow, 'tenant' | 'orbiset_id' | 'orb_id'> & { readonly runs: number };

const migrations = [
  `CREATE TABLE queue_runs (
     run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, orbiset_id TEXT NOT NULL, orb_id TEXT NOT NULL, principal TEXT NOT NULL,
     mode TEXT NOT NULL, state TEXT NOT NULL, accepted_at INTEGER NOT NULL, run_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, turns INTEGER NOT NULL, attempts TEXT NOT NULL, node TEXT, incarnation TEXT,
     bytes INTEGER NOT NULL, request BLOB NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX queue_runs_due ON queue_runs (orbiset_id, due_at, run_id) WHERE state = 'queued';
   CREATE INDEX queue_runs_expiring ON queue_runs (expires_at) WHERE state = 'queued';
   CREATE INDEX queue_runs_claimed ON queue_runs (run_id) WHERE state = 'claimed';
   CREATE INDEX queue_runs_by_tenant ON queue_runs (tenant, run_id);
   CREATE INDEX queue_runs_by_orb ON queue_runs (orb_id, run_id);
   CREATE TABLE queue_tenants (
     tenant TEXT PRIMARY KEY, runs INTEGER NOT NULL, bytes INTEGER NOT NULL
   ) WITHOUT ROWID;`,
  `ALTER TABLE queue_runs ADD COLUMN put_at INTEGER;
   CREATE INDEX queue_runs_put ON queue_runs (put_at) WHERE state = 'queued';`,
  `ALTER TABLE queue_runs ADD COLUMN approval TEXT;
   ALTER TABLE queue_runs ADD COLUMN holds INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE queue_runs ADD COLUMN held INTEGER NOT NULL DEFAULT 0;`,
  "CREATE INDEX queue_runs_held ON queue_runs (due_at) WHERE state = 'held';",
];

const columns = [
  ...(['run_id', 'tenant', 'orbiset_id', 'orb_id', 'principal', 'mode', 'state', 'accepted_at', 'run_at'] as const),
  ...(['due_at', 'expires_at', 'turns', 'attempts', 'approval', 'holds'] as const),
] satisfies (keyof QueuedRow)[];

/** Runs that wait for their turn: their requests are sealed, and erased when they end. */
const queueStore = defineStore({
  name: 'queue',
  migrations,
  write({ connection, node, sealer }) {
    return {
      operations: {
        ...enterAndLeave(connection, sealer),
        ...claims(connection, sealer),
        ...returns(connection, node),
        ...waitingAgain(connection),
        ...holding(connection),
      },
    };
  },
  read(connection) {
    const { find, list, pages } = queriesOf(connection);
    const select = columns.join(', ');
    const ahead = connection.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 AS one FROM queue_runs WHERE orbiset_id = ? AND state = 'queued'
         AND due_at <= ? LIMIT 1000) AS waiting`,
    );
    const counted = connection.prepare('SELECT runs FROM queue_tenants WHERE tenant = ?');
    const put = connection.prepare("SELECT max(put_at) AS at FROM queue_runs WHERE state = 'queued'");
    const newest = pages<QueuedRow>({ select, table: 'queue_runs', id: 'run_id', read: asIs });
    return {
      /** Finds when the first of all waiting runs has waited too long. */
      firstExpiry: find<number | undefined, []>(
        "SELECT min(expires_at) AS at FROM queue_runs WHERE state = 'queued'",
        ({ at }) => numberOf(at),
      ),
      /** Finds the latest time at which a waiting run was put there; later than now, the clock was set back since. */
      lastPut: () => Number(put.get()?.['at'] ?? 0),
      find: find<QueuedRow>(`SELECT ${select} FROM queue_runs WHERE run_id = ?`, asIs),
      /** Finds the sealed request of a run that waits or is under way. */
      request: find<Uint8Array>(
        'SELECT request FROM queue_runs WHERE run_id = ?',
        (row) => row['request'] as Uint8Array,
      ),
      /** Finds who made some runs that wait or are under way. */
      callersOf: callersIn(connection, 'queue_runs'),
      ...heldReads(connection),
      /** Counts the runs of all tenants that wait or are under way. */
      count: () => Number(counted.get(all)?.['runs'] ?? 0),
      /** Counts the runs of a line up to a time, this one included; at most 1,000. */
      position: ({ orbiset_id, due_at }: QueuedRow) => Number(ahead.get(orbiset_id, due_at)?.['n'] ?? 0),
      /** Lists the waiting runs; read once, at the start. */
      waiting: list<WaitingCount, []>(
        'SELECT tenant, orbiset_id, orb_id, count(*) AS runs FROM queue_runs GROUP BY tenant, orbiset_id, orb_id',
        asIs,
      ),
      /** Newest first; `before`: only runs with a smaller id. */
      listQueued({ before, limit, from, to, tenant, orb_id, orbs, orbiset_id, principal }: QueuedFilter) {
        const { tried: _, ...times } = timesBetween('run', '', { from, to });
        const indexed = [
          { where: 'tenant = ?', values: tenant },
          { where: 'orb_id = ?', values: orb_id },
        ];
        const tried = [
          { where: 'orbiset_id = ?', values: orbiset_id },
          { where: 'principal = ?', values: principal },
          { where: 'accepted_at >= ?', values: from && Date.parse(from) },
          { where: 'accepted_at < ?', values: to && Date.parse(to) },
          { where: '(orb_id > ? AND orb_id < ?)', values: orbs && [orbs.above, orbs.below] },
        ];
        return newest({ indexed, tried, ...times, before, limit });
      },
    };
  },
});

export default queueStore;

/** The reads of single rows of the queue. */
export type QueueReads = AwaitableReads<ReturnType<typeof queueStore.read>>;

/** The data with which a run is queued. */
export interface Entering extends Omit<QueuedRow, 'state' | 'due_at' | 'turns' | 'attempts' | 'approval' | 'holds'> {
  /** The approval that it waits for; absent: it may go on. */
  readonly approval?: string | null;
  readonly due_at?: number;
  /** JSON text; sealed at rest. */
  readonly request: string;
}

function enterAndLeave(connection: WriteConnection, sealer: Sealer) {
  const insert = rowWriter(connection, 'queue_runs', [...columns, 'held', 'put_at', 'bytes', 'request']);
  const room = queueRoom(connection);
  const find = connection.prepare('SELECT tenant, principal, bytes FROM queue_runs WHERE run_id = ?');
  const remove = connection.prepare('DELETE FROM queue_runs WHERE run_id = ?');
  return {
    /** Puts a run into the queue; returns how many runs of its tenant are in it. Throws 429 `queue_full`. */
    async enter({ request, approval = null, ...row }: Entering): Promise<number> {
      const sealed = sealer.seal('inputs', Buffer.from(request));
      const before = await room.before(row, sealed.length);
      const held = approval === null ? 0 : 1;
      const state = { state: held === 0 ? 'queued' : 'held', turns: 0, attempts: '[]', approval, held, holds: held };
      insert({ due_at: row.run_at, ...row, ...state, put_at: row.accepted_at, bytes: sealed.length, request: sealed });
      room.add(row, 1, sealed.length);
      return before + 1;
    },
    /** Erases a run with its request; commits with its receipt. */
    async leave({ run_id }: { run_id: string }): Promise<null> {
      const row = await find.get(run_id);
      if (row === undefined) return null;
      remove.queue(run_id);
      room.add({ tenant: String(row['tenant']), principal: String(row['principal']) }, -1, -Number(row['bytes']));
      return null;
    },
  };
}

const all = '';

const numberOf = (value: Value | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

// Requests that one claim brings into memory.
const mostBytes = 8 * 1024 * 1024;

// Another node may have claimed a row since it was read: only the update decides which node has it.
function claimer(connection: WriteConnection, sealer: Sealer) {
  const claim = connection.prepare(
    "UPDATE queue_runs SET state = 'claimed', node = ?, incarnation = ? WHERE run_id = ? AND state = ?",
  );
  return async (found: Record<string, unknown>, node: NodeIdentity): Promise<ClaimedRow | undefined> => {
    const row = found as unknown as QueuedRow & { readonly request: Uint8Array };
    if ((await claim.run(node.name, node.incarnation, row.run_id, row.state)) !== 1) return undefined;
    const request = Buffer.from(sealer.open('inputs', row.request)).toString();
    return { ...row, state: 'claimed', request };
  };
}

function claims(connection: WriteConnection, sealer: Sealer) {
  const select = `SELECT ${columns.join(', ')}, request FROM queue_runs`;
  const due = connection.prepare(
    `${select} WHERE orbiset_id = ? AND state = 'queued' AND due_at <= ? ORDER BY due_at, run_id LIMIT ?`,
  );
  const next = connection.prepare(
    "SELECT min(due_at) AS due_at FROM queue_runs WHERE orbiset_id = ? AND state = 'queued'",
  );
  const expired = connection.prepare(
    `${select} WHERE state = 'queued' AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
  );
  const one = connection.prepare(`${select} WHERE run_id = ? AND state IN ('queued', 'held')`);
  const claimed = claimer(connection, sealer);
  return {
    /** Claims the next due runs of each line for a node. */
    async claim({ node, now, wishes }: { node: NodeIdentity; now: number; wishes: readonly Wish[] }): Promise<Claims> {
      const rows: ClaimedRow[] = [];
      let bytes = 0;
      for (const { orbiset_id, limit } of wishes)
        for (const found of bytes < mostBytes ? await due.all(orbiset_id, now, limit) : []) {
          if (bytes >= mostBytes) break;
          const row = await claimed(found, node);
          if (row === undefined) continue;
          bytes += row.request.length;
          rows.push(row);
        }
      const waiting: { orbiset_id: string; due_at: number | undefined }[] = [];
      for (const { orbiset_id } of wishes)
        waiting.push({ orbiset_id, due_at: numberOf((await next.get(orbiset_id))?.['due_at']) });
      return { rows, next: waiting };
    },
    /** Claims runs that have waited too long. */
    async claimExpired({ node, now, limit }: { node: NodeIdentity; now: number; limit: number }) {
      const rows: (ClaimedRow | undefined)[] = [];
      for (const found of await expired.all(now, limit)) rows.push(await claimed(found, node));
      return rows.filter((row) => row !== undefined);
    },
    /** Claims one run, unless it is claimed; `held`: only while it waits for people. */
    async claimOne({ node, run_id, held = false }: { node: NodeIdentity; run_id: string; held?: boolean }) {
      const row = await one.get(run_id);
      return row === undefined || (held && row['state'] !== 'held') ? undefined : claimed(row, node);
    },
  };
}

function returns(connection: WriteConnection, own: NodeIdentity) {
  // A claim may have been given up since it was read, and be another's now.
  const release = connection.prepare(
    `UPDATE queue_runs SET state = CASE held WHEN 1 THEN 'held' ELSE 'queued' END, node = NULL, incarnation = NULL
     WHERE run_id = ? AND incarnation = ?`,
  );
  const claimed = "SELECT run_id, incarnation FROM queue_runs WHERE state = 'claimed'";
  const left = leftRows(connection, claimed, 'run_id');
  return {
    /** Gives up the claims of this process on runs that have not begun. */
    release({ run_ids }: { run_ids: readonly string[] }): void {
      for (const run_id of run_ids) release.queue(run_id, own.incarnation);
    },
    /** Gives up the claims that a process left, but those of the named runs, which wait for their receipts. */
    async releaseAll({ except, ...asking }: Asking & { readonly except: readonly string[] }): Promise<number> {
      const kept = new Set(except);
      const free = (await left(asking)).filter(({ run_id }) => !kept.has(String(run_id)));
      for (const { incarnation, run_id } of free) release.queue(String(run_id), String(incarnation));
      return free.length;
    },
  };
}
