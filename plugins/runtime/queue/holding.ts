import { queriesOf, type Connection, type WriteConnection } from '../../../kernel/index.ts';

/** Makes the writes of runs that wait for people; `held` stays until they have approved the run, whoever claims it. */
export function holding(connection: WriteConnection) {
  const goOn = connection.prepare(
    `UPDATE queue_runs SET state = 'queued', held = 0, due_at = CASE WHEN run_at > ? THEN run_at ELSE ? END,
       expires_at = expires_at + ? - put_at, put_at = ? WHERE run_id = ? AND state = 'held'`,
  );
  const hold = connection.prepare(
    `UPDATE queue_runs SET state = 'held', held = 1, approval = ?, holds = holds + 1, node = NULL, incarnation = NULL,
       put_at = ?, due_at = ? WHERE run_id = ? AND state = 'claimed'`,
  );
  return {
    /** Lets a held run go on; its time to wait for its turn begins then. Fails when it is not held. */
    goOn({ run_id, now }: { readonly run_id: string; readonly now: number }): void {
      goOn.must(now, now, now, now, run_id);
    },
    /** Holds a claimed run again, for another approval. */
    hold({ run_id, approval, now, expires_at }: Held): void {
      hold.must(approval, now, expires_at, run_id);
    },
  };
}

/** A claimed run that is held again, for an approval. Times are milliseconds since the Unix epoch. */
export interface Held {
  readonly run_id: string;
  readonly approval: string;
  readonly now: number;
  /** When the approval expires. */
  readonly expires_at: number;
}

/** Makes the reads of runs that wait for people. */
export function heldReads(connection: Connection) {
  return {
    /** Lists held runs whose approvals have expired. */
    expiredHeld: queriesOf(connection).list<string, [now: number, limit: number]>(
      "SELECT run_id FROM queue_runs WHERE state = 'held' AND due_at <= ? ORDER BY due_at LIMIT ?",
      ({ run_id }) => String(run_id),
    ),
  };
}
