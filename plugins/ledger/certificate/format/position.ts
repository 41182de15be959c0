import { isEarlier, type Position } from '../../../receipts/contract.ts';

/** The size of one shard of the log. */
interface Extent {
  readonly origin: string;
  readonly tree_size: number;
}

/** Says whether an entry is in exactly this shard of the log at this size. */
export function isWithin(position: Position, { origin, tree_size }: Extent): boolean {
  return position.origin === origin && position.index < tree_size;
}

/** Says whether an entry is in the log up to a size of one of its shards, earlier shards included. */
export function isBefore(position: Position, extent: Extent): boolean {
  return position.origin === extent.origin ? isWithin(position, extent) : isEarlier(position.origin, extent.origin);
}

/** Where a revoked key ends; without a position it never counted. */
interface Revocation {
  readonly revoked_at?: Position;
  /** Positions in shards that grew at the same time; signatures of the key before them stay valid. */
  readonly stands?: readonly Position[];
}

/** Says whether the signature of a revoked key for the log, at this size of one of its shards, is not valid. */
export function isRefused({ revoked_at, stands }: Revocation, log: Extent): boolean {
  const bound = stands?.find(({ origin }) => origin === log.origin) ?? revoked_at;
  return bound === undefined || !endsBefore(log, bound);
}

// Says whether the log, at this size of one of its shards, ended before a position; false when not comparable.
function endsBefore({ origin, tree_size }: Extent, position: Position): boolean {
  return position.origin === origin ? tree_size <= position.index : isEarlier(origin, position.origin);
}
