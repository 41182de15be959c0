import type { AttestedLog } from '../facts/attested-log.ts';
import { attestedEvent, recordedEvent, type PlatformEvent } from './event.ts';
import type { Position } from './position.ts';
import type { RuntimeReads } from '../store.ts';

/** An event, and what has been read with it. */
export interface PlacedEvent {
  readonly event: PlatformEvent;
  readonly position: Position;
}

/** The events of a run, and the position before them. */
export interface Told {
  readonly start: Position;
  readonly found: readonly PlacedEvent[];
}

/** The reads of the table of events. */
type EventReads = Pick<RuntimeReads, 'eventsAfter' | 'eventsOfRun' | 'lastEvents'>;

/** All events of the installation: those derived from receipts, and those of the table. */
export class EventFeed {
  readonly log: AttestedLog;
  readonly #reads: EventReads;

  constructor({ log, reads }: { readonly log: AttestedLog; readonly reads: EventReads }) {
    this.log = log;
    this.#reads = reads;
  }

  /** What can be read now: the log first, so that all that was recorded before an entry is within it. */
  async end(): Promise<Position> {
    const log = await this.log.sizes();
    return { log, events: await this.#reads.lastEvents() };
  }

  /**
   * Reads events from one position up to another, at most `limit`, each with the position behind it; those of the table
   * first: a run is recorded before its receipt.
   */
  async read(from: Position, to: Position, limit: number): Promise<readonly PlacedEvent[]> {
    const found: PlacedEvent[] = [];
    let position = from;
    for (const row of await this.#reads.eventsAfter(from.events, to.events, limit)) {
      position = { ...position, events: { ...position.events, [row.series]: row.number } };
      found.push({ event: recordedEvent(row), position });
    }
    if (found.length >= limit) return found;
    for (const row of await this.log.rows(from.log, to.log, limit - found.length)) {
      position = { ...position, log: { ...position.log, [row.shard]: row.index + 1 } };
      found.push({ event: attestedEvent(row), position });
    }
    return found;
  }

  /** Reads the events of a run up to a position, with the event of its end if it has ended. */
  async told(runId: string, end: PlatformEvent | undefined, to: Position): Promise<Told> {
    const place = end && (await this.log.place(end.event_id));
    const log = place === undefined ? to.log : { ...to.log, [place.shard]: place.index };
    const rows = await this.#reads.eventsOfRun(runId, to.events);
    let events = to.events;
    // Each series from before its first event of the run.
    for (const { series, number } of rows.toReversed()) events = { ...events, [series]: number - 1 };
    const start = { log, events };
    const found = rows.map((row): PlacedEvent => {
      events = { ...events, [row.series]: row.number };
      return { event: recordedEvent(row), position: { log, events } };
    });
    return { start, found: end === undefined ? found : [...found, { event: end, position: to }] };
  }
}
