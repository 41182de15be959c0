import type { NodeIdentity } from '../../../../kernel/index.ts';
import type { LogOwner, LogReads, LogRow, WriterReads } from './tables.ts';

/** The logs with their owners, as they were read. */
export type Shards = Pick<LogReads, 'logs' | 'owners'>;

/** A process that writes a log of its own; `shared`: others may write theirs into the same store. */
export interface Owner extends NodeIdentity {
  readonly shared: boolean;
}

/** Reads the logs and their owners in the writer thread. */
export async function shardsOf(reads: Pick<WriterReads, 'logs' | 'owners'>): Promise<Shards> {
  const [logs, owners] = [await reads.logs(), await reads.owners()];
  return { logs: () => logs, owners: () => owners };
}

/**
 * Finds the log that a process writes. Where it has the store alone, that is the active log of its node or, when the
 * node has none, one that no node has claimed yet, as older versions left it. Where the store is shared, it is the one
 * that this start has opened or gone on with. Undefined: the process has to open one.
 */
export function ownShard(shards: Shards, { incarnation, name, shared }: Owner): LogRow | undefined {
  const of = (node: string | null): LogRow | undefined =>
    activeLogs(shards, (by) => by?.node === node && (!shared || by.incarnation === incarnation)).at(-1);
  return shared ? of(name) : (of(name) ?? of(null));
}

/**
 * Finds the last log of a node, if it is frozen and no log continues it. After a move of the store all logs are frozen,
 * and the first process that opens one continues the last, whatever its node is called.
 */
export function unfollowed(shards: Shards, node: string): LogRow | undefined {
  const owners = ownersOf(shards);
  const logs = shards.logs();
  const isMoved = logs.every(({ status }) => status === 'frozen');
  const last = logs.findLast(({ log }) => owners.get(log)?.node === node) ?? (isMoved ? logs.at(-1) : undefined);
  const continued = shards.owners().some(({ follows }) => follows === last?.origin);
  return last?.status === 'frozen' && !continued ? last : undefined;
}

/** Lists the active logs of such owners, oldest first. */
export function activeLogs(shards: Shards, isSuch: (owner: LogOwner | undefined) => boolean): readonly LogRow[] {
  const owners = ownersOf(shards);
  return shards.logs().filter(({ log, status }) => status === 'active' && isSuch(owners.get(log)));
}

function ownersOf(shards: Shards): ReadonlyMap<number, LogOwner> {
  return new Map(shards.owners().map((owner) => [owner.log, owner]));
}
