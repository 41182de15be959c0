import type { LogSizes } from '../facts/attested-log.ts';
import type { EventNumbers } from '../tables/events.ts';
import type { Sealer } from '../../../kernel/index.ts';

/** What has been read: entries of each shard of the log, and events of each series of the table. */
export interface Position {
  readonly log: LogSizes;
  readonly events: EventNumbers;
}

/** A position that a client gave back, with the time at which it was made, ms. */
export interface GivenPosition extends Position {
  readonly made: number;
}

// Purpose of the seal of positions.
const eventPurpose = 'events';
// The series that was the only one, as positions of before name it.
const first = '1';
// Otherwise the length of the text would show how active other tenants are.
const block = 96;

interface SealedPosition extends Pick<GivenPosition, 'log' | 'made'> {
  readonly sequence: number;
  readonly series?: EventNumbers;
}

/** Makes the opaque id of a position: only nodes of the installation can read it. */
export function idOf({ log, events }: Position, made: number, sealer: Sealer): string {
  const { [first]: sequence = 0, ...series } = events;
  const more = Object.keys(series).length === 0 ? {} : { series };
  const text = JSON.stringify({ log, sequence, made, ...more });
  const padded = text.padEnd(Math.ceil(text.length / block) * block);
  return Buffer.from(sealer.seal(eventPurpose, Buffer.from(padded))).toString('base64url');
}

/** Reads an id; undefined when this installation has not made it. */
export function positionOf(id: string, sealer: Sealer): GivenPosition | undefined {
  try {
    const plain = sealer.open(eventPurpose, Buffer.from(id, 'base64url'));
    // This installation made it.
    const { log, made, sequence, series } = JSON.parse(Buffer.from(plain).toString()) as SealedPosition;
    return { log, made, events: { ...series, [first]: sequence } };
  } catch {
    return undefined;
  }
}

/** Makes the position that has so many entries and events less of each shard and series. */
export function before({ log, events }: Position, count: number): Position {
  const less = (all: EventNumbers): EventNumbers =>
    Object.fromEntries(Object.entries(all).map(([name, size]) => [name, Math.max(0, size - count)]));
  return { log: less(log), events: less(events) };
}

/** Says whether all of a position can still be read: a restored backup may hold less. */
export function isWithin(position: Position, end: Position): boolean {
  const within = (some: EventNumbers, all: EventNumbers): boolean =>
    Object.entries(some).every(([name, size]) => size <= (all[name] ?? 0));
  return within(position.log, end.log) && within(position.events, end.events);
}
