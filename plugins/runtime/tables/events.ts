import {
  whenKnown,
  rowWriter,
  type Awaitable,
  type Connection,
  type Row,
  type WriteContext,
  type WriterScope,
  queriesOf,
} from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

/** An event without a receipt: only names and ids. */
export interface Recorded {
  /** `evt_<ulid>` */
  readonly event_id: string;
  /** `key.created` */
  readonly type: string;
  /** Scope that a key needs to see it. */
  readonly scope: string;
  /** Empty: it belongs to the installation. */
  readonly tenant: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly data: Readonly<Record<string, string | number>>;
}

/** A recorded event with its place, the number of an event in its series; `data` is JSON. */
export type RecordedRow = Omit<Recorded, 'data'> & {
  readonly series: string;
  readonly number: number;
  readonly data: string;
};

/** The number of the last event of each series. */
export type EventNumbers = Readonly<Record<string, number>>;

/** The table of events without a receipt, and its counter; then the events of a run. */
export const eventMigrations = [
  `
CREATE TABLE runtime_events (
  sequence INTEGER PRIMARY KEY, event_id TEXT NOT NULL, type TEXT NOT NULL, scope TEXT NOT NULL, tenant TEXT NOT NULL,
  at TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX runtime_events_by_time ON runtime_events (at);
CREATE TABLE runtime_event_counter (one INTEGER PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO runtime_event_counter (one, n) VALUES (1, 0);
`,
  `
ALTER TABLE runtime_events ADD COLUMN run_id TEXT;
CREATE INDEX runtime_events_by_run ON runtime_events (run_id, sequence) WHERE run_id IS NOT NULL;
`,
  // A node numbers its events in a series of its own: no two nodes wait for one row.
  'ALTER TABLE runtime_event_counter ADD COLUMN node TEXT;',
];

const stored = ['event_id', 'type', 'scope', 'tenant', 'at', 'data'] as const;

// The sequence of an event is its number and the series before its own, each of this length. No node records more.
const seriesLength = 2 ** 40;
const sequenceOf = (series: string, number: number): number => (Number(series) - 1) * seriesLength + number;
const within = `runtime_events.sequence > (runtime_event_counter.one - 1) * ${seriesLength}
  AND runtime_events.sequence <= runtime_event_counter.one * ${seriesLength}`;
const newestOf = `SELECT runtime_events.sequence - (runtime_event_counter.one - 1) * ${seriesLength}
  FROM runtime_events WHERE ${within} ORDER BY runtime_events.sequence DESC LIMIT 1`;
const numbers = `SELECT one, n, (${newestOf}) AS newest FROM runtime_event_counter`;

/** Tells events from other items of a batch. */
export function isRecorded(item: object): item is Recorded {
  return 'event_id' in item;
}

/** Makes the writes of events. */
export function eventWrites(scope: WriterScope) {
  const { connection } = scope;
  const insert = rowWriter(connection, 'runtime_events', ['sequence', ...stored, 'run_id']);
  const series = new OwnSeries(scope);
  // A number is given once: it is kept when its event goes.
  const keepNumbers = connection.prepare(`UPDATE runtime_event_counter SET n = (${newestOf}) WHERE n < (${newestOf})`);
  const forget = connection.prepare(
    'DELETE FROM runtime_events WHERE sequence IN (SELECT sequence FROM runtime_events WHERE at < ? ORDER BY at LIMIT ?)',
  );
  return {
    series,
    /** Records events, in the commit of the change that they announce. */
    record(events: readonly Recorded[]): void {
      const first = series.take(events.length);
      for (const [index, event] of events.entries()) {
        const { run_id = null } = event.data;
        insert({ ...event, run_id, sequence: first + index });
      }
    },
    /** Deletes events of before a time, at most so many; answers how many. */
    forgetEvents({ before, most }: { readonly before: string; readonly most: number }): Awaitable<number> {
      keepNumbers.queue();
      return forget.run(before, most);
    },
  };
}

/** The series in which this process numbers events; it alone writes there, so it keeps the last number in memory. */
class OwnSeries {
  readonly #scope: Pick<WriterScope, 'node' | 'shared'>;
  readonly #statements;
  #series = '1';
  /** Sequence of the last event that is durable, and of the last one of the batch that is built. */
  #last = 0;
  #built = 0;

