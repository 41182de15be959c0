import { queriesOf, rowWriter, type Connection, type Row, type WriteConnection } from '../../../kernel/index.ts';

/** The table of the messages that tell approvers of an approval. */
export const noticeTables = `
CREATE TABLE approvals_notices (
  notice_id TEXT PRIMARY KEY, approval_id TEXT NOT NULL, asked TEXT NOT NULL, place INTEGER NOT NULL,
  state TEXT NOT NULL, due_at INTEGER NOT NULL, run_id TEXT, code TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_notices_due ON approvals_notices (state, due_at);
CREATE INDEX approvals_notices_approval ON approvals_notices (approval_id);
`;

/**
 * A message about an approval. `due`: its run is not in the queue yet; `sent`: it is, and its end is not known; `done`
 * and `failed`: it has ended; `dropped`: nobody needs it any more.
 */
export interface NoticeRow {
  readonly notice_id: string;
  readonly approval_id: string;
  /** The group, and the place of the message in its settings. */
  readonly asked: string;
  readonly place: number;
  readonly state: 'due' | 'sent' | 'done' | 'failed' | 'dropped';
  /** When to look at it next, milliseconds since the Unix epoch. */
  readonly due_at: number;
  readonly run_id: string | null;
  /** Why it failed. */
  readonly code: string | null;
}

/** A notice that failed, with what its approval is about. */
export interface FailedNotice extends NoticeRow {
  readonly tenant: string;
  readonly orb_id: string;
  readonly created_at: number;
}

const columns = ['notice_id', 'approval_id', 'asked', 'place', 'state', 'due_at', 'run_id', 'code'] as const;

// Only the operations below write the table.
const noticeOf = (row: Row): NoticeRow => row as unknown as NoticeRow;

/** Makes the reads of notices. */
export function readNotices(connection: Connection) {
  const { list } = queriesOf(connection);
  const select = columns.map((name) => `n.${name}`).join(', ');
  return {
    /** Lists notices of a state that are to be looked at. */
    notices: list<NoticeRow, [state: NoticeRow['state'], now: number, limit: number]>(
      `SELECT ${select} FROM approvals_notices n WHERE state = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      noticeOf,
    ),
    /** Lists notices that failed, of approvals that are open, newest first; `tenant` null: of all. */
    failedNotices: list<FailedNotice, [tenant: string | null, limit: number]>(
      `SELECT ${select}, a.tenant AS tenant, a.orb_id AS orb_id, a.created_at AS created_at
       FROM approvals_approvals a JOIN approvals_notices n ON n.approval_id = a.approval_id
       WHERE a.state = 'open' AND n.state = 'failed' AND a.tenant = coalesce(?, a.tenant)
       ORDER BY a.approval_id DESC LIMIT ?`,
      (row) => row as unknown as FailedNotice,
    ),
  };
}

/** Makes the writes of notices. */
export function writeNotices(connection: WriteConnection) {
  const insert = rowWriter(connection, 'approvals_notices', columns);
  const note = connection.prepare(
    `UPDATE approvals_notices SET state = ?, due_at = ?, run_id = ?, code = ? WHERE notice_id = ?`,
  );
  return {
    insert: (row: Omit<NoticeRow, 'state' | 'run_id' | 'code'>): void =>
      insert({ ...row, state: 'due', run_id: null, code: null }),
    operations: {
      /** Notes what became of a notice. */
      noteNotice({ notice_id, state, due_at, run_id, code }: Omit<NoticeRow, 'approval_id' | 'asked' | 'place'>): void {
        note.queue(state, due_at, run_id, code, notice_id);
      },
    },
  };
}
