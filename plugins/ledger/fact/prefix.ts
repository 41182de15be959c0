import type { LogVector, Position } from '../../receipts/contract.ts';

/** Sizes of shards: a prefix of the log. */
export type Prefix = readonly { readonly origin: string; readonly tree_size: number }[];

/** Says whether a position is within a prefix of the log. */
export function within({ origin, index }: Position, prefix: Prefix): boolean {
  const shard = prefix.find((log) => log.origin === origin);
  return shard !== undefined && index < shard.tree_size;
}

/** Turns a prefix into the vector of a reader that has read it. */
export function vectorOf(prefix: Prefix): LogVector {
  return new Map(prefix.map(({ origin, tree_size }) => [origin, tree_size]));
}

/** Says whether a reader has read a whole prefix. */
export function covers(read: LogVector, prefix: Prefix): boolean {
  return prefix.every(({ origin, tree_size }) => (read.get(origin) ?? 0) >= tree_size);
}

/** Counts the entries of a prefix that a reader has not read. */
export function uncounted(prefix: Prefix, read: LogVector): number {
  return prefix.reduce((sum, { origin, tree_size }) => sum + Math.max(0, tree_size - (read.get(origin) ?? 0)), 0);
}

/** The entries that two vectors both name; undefined: all. */
export function common(one: LogVector | undefined, other: LogVector | undefined): LogVector | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new Map([...one].map(([origin, size]) => [origin, Math.min(size, other.get(origin) ?? 0)]));
}

/** The data by which entries are compared: position and receipt, whose id contains the time. */
export interface Place extends Position {
  readonly receipt_id: string;
}

/** Says whether an entry is not before another: within a shard by index, between shards by the age of the receipts. */
export function isSince(one: Place, other: Place): boolean {
  return one.origin === other.origin ? one.index >= other.index : one.receipt_id >= other.receipt_id;
}
