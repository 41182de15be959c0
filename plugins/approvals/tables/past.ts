import { queriesOf, type Connection, type Row } from '../../../kernel/index.ts';

/** States of an approval. `open`: it waits for decisions; in any other it changes no more. */
export const approvalStates = ['open', 'approved', 'refused', 'expired', 'cancelled'] as const;

/** A state of an approval. */
export type State = (typeof approvalStates)[number];

/** An approval in the past of another one. */
export interface Past {
  readonly approval_id: string;
  readonly state: State;
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number;
}

/** How many approvals are in a state. */
interface Outcomes {
  readonly state: State;
  readonly approvals: number;
}

// Only the operations of the store write the table.
const pastOf = (row: Row): Past => row as unknown as Past;

/** Makes the reads of what came before an approval. */
export function readPast(connection: Connection) {
  const { list } = queriesOf(connection);
  return {
    /** Lists the newest approvals of an Orb and a requester, at most 200. */
    similar: list<Past, [orbId: string, requester: string]>(
      `SELECT approval_id, state, created_at FROM approvals_approvals WHERE orb_id = ? AND requester = ?
       ORDER BY approval_id DESC LIMIT 200`,
      pastOf,
    ),
    /** Counts how other approvals of an Orb that were opened for the same reasons ended, of the newest 1,000. */
    outcomes: list<Outcomes, [tenant: string, orbId: string, reasons: string, since: number, but: string]>(
      `SELECT state, count(*) AS approvals FROM (
         SELECT state FROM approvals_approvals WHERE tenant = ? AND orb_id = ? AND reasons = ? AND created_at >= ?
           AND approval_id <> ? ORDER BY created_at DESC LIMIT 1000
       ) AS newest GROUP BY state`,
      ({ state, approvals }) => ({ state: state as State, approvals: Number(approvals) }),
    ),
  };
}
