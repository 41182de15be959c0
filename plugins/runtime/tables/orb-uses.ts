import {
  type Connection,
  type WriteConnection,
  exactly,
  type Infer,
  replacing,
  rowReader,
  rowWriter,
  queriesOf,
} from '../../../kernel/index.ts';

const text = { type: 'string' } as const;
const members = {
  ...{ orb_id: text, node: text, incarnation: text },
  generation: { type: 'integer', description: 'Number of the bound generation; 0: none is open' },
  draining: { type: 'boolean', description: 'Whether runs still finish on an old generation' },
  in_flight: { type: 'object', description: 'Provider → runs that use it', additionalProperties: { type: 'integer' } },
} as const;
const nodeUse = exactly(members);

/** How one node uses the providers of one Orb, as it wrote it down within the last seconds. */
export type NodeUse = Infer<typeof nodeUse>;

/** How a node uses the providers of an Orb at one moment. */
export type OrbUse = Pick<NodeUse, 'draining' | 'generation' | 'in_flight'>;

/** The table of how each node uses the providers of each Orb, where several nodes share the store. */
export const orbUseTable = `CREATE TABLE runtime_orb_uses (
     orb_id TEXT NOT NULL, node TEXT NOT NULL, incarnation TEXT NOT NULL, generation INTEGER NOT NULL,
     draining INTEGER NOT NULL, in_flight TEXT NOT NULL, PRIMARY KEY (orb_id, node)
   ) WITHOUT ROWID;`;

const columns = Object.keys(members) as readonly (keyof NodeUse)[];

/** Makes the writes of that table. */
export function orbUseWrites(connection: WriteConnection) {
  const put = rowWriter(connection, 'runtime_orb_uses', columns, replacing(['orb_id', 'node'], columns));
  return {
    /** Notes how a node uses the providers of an Orb now. */
    putOrbUse: (use: NodeUse): void => put({ ...use }),
  };
}

/** Makes its reads. */
export function orbUseReads(connection: Connection) {
  const { list } = queriesOf(connection);
  return {
    /** How the nodes use the providers of an Orb, by their names. */
    orbUses: list<NodeUse>(
      `SELECT ${columns.join(', ')} FROM runtime_orb_uses WHERE orb_id = ? ORDER BY node`,
      rowReader(nodeUse),
    ),
  };
}
