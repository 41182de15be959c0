import {
  defineStore,
  queriesOf,
  replacing,
  rowWriter,
  textColumn,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import type { Cause } from './causes.ts';

/** Something that happened. */
export interface AlertEvent {
  readonly cause: Cause;
  /** Each alert tells of it at most once in ten minutes. */
  readonly subject: string;
  /** Its name for people. */
  readonly title: string;
  /** One line: what happened last. */
  readonly detail: string;
  /** Path of the console that shows it. */
  readonly path: string;
  /** The providers that it is about. */
  readonly providers: readonly string[];
}

/** A subject with events that were not told. Times are milliseconds since the Unix epoch. */
export interface DueSubject extends AlertEvent {
  readonly pending: number;
  /** When the first of them was found. */
  readonly since: number;
  /** When it was told last; 0: never. */
  readonly told_at: number;
}

/** What a node has found of one thing; null: it is over. */
export interface Finding {
  readonly id: string;
  readonly state: string | null;
  /** Absent: it is not told. */
  readonly event?: AlertEvent | undefined;
}

/**
 * A message of one alert. `due`: its run is not in the queue yet; `sent`: it is, and its end is not known; `done` and
 * `failed`: it has ended; `dropped`: the settings name its alert no more.
 */
export interface MessageRow {
  readonly message_id: string;
  /** The key of its alert. */
  readonly alert: string;
  readonly cause: Cause;
  /** JSON of its words. */
  readonly words: string;
  readonly state: 'due' | 'sent' | 'done' | 'failed' | 'dropped';
  /** When to look at it next. */
  readonly due_at: number;
  readonly created_at: number;
  readonly run_id: string | null;
  /** Why it failed. */
  readonly code: string | null;
}

const migrations = [
  `CREATE TABLE alerts_states (
     source TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (source, id, node)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE alerts_subjects (
     cause TEXT NOT NULL, subject TEXT NOT NULL, told TEXT NOT NULL, pending INTEGER NOT NULL, since INTEGER NOT NULL,
     told_at INTEGER NOT NULL, PRIMARY KEY (cause, subject)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX alerts_subjects_pending ON alerts_subjects (cause, subject) WHERE pending > 0;
   CREATE TABLE alerts_messages (
     message_id TEXT PRIMARY KEY, alert TEXT NOT NULL, cause TEXT NOT NULL, words TEXT NOT NULL, state TEXT NOT NULL,
     due_at INTEGER NOT NULL, created_at INTEGER NOT NULL, run_id TEXT, code TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX alerts_messages_due ON alerts_messages (state, due_at);
   CREATE INDEX alerts_messages_newest ON alerts_messages (alert, message_id);`,
];

const stateColumns = ['source', 'id', 'node', 'state'] as const;
const subjectColumns = ['cause', 'subject', 'told', 'pending', 'since', 'told_at'] as const;
const messageColumns = [
  ...(['message_id', 'alert', 'cause', 'words', 'state', 'due_at', 'created_at', 'run_id', 'code'] as const),
];

/** What was found of the things that alerts are about, what was told of them, and the messages. */
export default defineStore({
  name: 'alerts',
  migrations,
  write: ({ connection }: WriterScope) => ({
    operations: { ...observing(connection), ...telling(connection), ...tidying(connection) },
  }),
  read: reading,
});

/** Reads of alerts. */
export type AlertReads = AwaitableReads<ReturnType<typeof reading>>;

// Only the operations of this module write its tables, from values of these types.
const subjectOf = ({ told, ...row }: Row): DueSubject =>
  ({ ...row, ...(JSON.parse(textColumn(told)) as AlertEvent) }) as unknown as DueSubject;
const messageOf = (row: Row): MessageRow => row as unknown as MessageRow;

function reading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const messages = `SELECT ${messageColumns.join(', ')} FROM alerts_messages`;
  return {
    /** Lists what a node has found of a source. */
    states: list<Pick<Finding, 'id' | 'state'>, [source: string, node: string]>(
      'SELECT id, state FROM alerts_states WHERE source = ? AND node = ?',
      (row) => row as unknown as Finding,
    ),
    /** Lists the nodes that have found something of a source. */
    nodes: list<string>('SELECT DISTINCT node FROM alerts_states WHERE source = ?', ({ node }) => textColumn(node)),
    /** Lists subjects that are to be told: times that are yet to come are of a clock that was set back. */
    due: list<DueSubject, [cause: Cause, told: number, since: number, now: number, sameNow: number, limit: number]>(
      `SELECT ${subjectColumns.join(', ')} FROM alerts_subjects WHERE cause = ? AND pending > 0
         AND ((told_at <= ? AND since <= ?) OR told_at > ? OR since > ?) ORDER BY subject LIMIT ?`,
      subjectOf,
    ),
    /** Lists messages of a state that are to be looked at. */
    messages: list<MessageRow, [state: MessageRow['state'], now: number, limit: number]>(
      `${messages} WHERE state = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      messageOf,
    ),
    /** Finds the newest message of an alert that has ended. */
    last: find<MessageRow>(
      `${messages} WHERE alert = ? AND state IN ('done', 'failed') ORDER BY message_id DESC LIMIT 1`,
      messageOf,
    ),
  };
}

/** What a node has found at one look; without a name, what all of them would find. */
type Observation = Readonly<Record<'source' | 'node', string>> & { findings: readonly Finding[]; now: number };

function observing(connection: WriteConnection) {
  const known = connection.prepare('SELECT node, state FROM alerts_states WHERE source = ? AND id = ?');
  const put = rowWriter(connection, 'alerts_states', stateColumns, replacing(['source', 'id', 'node'], stateColumns));
  const remove = connection.prepare('DELETE FROM alerts_states WHERE source = ? AND id = ? AND node = ?');
  const count = rowWriter(
    connection,
    'alerts_subjects',
    subjectColumns,
    `ON CONFLICT (cause, subject) DO UPDATE SET pending = alerts_subjects.pending + 1, told = excluded.told,
       since = CASE WHEN alerts_subjects.pending = 0 THEN excluded.since ELSE alerts_subjects.since END`,
  );
  return {
    /** Notes what a node has found, and counts events: what several find begins with the first, and ends with the last. */
    async observe({ source, node, findings, now }: Observation, write: WriteContext): Promise<void> {
      write.guard('observe');
      for (const { id, state, event } of findings) {
        const rows = await known.all(source, id);
        const before = rows.find((row) => row['node'] === node)?.['state'] ?? null;
        if (before === state) continue;
        if (state === null) remove.queue(source, id, node);
        else put({ source, id, node, state });
        const isShared = rows.some((row) => row['node'] !== node);
        if (event !== undefined && !isShared) {
          const { cause, subject, ...told } = event;
          count({ cause, subject, told, pending: 1, since: now, told_at: 0 });
        }
      }
    },
  };
}

type NewMessage = Pick<MessageRow, 'message_id' | 'alert' | 'cause'> & { readonly words: object };
type Telling = { subjects: readonly DueSubject[]; messages: readonly NewMessage[]; now: number };

function telling(connection: WriteConnection) {
  const told = connection.prepare(
    `UPDATE alerts_subjects SET pending = pending - ?, told_at = ?
     WHERE cause = ? AND subject = ? AND told_at = ? AND pending >= ?`,
  );
  const insert = rowWriter(connection, 'alerts_messages', messageColumns);
  const note = connection.prepare(
    'UPDATE alerts_messages SET state = ?, due_at = ?, run_id = ?, code = ? WHERE message_id = ?',
  );
  return {
    /** Makes the messages about some subjects. Fails when another node has made them. */
    tell({ subjects, messages, now }: Telling): void {
      for (const { cause, subject, pending, told_at } of subjects)
        told.must(pending, now, cause, subject, told_at, pending);
      for (const message of messages)
        insert({ ...message, state: 'due', due_at: now, created_at: now, run_id: null, code: null });
    },
    /** Notes what became of a message. */
    note: (row: Pick<MessageRow, 'message_id' | 'state' | 'due_at' | 'run_id' | 'code'>): void =>
      note.queue(row.state, row.due_at, row.run_id, row.code, row.message_id),
  };
}

function tidying(connection: WriteConnection) {
  const forget = connection.prepare('DELETE FROM alerts_states WHERE source = ?');
  const drop = connection.prepare('DELETE FROM alerts_subjects WHERE cause = ?');
  const quiet = connection.prepare('DELETE FROM alerts_subjects WHERE pending = 0 AND told_at < ?');
  const ended = connection.prepare(
    "DELETE FROM alerts_messages WHERE state IN ('sent', 'done', 'failed', 'dropped') AND due_at < ?",
  );
  return {
    /** Forgets what no alert is about any more. */
    forget({ sources, causes }: { readonly sources: readonly string[]; readonly causes: readonly Cause[] }): void {
      for (const source of sources) forget.queue(source);
      for (const cause of causes) drop.queue(cause);
    },
    /** Deletes messages that were sent, and subjects that were told, before a time. */
    tidy({ before }: { readonly before: number }): void {
      quiet.queue(before);
      ended.queue(before);
    },
  };
}
