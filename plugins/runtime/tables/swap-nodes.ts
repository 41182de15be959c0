import type { Owner } from '../journal/owner.ts';
import { type Connection, type WriteConnection, replacing, rowWriter, queriesOf } from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

/**
 * How far a node is with a swap that all nodes make: it `leads` the swap, has `opened` the new provider, has `failed` to
 * open or probe it, is `unfit` because its configuration differs, or has `drained` and closed the old one.
 */
export type SwapPhase = 'leads' | 'opened' | 'failed' | 'unfit' | 'drained';

/** How far one node is with one swap. */
export interface SwapNode extends Owner {
  readonly swap_id: string;
  readonly phase: SwapPhase;
  /** Why it is not further, for the caller. */
  readonly detail?: string | null;
}

/** The table of what each node has done for a swap under way. */
export const swapNodeTable = `CREATE TABLE runtime_swap_nodes (
     swap_id TEXT NOT NULL, node TEXT NOT NULL, incarnation TEXT NOT NULL, phase TEXT NOT NULL, detail TEXT,
     PRIMARY KEY (swap_id, incarnation)
   ) WITHOUT ROWID;`;

const columns = ['swap_id', 'node', 'incarnation', 'phase', 'detail'] as const;
const key = ['swap_id', 'incarnation'];

/** Makes the writes of that table. */
export function swapNodeWrites(connection: WriteConnection) {
  const leads = rowWriter(connection, 'runtime_swap_nodes', columns);
  // Do not store a report of a node about a finished swap.
  const note = connection.prepare(
    `INSERT INTO runtime_swap_nodes (${columns.join(', ')})
     SELECT swap_id, ?, ?, ?, ? FROM runtime_swaps WHERE swap_id = ? AND state IN ('opening', 'draining')
     ${replacing(key, columns)}`,
  );
  const forget = connection.prepare('DELETE FROM runtime_swap_nodes WHERE swap_id = ?');
  const operations = {
    /** Notes how far a node is with a swap that is not over. */
    noteSwapNode({ swap_id, node, incarnation, phase, detail = null }: SwapNode): void {
      note.queue(node, incarnation, phase, detail, swap_id);
    },
  };
  return { operations, leads, forget: (swapId: string) => forget.queue(swapId) };
}

/** Makes its reads. */
export function swapNodeReads(connection: Connection) {
  const { list } = queriesOf(connection);
  return {
    /** How far the nodes are with a swap. */
    swapNodes: list<SwapNode>(`SELECT ${columns.join(', ')} FROM runtime_swap_nodes WHERE swap_id = ?`, asIs),
  };
}
