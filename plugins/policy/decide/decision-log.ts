import { mappedRow, textColumn, type Connection, type Row, type Value } from '../../../kernel/index.ts';

/** One row of the decision log; `record`: JSON text of the rest. */
export interface DecisionRow {
  readonly decision_id: string;
  readonly tenant: string;
  readonly at: string;
  readonly action: string;
  readonly allow: boolean;
  readonly orb_id: string;
  readonly principal: string;
  readonly revision: string | null;
  readonly run_id: string | null;
  readonly receipt_id: string | null;
  readonly record: string;
}

/** Which decisions are listed, newest first. */
export interface DecisionQuery {
  readonly tenant?: string;
  readonly action?: string;
  readonly allow?: boolean;
  readonly orb_id?: string;
  readonly principal?: string;
  readonly revision?: string;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly limit: number;
}

/** What can be read of the decision log. */
export interface DecisionReads {
  decision(id: string): DecisionRow | undefined;
  decisions(query: DecisionQuery): readonly DecisionRow[];
}

/** Makes the write operations of the decision log. */
export function writingDecisions(connection: Connection) {
  const decide = connection.prepare(
    'INSERT OR REPLACE INTO policy_decisions (decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const prune = connection.prepare(
    'DELETE FROM policy_decisions WHERE decision_id IN (SELECT decision_id FROM policy_decisions WHERE decision_id < max(?, coalesce((SELECT decision_id FROM policy_decisions ORDER BY decision_id DESC LIMIT 1 OFFSET ?), ?)) ORDER BY decision_id LIMIT ?)',
  );
  return {
    decide(row: DecisionRow): null {
      const { decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record } = row;
      const head = [decision_id, tenant, at, action, allow ? 1 : 0, orb_id, principal] as const;
      decide.run(...head, revision, run_id, receipt_id, record);
      return null;
    },
    /** Forgets decisions made before an id or beyond a number, the oldest first, `most` at once; answers how many. */
    prune: ({
      before,
      rows,
      most,
    }: {
      readonly before: string;
      readonly rows: number;
      readonly most: number;
    }): number => prune.run(before, rows - 1, before, most),
  };
}

/** Makes the reads of the decision log. */
export function readingDecisions(connection: Connection): DecisionReads {
  const decision = connection.prepare('SELECT * FROM policy_decisions WHERE decision_id = ?');
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  return {
    decision: (id) => mappedRow(decision.get(id), decisionOf),
    decisions({ after = afterAll, limit, ...wanted }) {
      const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
      const where = given.map(([name]) => `AND ${conditions[name as keyof typeof conditions]}`).join(' ');
      const sql = `SELECT * FROM policy_decisions WHERE decision_id < ? ${where} ORDER BY decision_id DESC LIMIT ?`;
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      const values = given.map(([, value]) => (typeof value === 'boolean' ? Number(value) : value));
      return statement.all(after, ...values, limit).map(decisionOf);
    },
  };
}

// The whole of what may be asked for; the words of a query never reach the statement.
const conditions = {
  tenant: 'tenant = ?',
  action: 'action = ?',
  allow: 'allow = ?',
  orb_id: 'orb_id = ?',
  principal: 'principal = ?',
  revision: 'revision = ?',
  from: 'at >= ?',
  to: 'at < ?',
} as const;

// Greater than every decision id.
const afterAll = 'dec_~';

function decisionOf(row: Row): DecisionRow {
  const optional = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);
  return {
    decision_id: textColumn(row['decision_id']),
    tenant: textColumn(row['tenant']),
    at: textColumn(row['at']),
    action: textColumn(row['action']),
    allow: row['allow'] === 1,
    orb_id: textColumn(row['orb_id']),
    principal: textColumn(row['principal']),
    revision: optional(row['revision']),
    run_id: optional(row['run_id']),
    receipt_id: optional(row['receipt_id']),
    record: textColumn(row['record']),
  };
}
