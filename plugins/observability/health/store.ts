import {
  defineStore,
  queriesOf,
  rowReader,
  type Awaitable,
  type Connection,
  type Health,
  type WriterScope,
} from '../../../kernel/index.ts';

/** How bad a health is; the place is its number in the table. */
export const healths = ['unknown', 'up', 'degraded', 'down'] as const satisfies readonly Health[];

/** A change of the health of a provider at this node. */
export interface NotedChange {
  readonly provider: string;
  /** ms since 1970. */
  readonly at: number;
  readonly health: Health;
  readonly reason: string;
}

/** What one node noted of a provider in one minute; however often it changed then, it is one row. */
export interface NotedMinute {
  readonly node: string;
  /** When the worst of the minute began, ms since 1970. */
  readonly at: number;
  /** Numbers of `healths`: the worst of the minute, and the last. */
  readonly worst: number;
  readonly health: number;
  /** Of the worst. */
  readonly reason: string;
}

const minuteMs = 60_000;

const migrations = [
  `CREATE TABLE observability_health_minutes (
     provider TEXT NOT NULL, minute INTEGER NOT NULL, node TEXT NOT NULL, at INTEGER NOT NULL, worst INTEGER NOT NULL,
     health INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (provider, minute, node)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX observability_health_by_minute ON observability_health_minutes (minute);`,
];

const table = 'observability_health_minutes';
// What belongs to the worst of the minute stays unless something worse comes.
const worse = (column: string): string =>
  `${column} = CASE WHEN excluded.worst > ${table}.worst THEN excluded.${column} ELSE ${table}.${column} END`;

/** The store of the history of health of providers. */
export default defineStore({
  name: 'observability_health',
  migrations,
  write({ connection, node }: WriterScope) {
    const note = connection.prepare(
      `INSERT INTO ${table} (provider, minute, node, at, worst, health, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (provider, minute, node) DO UPDATE SET
         ${worse('at')}, ${worse('reason')}, ${worse('worst')}, health = excluded.health`,
    );
    const forget = connection.prepare(
      `DELETE FROM ${table} WHERE (provider, minute, node) IN (
         SELECT provider, minute, node FROM ${table} WHERE minute < ? ORDER BY minute LIMIT ?)`,
    );
    return {
      operations: {
        /** Notes a change of the health of a provider at this node. */
        note({ provider, at, health, reason }: NotedChange): void {
          const rank = healths.indexOf(health);
          note.queue(provider, at - (at % minuteMs), node.name, at, rank, rank, reason);
        },
        /** Deletes what was noted before a time, at most so many; returns their number. */
        forget: ({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> =>
          forget.run(before, most),
      },
    };
  },
  read: reading,
});

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;
const minuteOf = rowReader<NotedMinute>({
  properties: { node: text, at: integer, worst: integer, health: integer, reason: text },
});

function reading(connection: Connection) {
  const { list } = queriesOf(connection);
  const select = `SELECT node, at, worst, health, reason FROM ${table} WHERE provider = ?`;
  return {
    /** What was noted from one minute to another, the newest first, at most so many. */
    between: list<NotedMinute, [provider: string, from: number, to: number, most: number]>(
      `${select} AND minute >= ? AND minute < ? ORDER BY minute DESC LIMIT ?`,
      minuteOf,
    ),
    /** What was noted last before a time, the newest first, at most so many. */
    before: list<NotedMinute, [provider: string, before: number, most: number]>(
      `${select} AND minute < ? ORDER BY minute DESC LIMIT ?`,
      minuteOf,
    ),
  };
}
