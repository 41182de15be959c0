import { mappedRow, rowReader, type Answered, type Connection, type Exactly } from '../../../kernel/index.ts';
import { decisionHead } from '../shapes.ts';

/** One row of the decision log; `record`: JSON text of the remaining members. */
export type DecisionRow = Omit<Answered<Exactly<typeof decisionHead>>, 'action'> & {
  readonly action: string;
  readonly record: string;
};

/** Filter for listing decisions, newest first. */
export type DecisionQuery = { readonly [K in keyof typeof conditions]?: string | boolean | undefined } & {
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Read operations of the decision log. */
export type DecisionReads = ReturnType<typeof readingDecisions>;

/** Makes the write operations of the decision log. */
export function writingDecisions(connection: Connection) {
  const decide = connection.prepare(
    'INSERT OR REPLACE INTO policy_decisions (decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const prune = connection.prepare(
    'DELETE FROM policy_decisions WHERE decision_id IN (SELECT decision_id FROM policy_decisions WHERE decision_id < max(?, coalesce((SELECT decision_id FROM policy_decisions ORDER BY decision_id DESC LIMIT 1 OFFSET ?), ?)) ORDER BY decision_id LIMIT ?)',
  );
  return {
    decide(row: { readonly [K in keyof DecisionRow]-?: DecisionRow[K] | null }): null {
      const { decision_id, tenant, at, action, allow, orb_id, principal, revision, run_id, receipt_id, record } = row;
      const head = [decision_id, tenant, at, action, allow ? 1 : 0, orb_id, principal] as const;
      decide.run(...head, revision, run_id, receipt_id, record);
      return null;
    },
    /** Deletes decisions before an id or beyond the newest `rows`, oldest first, at most `most`; returns how many. */
    prune: ({ before, rows, most }: Record<'rows' | 'most', number> & { readonly before: string }): number =>
      prune.run(before, rows - 1, before, most),
  };
}

/** Makes the read operations of the decision log. */
export function readingDecisions(connection: Connection) {
  const decision = connection.prepare('SELECT * FROM policy_decisions WHERE decision_id = ?');
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  return {
    decision: (id: string): DecisionRow | undefined => mappedRow(decision.get(id), decisionOf),
    decisions({ after = afterAll, limit, ...wanted }: DecisionQuery): readonly DecisionRow[] {
      const given = Object.entries(wanted).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      const where = given.map(([name]) => `AND ${conditions[name as keyof typeof conditions]}`).join(' ');
      const sql = `SELECT * FROM policy_decisions WHERE decision_id < ? ${where} ORDER BY decision_id DESC LIMIT ?`;
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.set(sql, statement);
      const values = given.map(([, value]) => (typeof value === 'boolean' ? Number(value) : value));
      return statement.all(after, ...values, limit).map(decisionOf);
    },
  };
}

// All filters that a query may use; text of a query never becomes part of the SQL statement.
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

// Sorts after every decision id.
const afterAll = 'dec_~';

const decisionOf = rowReader<DecisionRow>({ properties: { ...decisionHead, record: { type: 'string' } } });
