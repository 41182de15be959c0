import {
  queriesOf,
  rowReader,
  timesBetween,
  type Answered,
  type Connection,
  type Exactly,
  type Page,
} from '../../../kernel/index.ts';
import { decisionHead } from '../shapes.ts';

/** One row of the decision log; `record`: JSON text of the remaining members. */
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

/** Indexes of the decision log, for its lists. */
export const decisionIndexes = `
CREATE INDEX policy_decisions_by_tenant ON policy_decisions (tenant, decision_id);
CREATE INDEX policy_decisions_denied ON policy_decisions (decision_id) WHERE allow = 0;
`;

/** Makes the read operations of the decision log. */
export function readingDecisions(connection: Connection) {
  const { find, pages } = queriesOf(connection);
  const newest = pages({ select: '*', table: 'policy_decisions', id: 'decision_id', read: decisionOf });
  return {
    decision: find('SELECT * FROM policy_decisions WHERE decision_id = ?', decisionOf),
    /** Lists decisions, newest first. */
    decisions({ after, limit, tenant, allow, from, to, ...wanted }: DecisionQuery): Page<DecisionRow> {
      const { tried, ...bounds } = timesBetween('dec', 'at', { from, to });
      const denied = { where: 'allow = 0', values: allow === false ? [] : undefined };
      const { action, orb_id, principal, revision } = wanted;
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
        ...{ ...bounds, before: after, limit },
      });
    },
  };
}

const decisionOf = rowReader<DecisionRow>({ properties: { ...decisionHead, record: { type: 'string' } } });