  constructor({ connection, node, shared }: WriterScope) {
    this.#scope = { node, shared };
    this.#statements = {
      own: connection.prepare('SELECT one FROM runtime_event_counter WHERE node = ?'),
      // A store that was not shared before has a series without a node.
      largest: connection.prepare('SELECT max(one) AS one, count(node) AS named FROM runtime_event_counter'),
      take: connection.prepare('UPDATE runtime_event_counter SET node = ? WHERE one = 1'),
      add: connection.prepare('INSERT INTO runtime_event_counter (one, n, node) VALUES (?, 0, ?)'),
      number: connection.prepare(`${numbers} WHERE one = ?`),
    };
  }

  /** Finds the series of this node, or makes it. */
  async open(write: Pick<WriteContext, 'guard'>): Promise<void> {
    if (this.#scope.shared) this.#series = await this.#find(write);
    await this.read();
  }

  /** Reads the last number. */
  read(): Awaitable<void> {
    return whenKnown(this.#statements.number.get(Number(this.#series)), (row) => {
      this.#last = this.#built = sequenceOf(this.#series, row === undefined ? 0 : lastOf(row));
    });
  }

  /** Gives numbers to the events of a batch; answers the sequence of the first. */
  take(count: number): number {
    this.#built = this.#last + count;
    return this.#last + 1;
  }

  /** The batch is durable. */
  committed(): void {
    this.#last = this.#built;
  }

  async #find(write: Pick<WriteContext, 'guard'>): Promise<string> {
    const { add, largest, own, take } = this.#statements;
    const { name } = this.#scope.node;
    write.guard('events');
    const found = await own.get(name);
    if (found !== undefined) return String(found['one']);
    const { named, one } = (await largest.get()) ?? {};
    if (named === 0) {
      take.queue(name);
      return '1';
    }
    add.queue(Number(one) + 1, name);
    return String(Number(one) + 1);
  }
}

function lastOf({ n, newest }: Row): number {
  return Math.max(Number(n), Number(newest ?? 0));
}

const selected = `SELECT sequence, ${stored.join(', ')} FROM runtime_events`;

/** Prepares the reads of events. */
export function eventReads(connection: Connection) {
  const { list } = queriesOf(connection);
  const newest = list<Row, []>(`${numbers} ORDER BY one`, asIs);
  const between = list<RecordedRow, [after: number, to: number, limit: number]>(
    `${selected} WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
    recordedRow,
  );
  const ofRun = list<RecordedRow, [runId: string, after: number, limit: number]>(
    `${selected} WHERE run_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
    recordedRow,
  );
  return {
    /** The numbers of the last events; 0 before the first of a series. */
    lastEvents: (): EventNumbers => Object.fromEntries(newest().map((row) => [String(row['one']), lastOf(row)])),
    /** Events after some numbers and up to others, each series in its order. */
    eventsAfter: (after: EventNumbers, to: EventNumbers, limit: number): readonly RecordedRow[] =>
      merged(
        Object.entries(to)
          .filter(([series, number]) => number > (after[series] ?? 0))
          .map(([series, number]) =>
            between(sequenceOf(series, after[series] ?? 0), sequenceOf(series, number), limit),
          ),
        limit,
      ),
    /** All events of a run up to some numbers, each series in its order. */
    eventsOfRun(runId: string, to: EventNumbers): readonly RecordedRow[] {
      const found: RecordedRow[] = [];
      for (let page: readonly RecordedRow[] | undefined; page === undefined || page.length === pageSize;) {
        const last = found.at(-1);
        page = ofRun(runId, last === undefined ? 0 : sequenceOf(last.series, last.number), pageSize);
        found.push(...page);
      }
      const told = found.filter(({ series, number }) => number <= (to[series] ?? 0));
      return merged([...Map.groupBy(told, ({ series }) => series).values()], told.length);
    },
  };
}

const pageSize = 200;

function recordedRow({ sequence, ...row }: Row): RecordedRow {
  const series = Math.floor((Number(sequence) - 1) / seriesLength);
  // Only `record` writes them, from values of this type.
  return { ...row, series: String(series + 1), number: Number(sequence) - series * seriesLength } as RecordedRow;
}

/** Takes the first of several lists, by time where they do not say it themselves. */
function merged(lists: readonly (readonly RecordedRow[])[], limit: number): readonly RecordedRow[] {
  const [only] = lists;
  if (lists.length <= 1) return only ?? [];
  const left = lists.map((list) => ({ list, place: 0 }));
  const found: RecordedRow[] = [];
  while (found.length < limit) {
    let first: { readonly row: RecordedRow; readonly from: (typeof left)[number] } | undefined;
    for (const from of left) {
      const row = from.list[from.place];
      if (row !== undefined && (first === undefined || row.at < first.row.at)) first = { row, from };
    }
    if (first === undefined) break;
    first.from.place++;
    found.push(first.row);
  }
  return found;
}
