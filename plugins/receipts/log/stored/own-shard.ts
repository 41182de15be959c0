import type { LogReads, LogRow } from './tables.ts';

/**
 * Finds the log that a node writes: its active one or, when it has none, one that no node has claimed yet, as older
 * versions left it. Undefined: the node has to open one.
 */
export function ownShard(reads: Pick<LogReads, 'logs' | 'owners'>, node: string): LogRow | undefined {
  const owners = new Map(reads.owners().map((owner) => [owner.log, owner.node]));
  const active = reads.logs().filter(({ status }) => status === 'active');
  const of = (owner: string | null): LogRow | undefined => active.findLast(({ log }) => owners.get(log) === owner);
  return of(node) ?? of(null);
}
