import type { Position } from '../../receipts/contract.ts';

/** Sizes of shards: a prefix of the log. */
export type Prefix = readonly { readonly origin: string; readonly tree_size: number }[];

/** Says whether a position is within a prefix of the log. */
export function within({ origin, index }: Position, prefix: Prefix): boolean {
  const shard = prefix.find((log) => log.origin === origin);
  return shard !== undefined && index < shard.tree_size;
}

/** Says whether position `a` comes before `b`: by shard in the order of `origins`, then by index. */
export function isBefore(a: Position, b: Position, origins: readonly string[]): boolean {
  if (a.origin === b.origin) return a.index < b.index;
  return origins.indexOf(a.origin) < origins.indexOf(b.origin);
}
