import type { Owner } from '../journal/owner.ts';
import {
  type Connection,
  type WriteConnection,
  replacing,
  rowReader,
  rowWriter,
  queriesOf,
} from '../../../kernel/index.ts';

/** How a node uses the providers of an Orb at one moment. */
export interface OrbUse {
  /** Number of the bound generation; 0: none is open. */
  readonly generation: number;
  /** Whether runs still finish on an old generation. */
  readonly draining: boolean;
  /** Provider → runs that use it. */
  readonly in_flight: Readonly<Record<string, number>>;
}

/** How one node uses the providers of one Orb, as it wrote it down within the last seconds. */
export interface NodeUse extends Owner, OrbUse {
  readonly orb_id: string;
}

/** The table of how each node uses the providers of each Orb, where several nodes share the store. */
export const orbUseTable = `CREATE TABLE runtime_orb_uses (
     orb_id TEXT NOT NULL, node TEXT NOT NULL, incarnation TEXT NOT NULL, generation INTEGER NOT NULL,
     draining INTEGER NOT NULL, in_flight TEXT NOT NULL, PRIMARY KEY (orb_id, node)
   ) WITHOUT ROWID;`;

const columns = ['orb_id', 'node', 'incarnation', 'generation', 'draining', 'in_flight'] as const;

/** Makes the writes of that table. */
export function orbUseWrites(connection: WriteConnection) {
  const put = rowWriter(connection, 'runtime_orb_uses', columns, replacing(['orb_id', 'node'], columns));
  return {
    /** Notes how a node uses the providers of an Orb now. */
    putOrbUse: (use: NodeUse): void => put({ ...use }),
  };
}

const read = rowReader<NodeUse>({
  properties: {
    ...{ orb_id: {}, node: {}, incarnation: {}, generation: {} },
    ...{ draining: { type: 'boolean' }, in_flight: { type: 'object' } },
  },
});

/** Makes its reads. */
export function orbUseReads(connection: Connection) {
  const { list } = queriesOf(connection);
  return {
    /** How the nodes use the providers of an Orb, by their names. */
    orbUses: list<NodeUse>(`SELECT ${columns.join(', ')} FROM runtime_orb_uses WHERE orb_id = ? ORDER BY node`, read),
  };
}
