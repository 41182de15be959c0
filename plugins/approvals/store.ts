import {
  defineStore,
  PlatformError,
  queriesOf,
  rowWriter,
  type AwaitableReads,
  type Connection,
  type Row,
  type Sealer,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { problems } from './problems.ts';
import { linkTables, readLinks, writeLinks } from './tables/links.ts';
import { readPast, type State } from './tables/past.ts';
import { noticeTables, readNotices, writeNotices, type NoticeRow } from './tables/notices.ts';

export { approvalStates, type Past, type State } from './tables/past.ts';

/** An approval. Times are milliseconds since the Unix epoch. */
export interface ApprovalRow {
  readonly approval_id: string;
  readonly run_id: string;
  readonly tenant: string;
  readonly orbiset_id: string;
  readonly orb_id: string;
  /** Who asks for the run. */
  readonly requester: string;
  readonly mode: 'live' | 'sandbox';
  /** `sha256:<hex>` of `bound`. */
  readonly digest: string;
  /** What is approved, in canonical form. */
  readonly bound: string;
  /** JSON of the asks with their words, sealed. */
  readonly asks: Uint8Array;
  readonly state: State;
  readonly created_at: number;
  readonly expires_at: number;
  /** When it was closed; null: it is open, or its run has not ended yet. */
  readonly closed_at: number | null;
}

/** A decision of one person. */
export interface DecisionRow {
  readonly approval_id: string;
  readonly principal: string;
  readonly decision: 'approve' | 'refuse';
  /** JSON: the asked groups to which the person belonged. */
  readonly groups: string;
  /** How the person was known, and where it decided. */
  readonly auth: string;
  readonly surface: string;
  readonly at: number;
  readonly receipt_id: string;
  /** Sealed; null: there is none. */
  readonly comment: Uint8Array | null;
}

/** A list of approvals, newest first; `before`: only those with a smaller id. */
export interface ApprovalQuery {
  /** Only those that ask one of these groups; undefined: all. */
  readonly groups: readonly string[] | undefined;
  /** Only those of this tenant; undefined: of all. */
  readonly tenant?: string | undefined;
  /** `ended`: any but `open`. */
  readonly state: State | 'ended' | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}

const migrations = [
  `CREATE TABLE approvals_approvals (
     approval_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, tenant TEXT NOT NULL, orbiset_id TEXT NOT NULL,
     orb_id TEXT NOT NULL, requester TEXT NOT NULL, mode TEXT NOT NULL, digest TEXT NOT NULL, bound TEXT NOT NULL,
     asks BLOB NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, closed_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX approvals_approvals_run ON approvals_approvals (run_id, approval_id);
   CREATE INDEX approvals_approvals_state ON approvals_approvals (state, approval_id);
   CREATE INDEX approvals_approvals_expiring ON approvals_approvals (expires_at) WHERE state = 'open';
   CREATE INDEX approvals_approvals_ending ON approvals_approvals (approval_id)
     WHERE state <> 'open' AND closed_at IS NULL;
   CREATE TABLE approvals_asked (
     asked TEXT NOT NULL, approval_id TEXT NOT NULL, open INTEGER NOT NULL, PRIMARY KEY (asked, approval_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX approvals_asked_open ON approvals_asked (asked) WHERE open = 1;
   CREATE INDEX approvals_asked_approval ON approvals_asked (approval_id);
   CREATE TABLE approvals_decisions (
     approval_id TEXT NOT NULL, principal TEXT NOT NULL, decision TEXT NOT NULL, groups TEXT NOT NULL, auth TEXT NOT NULL,
     surface TEXT NOT NULL, at INTEGER NOT NULL, receipt_id TEXT NOT NULL, comment BLOB, PRIMARY KEY (approval_id, principal)
   ) STRICT, WITHOUT ROWID;`,
  linkTables + noticeTables,
  'CREATE INDEX approvals_approvals_similar ON approvals_approvals (orb_id, requester, approval_id);',
  `ALTER TABLE approvals_approvals ADD COLUMN reasons TEXT;
   CREATE INDEX approvals_approvals_reasons ON approvals_approvals (tenant, orb_id, reasons, created_at);`,
];

const columns = [
  ...(['approval_id', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'requester', 'mode', 'digest', 'bound'] as const),
  ...(['asks', 'state', 'created_at', 'expires_at', 'closed_at'] as const),
] satisfies (keyof ApprovalRow)[];
const decisionColumns = [
  ...(['approval_id', 'principal', 'decision', 'groups', 'auth', 'surface', 'at', 'receipt_id', 'comment'] as const),
] satisfies (keyof DecisionRow)[];

/** Approvals of held runs, and who decided what. */
export default defineStore({
  name: 'approvals',
  seals: ['approvals'],
  migrations,
  write: writing,
  read: reading,
});

/** Reads of approvals. */
export type ApprovalReads = AwaitableReads<ReturnType<typeof reading>>;

// The index of one group holds its approvals in the order of their ids.
const ofGroup = { table: 'approvals_asked', where: 'asked = ?', id: 'approval_id' } as const;

// Only the operations of this module write its tables, from values of these types.
const approvalOf = (row: Row): ApprovalRow => row as unknown as ApprovalRow;
const decisionOf = (row: Row): DecisionRow => row as unknown as DecisionRow;

function reading(connection: Connection) {
  const { find, list, pages } = queriesOf(connection);
  const select = columns.join(', ');
  const from = `SELECT ${select} FROM approvals_approvals`;
  const open = connection.prepare("SELECT count(*) AS n FROM approvals_approvals WHERE state = 'open'");
  const paged = columns.map((column) => `approvals_approvals.${column}`).join(', ');
  const all = pages<ApprovalRow>({ select: paged, table: 'approvals_approvals', id: 'approval_id', read: approvalOf });
  const asked = `EXISTS (SELECT 1 FROM approvals_asked WHERE approvals_asked.approval_id =
    approvals_approvals.approval_id AND asked IN`;
  return {
    ...readLinks(connection),
    ...readNotices(connection),
    ...readPast(connection),
    find: find<ApprovalRow>(`${from} WHERE approval_id = ?`, approvalOf),
    /** Lists the decisions on an approval, the first one first. */
    decisions: list<DecisionRow>(
      `SELECT ${decisionColumns.join(', ')} FROM approvals_decisions WHERE approval_id = ? ORDER BY at, principal`,
      decisionOf,
    ),
    /** Lists open approvals whose time is over. */
    expired: list<ApprovalRow, [now: number, limit: number]>(
      `${from} WHERE state = 'open' AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      approvalOf,
    ),
    /** Lists approvals that are decided, and whose runs have not ended or gone on. */
    ending: list<ApprovalRow, [limit: number]>(
      `${from} WHERE state <> 'open' AND closed_at IS NULL ORDER BY approval_id LIMIT ?`,
      approvalOf,
    ),
    /** Counts the open approvals. */
    open: (): number => Number(open.get()?.['n'] ?? 0),
    /** Lists the approvals of a run, the first one first; a run is held a few times at most. */
    ofRun: list<ApprovalRow, [runId: string]>(`${from} WHERE run_id = ? ORDER BY approval_id`, approvalOf),
    list({ groups, tenant, state, before, limit }: ApprovalQuery) {
      const isEnded = state === 'ended';
      const [group, ...others] = groups ?? [];
      const places = `${asked} (${groups?.map(() => '?').join(', ') ?? ''}))`;
      const indexed = [
        { where: 'state = ?', values: isEnded ? undefined : state },
        { where: places, values: others.length === 0 ? group : undefined, by: ofGroup },
      ];
      const tried = [
        { where: places, values: others.length === 0 ? undefined : groups },
        { where: 'tenant = ?', values: tenant },
        { where: 'state <> ?', values: isEnded ? 'open' : undefined },
      ];
      return all({ indexed, tried, before, limit });
    },
  };
}

/** A new approval. */
export interface Opening extends Omit<ApprovalRow, 'asks' | 'state' | 'closed_at'> {
  /** JSON; sealed at rest. */
  readonly asks: string;
  readonly groups: readonly string[];
  /** The codes of the asks, sorted and joined by commas. */
  readonly reasons: string;
  /** Most open approvals of a group. */
  readonly most: number;
  /** The messages that tell its approvers. */
  readonly notices: readonly Pick<NoticeRow, 'notice_id' | 'asked' | 'place'>[];
}

/** A decision, and the state that follows from it and from those that were read before. */
export interface Deciding extends Omit<DecisionRow, 'comment'> {
  readonly comment: string | null;
  readonly becomes: 'open' | 'approved' | 'refused';
  /** How many decisions were read. */
  readonly before: number;
}

function writing({ connection, sealer }: WriterScope) {
  const answered = connection.prepare('UPDATE approvals_asked SET open = 0 WHERE approval_id = ?');
  const close = connection.prepare(
    `UPDATE approvals_approvals SET state = CASE state WHEN 'open' THEN ? ELSE state END, closed_at = ?
     WHERE approval_id = ? AND closed_at IS NULL`,
  );
  const closed = (approvalId: string): void => answered.queue(approvalId);
  const notices = writeNotices(connection);
  return {
    operations: {
      ...writeLinks(connection),
      ...notices.operations,
      ...opening(connection, sealer, notices.insert),
      ...deciding(connection, sealer, closed),
      /** Closes an approval with its run; it keeps the state that a decision gave it. */
      close({ approval_id, as, at }: { approval_id: string; as: State; at: number }): void {
        close.queue(as, at, approval_id);
        closed(approval_id);
      },
    },
  };
}

function opening(connection: WriteConnection, sealer: Sealer, tell: ReturnType<typeof writeNotices>['insert']) {
  const insert = rowWriter(connection, 'approvals_approvals', [...columns, 'reasons']);
  const ask = rowWriter(connection, 'approvals_asked', ['asked', 'approval_id', 'open']);
  const open = connection.prepare('SELECT count(*) AS n FROM approvals_asked WHERE asked = ? AND open = 1');
  return {
    /** Opens an approval. Throws 403 `approval_backlog` when a group has as many open ones as it may have. */
    async open({ asks, groups, most, notices, ...row }: Opening, write: WriteContext): Promise<null> {
      write.guard('open');
      for (const group of groups)
        if (Number((await open.get(group))?.['n']) >= most)
          throw new PlatformError('approval_backlog', `the group ${group} has ${most} open approvals; try later`);
      insert({ ...row, asks: sealer.seal('approvals', Buffer.from(asks)), state: 'open', closed_at: null });
      for (const asked of groups) ask({ asked, approval_id: row.approval_id, open: 1 });
      for (const notice of notices) tell({ ...notice, approval_id: row.approval_id, due_at: row.created_at });
      return null;
    },
  };
}

function deciding(connection: WriteConnection, sealer: Sealer, closed: (approvalId: string) => void) {
  const insert = rowWriter(connection, 'approvals_decisions', decisionColumns);
  const find = connection.prepare('SELECT state, expires_at FROM approvals_approvals WHERE approval_id = ?');
  const count = connection.prepare('SELECT count(*) AS n FROM approvals_decisions WHERE approval_id = ?');
  const mine = connection.prepare('SELECT decision FROM approvals_decisions WHERE approval_id = ? AND principal = ?');
  const become = connection.prepare(
    "UPDATE approvals_approvals SET state = ?, closed_at = ? WHERE approval_id = ? AND state = 'open'",
  );
  return {
    /**
     * Records a decision, which counts once. Throws 409 `approval_decided`, and 503 `storage_unavailable` when somebody
     * else decided since the others were read.
     */
    async decide({ becomes, before, comment, ...row }: Deciding, write: WriteContext): Promise<null> {
      write.guard('decide');
      const { approval_id, principal, at } = row;
      const found = await find.get(approval_id);
      if (found === undefined || found['state'] !== 'open') throw decidedBefore(String(found?.['state'] ?? 'gone'));
      if (Number(found['expires_at']) <= at) throw decidedBefore('expired');
      if ((await mine.get(approval_id, principal)) !== undefined)
        throw new PlatformError(problems.approval_decided, 'you have decided on this approval already');
      if (Number((await count.get(approval_id))?.['n']) !== before)
        throw new PlatformError('storage_unavailable', meanwhile, { retry_after: 1 });
      insert({ ...row, comment: comment === null ? null : sealer.seal('approvals', Buffer.from(comment)) });
      if (becomes === 'open') return null;
      // Of a refused one the run has yet to end.
      become.must(becomes, becomes === 'approved' ? at : null, approval_id);
      closed(approval_id);
      return null;
    },
  };
}

const meanwhile = 'somebody else decided at the same moment; send it again';

/** Says that an approval is not open. */
export function decidedBefore(state: string): PlatformError {
  return new PlatformError(problems.approval_decided, `the approval is ${state}; nothing was changed`);
}
