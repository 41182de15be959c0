import {
  queriesOf,
  replacing,
  rowReader,
  textColumn,
  timesBetween,
  type Answered,
  type Connection,
  type Exactly,
  type Page,
  type Row,
  type WriteContext,
  type WriterScope,
} from '../../../kernel/index.ts';
import { marksBefore } from '../../row-marks/contract.ts';
import { decisionMarkWrites, markedDecisions } from './marks.ts';
import { decisionHead } from '../shapes.ts';

/** One row of the decision log as it is read; `record`: JSON text of the remaining members. */
export type DecisionRow = Omit<Answered<Exactly<typeof decisionHead>>, 'action'> & {
  readonly action: string;
  readonly record: string;
};

/** Filter for listing decisions, newest first; `after`: only those with a smaller id. Times are RFC 3339. */
export type DecisionQuery = {
  readonly [K in 'tenant' | 'action' | 'orb_id' | 'principal' | 'revision' | 'from' | 'to']?: string | undefined;
} & {
  readonly allow?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Read operations of the decision log. */
export type DecisionReads = ReturnType<typeof readingDecisions>;

/** Makes the write operations of the decision log. */
export function writingDecisions(scope: Pick<WriterScope, 'connection' | 'node'>) {
  const { connection } = scope;
  const marks = decisionMarkWrites(scope);
  const decide = connection.prepare(
    `INSERT INTO policy_decisions (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ${replacing(['decision_id'], columns)}`,
  );
  const keep = connection.prepare(
    `INSERT INTO policy_decision_texts (digest, text, used_on) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET used_on = excluded.used_on WHERE excluded.used_on > policy_decision_texts.used_on`,
  );
  const oldest = connection.prepare('SELECT decision_id, at FROM policy_decisions ORDER BY decision_id LIMIT 1');
  const dropTexts = connection.prepare('DELETE FROM policy_decision_texts WHERE used_on < ?');
  const prune = connection.prepare(
    `DELETE FROM policy_decisions WHERE decision_id IN (SELECT decision_id FROM policy_decisions WHERE decision_id <
       (SELECT max(bound) FROM (SELECT ? AS bound UNION ALL SELECT decision_id FROM
         (SELECT decision_id FROM policy_decisions ORDER BY decision_id DESC LIMIT 1 OFFSET ?) AS kept) AS bounds)
     ORDER BY decision_id LIMIT ?)`,
  );
  const operations = {
    decide({ shared, shared_text, ...row }: NewDecision, write: WriteContext): void {
      const { decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record } = row;
      const head = [decision_id, tenant, at, action, allow ? 1 : 0, orb_id, principal] as const;
      if (shared_text !== null) keep.queue(shared, shared_text, dayOf(at));
      decide.queue(...head, revision, run_id, receipt_id, record, shared);
      marks.mark(row, write);
    },
    /** Keeps a text that decisions share, or the day on which it is used. */
    keepText: ({ digest, text, used_on }: Record<'digest' | 'text' | 'used_on', string>): void =>
      keep.queue(digest, text, used_on),
    /**
     * Deletes decisions before an id or beyond the newest `rows`, oldest first, at most `most`, and the texts that only
     * those shared; returns how many decisions.
     */
    async prune(
      args: Record<'rows' | 'most', number> & { readonly before: string },
      write: WriteContext,
    ): Promise<number> {
      const { before, rows, most } = args;
      const pruned = await prune.run(before, rows - 1, most);
      const first = await oldest.get();
      if (pruned === 0 || first === undefined) return pruned;
      dropTexts.queue(marginBefore(textColumn(first['at'])));
      marks.prune(textColumn(first['decision_id']), write);
      return pruned;
    },
  };
  return { operations, batches: marks.batches };
}

type NewDecision = Omit<DecisionRow, 'revision' | 'run_id' | 'receipt_id'> & {
  readonly [K in 'revision' | 'run_id' | 'receipt_id']: string | null;
} & {
  readonly shared: string;
  readonly shared_text: string | null;
};

const columns = [
  ...['decision_id', 'tenant', 'at', 'action', 'allow', 'orb_id', 'principal', 'revision', 'run_id', 'receipt_id'],
  ...['record', 'shared'],
];

const dayOf = (at: string): string => at.slice(0, 10);

// A clock that was put back leaves decisions of earlier days behind later ones.
const marginMs = 7 * 86_400_000;
const marginBefore = (at: string): string => dayOf(new Date(Date.parse(at) - marginMs).toISOString());

/** The texts that decisions share, and the day on which each was last used; `shared`: the digest of one. */
export const sharedTextTables = `
CREATE TABLE policy_decision_texts (
  digest TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  used_on TEXT NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE policy_decisions ADD COLUMN shared TEXT;
`;

/** Indexes of the decision log, for its lists. */
export const decisionIndexes = `
CREATE INDEX policy_decisions_by_tenant ON policy_decisions (tenant, decision_id);
CREATE INDEX policy_decisions_denied ON policy_decisions (decision_id) WHERE allow = 0;
`;

/** Makes the read operations of the decision log. */
export function readingDecisions(connection: Connection) {
  const { find, pages } = queriesOf(connection);
  const select = `${columns.join(', ')}, (SELECT text FROM policy_decision_texts WHERE digest = policy_decisions.shared) AS shared_text`;
  const topOf = marksBefore(connection, markedDecisions);
  const newest = pages({ select, table: 'policy_decisions', id: 'decision_id', read: decisionOf });
  return {
    decision: find(`SELECT ${select} FROM policy_decisions WHERE decision_id = ?`, decisionOf),
    /** Lists decisions, newest first. */
    decisions({ after, limit, tenant, allow, from, to, ...wanted }: DecisionQuery): Page<DecisionRow> {
      const { tried, ...bounds } = timesBetween('dec', 'at', { from, to });
      const denied = { where: 'allow = 0', values: allow === false ? [] : undefined };
      const { action, orb_id, principal, revision } = wanted;
      const before = topOf(wanted, after);
      if (before === undefined) return { items: [] };
      return newest({
        indexed: [{ where: 'tenant = ?', values: tenant }, denied],
        tried: [
          ...tried,
          { where: 'allow = 1', values: allow === true ? [] : undefined },
          { where: 'action = ?', values: action },
          { where: 'orb_id = ?', values: orb_id },
          { where: 'principal = ?', values: principal },
          { where: 'revision = ?', values: revision },
        ],
        ...{ ...bounds, before, limit },
      });
    },
  };
}

const storedOf = rowReader<DecisionRow & { readonly shared?: string; readonly shared_text?: string }>({
  properties: { ...decisionHead, record: {}, shared: {}, shared_text: {} },
});

function decisionOf(row: Row): DecisionRow {
  const { shared, shared_text, ...stored } = storedOf(row);
  // Decisions of earlier versions share nothing.
  if (shared === undefined) return stored;
  return { ...stored, record: wholeOf(stored, shared_text ?? nothingShared) };
}

// A lost text hides what the decision shared, and not the decision.
const nothingShared = '{"input":{"context":{}}}';

function wholeOf({ at, decision_id, record }: DecisionRow, shared: string): string {
  const { context: own, ...about } = JSON.parse(record) as { readonly context: object };
  const whole = JSON.parse(shared) as { readonly input: { readonly context: object } };
  const { context } = whole.input;
  const columns = { time: at, decision_id };
  const held = Object.entries(columns).filter(([name]) => name in context);
  Object.assign(whole, about);
  Object.assign(context, Object.fromEntries(held), own);
  return JSON.stringify(whole);
}
