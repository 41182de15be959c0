import type { Sealer } from '../../store/contract.ts';
import type { LogSizes } from './attested-log.ts';

/** What has been read: entries of each shard of the log, and events of the table. */
export interface Position {
  readonly log: LogSizes;
  readonly sequence: number;
}

/** A position that a client gave back, with the time at which it was made, ms. */
export interface GivenPosition extends Position {
  readonly made: number;
}

/** Purpose of the seal of positions. */
export const eventPurpose = 'events';
// Lengths of numbers would tell how much other tenants do.
const block = 96;

/** Makes the opaque id of a position: every node of the installation reads it, nobody else. */
export function idOf({ log, sequence }: Position, made: number, sealer: Sealer): string {
  const text = JSON.stringify({ log, sequence, made });
  const padded = text.padEnd(Math.ceil(text.length / block) * block);
  return Buffer.from(sealer.seal(eventPurpose, Buffer.from(padded))).toString('base64url');
}

/** Reads an id; undefined when this installation has not made it. */
export function positionOf(id: string, sealer: Sealer): GivenPosition | undefined {
  try {
    const plain = sealer.open(eventPurpose, Buffer.from(id, 'base64url'));
    return JSON.parse(Buffer.from(plain).toString()) as GivenPosition;
  } catch {
    return undefined;
  }
}

/** Says whether all of a position can still be read: a restored backup may hold less. */
export function isWithin(position: Position, end: Position): boolean {
  const longer = Object.entries(position.log).some(([shard, size]) => size > (end.log[shard] ?? 0));
  return !longer && position.sequence <= end.sequence;
}
