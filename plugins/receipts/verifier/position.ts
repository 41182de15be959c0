import type { Position } from '../format/jwk.ts';
import { isRecord } from '../format/strict-json.ts';

/** A position in a log. */
export interface LogPosition {
  readonly origin: string;
  readonly index: bigint;
}

/** Reads a position as a set of keys has it; undefined when it is malformed. */
export function positionOf(value: unknown): LogPosition | undefined {
  if (!isRecord(value)) return undefined;
  const { index, origin } = value;
  const known = typeof origin === 'string' && Number.isSafeInteger(index) && (index as number) >= 0;
  return known ? { origin, index: BigInt(index as number) } : undefined;
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
export function isBefore(one: LogPosition | Position, other: LogPosition | Position): boolean {
  return one.origin === other.origin ? one.index < other.index : isEarlier(one.origin, other.origin);
}

/** Says whether a shard is before another one of the same log. */
export function isEarlier(origin: string, later: string): boolean {
  const [one, other] = [numbered(origin), numbered(later)];
  return one !== undefined && other !== undefined && one.log === other.log && one.number < other.number;
}

function numbered(origin: string): { readonly log: string; readonly number: bigint } | undefined {
  const match = /^(.+\/)(\d{1,15})(?:-[0-9a-f]{8})?$/.exec(origin);
  return match === null ? undefined : { log: match[1] ?? '', number: BigInt(match[2] ?? '') };
}
