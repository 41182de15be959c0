/** A position in a log. */
export interface LogPosition {
  readonly origin: string;
  readonly index: bigint;
}

/** Names the shard of a log: the last part of its name. */
export function shardOf(origin: string): string {
  return origin.slice(origin.lastIndexOf('/') + 1);
}

/** Names the installation of a log: the part of the name before the shard. */
export function installationOf(origin: string): string {
  return origin.slice(0, origin.lastIndexOf('/'));
}

/**
 * Says whether one position is before another of the same installation: by shard, then by index. Two shards with one
 * number (a backup restored twice) have no order, so neither is before the other.
 */
export function isBefore(one: LogPosition, other: LogPosition): boolean {
  if (one.origin === other.origin) return one.index < other.index;
  const [a, b] = [numbered(one.origin), numbered(other.origin)];
  return a !== undefined && b !== undefined && a.log === b.log && a.number < b.number;
}

function numbered(origin: string): { readonly log: string; readonly number: bigint } | undefined {
  const match = /^(.+\/)(\d{1,15})(?:-[0-9a-f]{8})?$/.exec(origin);
  return match === null ? undefined : { log: match[1] ?? '', number: BigInt(match[2] ?? '') };
}
