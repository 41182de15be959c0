import {
  queriesOf,
  rowReader,
  type Awaitable,
  type Connection,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../../kernel/index.ts';
import { services, type ServiceName, type Status } from '../contract.ts';
import { gapBeside, statusIn, type BesideBeat, type NodeBeat } from './gap.ts';
import type { Services, Span } from './measure.ts';

/** The stored heartbeat; times in ms since 1970. */
export interface Heartbeat {
  /** The first heartbeat ever; nothing is known of the time before it. */
  readonly first_at: number;
  readonly last_at: number;
  /** The last heartbeat was written during a clean stop. */
  readonly clean: boolean;
}

/** What a node measures of itself. */
export interface NodeServices {
  /** Its name. */
  readonly node: string;
  readonly incarnation: string;
  readonly services: Services;
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
  `CREATE TABLE observability_nodes (
     node TEXT PRIMARY KEY, incarnation TEXT NOT NULL, last_at INTEGER NOT NULL, clean INTEGER NOT NULL,
     services TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;`,
];

/** The heartbeat, and the measured service statuses other than "operational": all that the plugin stores. */
export const statusPart = {
  name: 'observability',
  migrations,
  write({ connection }: WriterScope) {
    const beat = connection.prepare(beatText);
    const { begin, close } = spanWrites(connection);
    const prune = connection.prepare(
      `DELETE FROM observability_spans WHERE (service, from_at, status) IN (
         SELECT service, from_at, status FROM observability_spans WHERE to_at < ? LIMIT ?)`,
    );
    const dropNodes = connection.prepare('DELETE FROM observability_nodes WHERE last_at < ?');
    return {
      operations: {
        ...besideWrites(connection),
        /** Writes a heartbeat; the time of the first one is kept. */
        beat: ({ at, clean }: { readonly at: number; readonly clean: boolean }): void =>
          beat.queue(at, at, clean ? 1 : 0),
        /** Ends the open span of a service, and begins the next unless it is operational. */
        turn({ service, at, status }: Turn): void {
          close.queue(at, at, service);
          if (status !== 'operational') begin.queue(service, at, null, status);
        },
        /** Stores a span that is over, e.g. a time in which no process measured. */
        keep: ({ service, from, to, status }: MeasuredSpan): void => begin.queue(service, from, to ?? null, status),
        /** Deletes spans that ended before a time, at most so many; returns their number. Forgets nodes that left before. */
        prune({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> {
          dropNodes.queue(before);
          return prune.run(before, most);
        },
      },
    };
  },
  read: reading,
} as const;

/** Makes the writes of one of several processes. */
function besideWrites(connection: WriteConnection) {
  const beats = connection.prepare('SELECT last_at, clean FROM observability_nodes');
  const alone = connection.prepare('SELECT last_at, clean FROM observability_heartbeat');
  const beat = connection.prepare(beatText);
  const put = connection.prepare(
    `INSERT INTO observability_nodes (node, incarnation, last_at, clean, services) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (node) DO UPDATE SET incarnation = excluded.incarnation, clean = excluded.clean,
       services = excluded.services, last_at = ${later('observability_nodes')}`,
  );
  const show = connection.prepare('UPDATE observability_nodes SET services = ? WHERE node = ? AND incarnation = ?');
  const { begin, close } = spanWrites(connection);
  return {
    /** Writes the heartbeat of one node, and the silence before it in which none was there. */
    async beatBeside(one: NodeServices & BesideBeat & { readonly clean: boolean }, write: WriteContext): Promise<void> {
      const { at, clean, incarnation, node, services: own } = one;
      write.guard('beats');
      const rows = [...(await beats.all()), ...(await alone.all())];
      const gap = gapBeside(rows.map(beatOf), one);
      if (gap.kind !== 'none')
        for (const service of services) {
          // Measurements are known only up to the last heartbeat.
          if (one.starts !== undefined) close.queue(gap.from, gap.from, service);
          begin.queue(service, gap.from, gap.to, statusIn(gap));
        }
      beat.queue(at, at, clean ? 1 : 0);
      put.queue(node, incarnation, at, clean ? 1 : 0, JSON.stringify(own));
    },
    /** Shows what a node measures of itself, between its heartbeats. */
    showServices: ({ incarnation, node, services: own }: NodeServices): void =>
      show.queue(JSON.stringify(own), node, incarnation),
  };
}

const beatText = `INSERT INTO observability_heartbeat (one, first_at, last_at, clean) VALUES (1, ?, ?, ?)
  ON CONFLICT (one) DO UPDATE SET clean = excluded.clean, last_at = ${later('observability_heartbeat')}`;

// A clock that was set back does not change stored values.
function later(table: string): string {
  return `CASE WHEN excluded.last_at > ${table}.last_at THEN excluded.last_at ELSE ${table}.last_at END`;
}

function spanWrites(connection: WriteConnection) {
  return {
    begin: connection.prepare(
      `INSERT INTO observability_spans (service, from_at, to_at, status) VALUES (?, ?, ?, ?)
       ON CONFLICT (service, from_at, status) DO UPDATE SET to_at = excluded.to_at`,
    ),
    close: connection.prepare(
      `UPDATE observability_spans SET to_at = CASE WHEN from_at > ? THEN from_at ELSE ? END
       WHERE service = ? AND to_at IS NULL`,
    ),
  };
}

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;
const spanOf = rowReader<MeasuredSpan>({ properties: { service: text, from: integer, to: integer, status: text } });
const heartbeatOf = rowReader<Heartbeat>({
  properties: { first_at: integer, last_at: integer, clean: { type: 'boolean' } },
});
const beatOf = rowReader<NodeBeat>({ properties: { last_at: integer, clean: { type: 'boolean' } } });
const servicesOf = rowReader<NodeServices>({
  properties: { node: text, incarnation: text, services: { type: 'object' } },
});

function reading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const spans = connection.prepare(
    `SELECT service, from_at AS "from", to_at AS "to", status FROM observability_spans
     WHERE from_at < ? AND (to_at IS NULL OR to_at > ?) ORDER BY service, from_at`,
  );
  return {
    /** The heartbeat; undefined before the first. */
    heartbeat: find<Heartbeat, []>('SELECT first_at, last_at, clean FROM observability_heartbeat', heartbeatOf),
    /** What each node measures of itself, also nodes that have ended. */
    nodes: list<NodeServices, []>(
      'SELECT node, incarnation, services FROM observability_nodes ORDER BY node',
      servicesOf,
    ),
    /** Spans that overlap [from, to), by service and time. */
    spansIn: (from: number, to: number): readonly MeasuredSpan[] => spans.all(to, from).map(spanOf),
  };
}
