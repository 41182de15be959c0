import { defineStore, mappedRow, rowReader, type Awaitable, type Connection } from '../../kernel/index.ts';
import type { ServiceName, Status } from './contract.ts';
import type { Span } from './status/uptime.ts';

/** The stored heartbeat; times in ms since 1970. */
export interface Heartbeat {
  /** The first heartbeat ever; nothing is known of the time before it. */
  readonly first_at: number;
  readonly last_at: number;
  /** The last heartbeat was written during a clean stop. */
  readonly clean: boolean;
}

/** The moment at which a service gets a status. */
export interface Turn {
  readonly service: ServiceName;
  readonly at: number;
  readonly status: Status;
}

/** A measured span of one service. */
export interface MeasuredSpan extends Span {
  readonly service: ServiceName;
}

const migrations = [
  `CREATE TABLE observability_heartbeat (
     one INTEGER PRIMARY KEY CHECK (one = 1), first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, clean INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE observability_spans (
     service TEXT NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER, status TEXT NOT NULL,
     PRIMARY KEY (service, from_at, status)
   ) STRICT, WITHOUT ROWID;`,
];

/** The store of the heartbeat, and of the measured service statuses other than "operational". */
export default defineStore({
  name: 'observability',
  migrations,
  write({ connection }) {
    const beat = connection.prepare(
      `INSERT INTO observability_heartbeat (one, first_at, last_at, clean) VALUES (1, ?, ?, ?)
       ON CONFLICT (one) DO UPDATE SET clean = excluded.clean, last_at =
         CASE WHEN excluded.last_at > observability_heartbeat.last_at
         THEN excluded.last_at ELSE observability_heartbeat.last_at END`,
    );
    const begin = connection.prepare(
      `INSERT INTO observability_spans (service, from_at, to_at, status) VALUES (?, ?, ?, ?)
       ON CONFLICT (service, from_at, status) DO UPDATE SET to_at = excluded.to_at`,
    );
    const close = connection.prepare(
      `UPDATE observability_spans SET to_at = CASE WHEN from_at > ? THEN from_at ELSE ? END
       WHERE service = ? AND to_at IS NULL`,
    );
    const prune = connection.prepare(
      `DELETE FROM observability_spans WHERE (service, from_at, status) IN (
         SELECT service, from_at, status FROM observability_spans WHERE to_at < ? LIMIT ?)`,
    );
    return {
      operations: {
        /** Writes a heartbeat; the time of the first one is kept. */
        beat({ at, clean }: { readonly at: number; readonly clean: boolean }): void {
          beat.queue(at, at, clean ? 1 : 0);
        },
        /** Ends the open span of a service, and begins the next unless it is operational. */
        turn({ service, at, status }: Turn): void {
          close.queue(at, at, service);
          if (status !== 'operational') begin.queue(service, at, null, status);
        },
        /** Stores a span that is over, e.g. a time in which no process measured. */
        keep({ service, from, to, status }: MeasuredSpan): void {
          begin.queue(service, from, to ?? null, status);
        },
        /** Deletes spans that ended before a time, at most so many; returns their number. */
        prune: ({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> =>
          prune.run(before, most),
      },
    };
  },
  read: reading,
});

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;
const spanOf = rowReader<MeasuredSpan>({ properties: { service: text, from: integer, to: integer, status: text } });
const heartbeatOf = rowReader<Heartbeat>({
  properties: { first_at: integer, last_at: integer, clean: { type: 'boolean' } },
});

function reading(connection: Connection) {
  const beat = connection.prepare('SELECT first_at, last_at, clean FROM observability_heartbeat');
  const spans = connection.prepare(
    `SELECT service, from_at AS "from", to_at AS "to", status FROM observability_spans
     WHERE from_at < ? AND (to_at IS NULL OR to_at > ?) ORDER BY service, from_at`,
  );
  return {
    /** The heartbeat; undefined before the first. */
    heartbeat: (): Heartbeat | undefined => mappedRow(beat.get(), heartbeatOf),
    /** Spans that overlap [from, to), by service and time. */
    spansIn: (from: number, to: number): readonly MeasuredSpan[] => spans.all(to, from).map(spanOf),
  };
}
