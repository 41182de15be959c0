import type { AttestedLog } from './attested-log.ts';
import { attestedEvent, recordedEvent, type PlatformEvent } from './event.ts';
import type { Position } from './position.ts';
import type { RecordedRow } from './tables.ts';

/** An event, and what has been read with it. */
export interface PlacedEvent {
  readonly event: PlatformEvent;
  readonly position: Position;
}

/** The reads of the table of events. */
export interface EventReads {
  lastEvent(): number;
  eventsAfter(after: number, to: number, limit: number): Promise<readonly RecordedRow[]>;
}

/** All events of the installation: those that receipts tell, and those of the table. */
export class EventFeed {
  readonly log: AttestedLog;
  readonly #reads: EventReads;

  constructor({ log, reads }: { readonly log: AttestedLog; readonly reads: EventReads }) {
    this.log = log;
    this.#reads = reads;
  }

  /** What can be read now. */
  end(): Position {
    return { log: this.log.sizes(), sequence: this.#reads.lastEvent() };
  }

  /** Reads events from one position up to another, at most `limit`, each with the position behind it. */
  async read(from: Position, to: Position, limit: number): Promise<readonly PlacedEvent[]> {
    const found: PlacedEvent[] = [];
    let position = from;
    for (const row of await this.log.rows(from.log, to.log, limit)) {
      position = { ...position, log: { ...position.log, [row.shard]: row.index + 1 } };
      found.push({ event: attestedEvent(row), position });
    }
    if (found.length >= limit) return found;
    for (const row of await this.#reads.eventsAfter(from.sequence, to.sequence, limit - found.length)) {
      position = { ...position, sequence: row.sequence };
      found.push({ event: recordedEvent(row), position });
    }
    return found;
  }
}
