import type { LogOwner, LogReads, LogRow, WriterReads } from './tables.ts';

/** The logs with their owners, as they were read. */
export interface Shards {
  logs(): readonly LogRow[];
  owners(): readonly LogOwner[];
}

/** Reads the logs and their owners in the writer thread. */
export async function shardsOf(reads: Pick<WriterReads, 'logs' | 'owners'>): Promise<Shards> {
  const [logs, owners] = [await reads.logs(), await reads.owners()];
  return { logs: () => logs, owners: () => owners };
}

/**
 * Finds the log that a node writes: its active one or, when it has none, one that no node has claimed yet, as older
 * versions left it. Undefined: the node has to open one.
 */
export function ownShard(reads: Pick<LogReads, 'logs' | 'owners'> | Shards, node: string): LogRow | undefined {
  const owners = new Map(reads.owners().map((owner) => [owner.log, owner.node]));
  const active = reads.logs().filter(({ status }) => status === 'active');
  const of = (owner: string | null): LogRow | undefined => active.findLast(({ log }) => owners.get(log) === owner);
  return of(node) ?? of(null);
}
