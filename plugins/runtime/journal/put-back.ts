import type { WriteConnection } from '../../../kernel/index.ts';

/** A run that waits again. Times are milliseconds since the Unix epoch. */
export interface Again {
  readonly run_id: string;
  readonly due_at: number;
  readonly turns: number;
  /** JSON. */
  readonly attempts: string;
  /** The time at which it was put back. */
  readonly now: number;
}

/** A line with runs that are due otherwise than was known. */
export interface MendedLine {
  readonly tenant: string;
  readonly orbiset_id: string;
}

/** Makes the writes of runs that wait again. */
export function waitingAgain(connection: WriteConnection) {
  const again = connection.prepare(
    `UPDATE queue_runs SET state = 'queued', node = NULL, incarnation = NULL, due_at = ?, turns = ?, attempts = ?,
       put_at = ? WHERE run_id = ?`,
  );
  // A time that the caller has named stands.
  const mend = connection.prepare(
    `UPDATE queue_runs SET due_at = CASE WHEN turns = 0 AND run_at > accepted_at THEN due_at ELSE ? END, put_at = ?
     WHERE state = 'queued' AND put_at > ? RETURNING tenant, orbiset_id`,
  );
  return {
    /** Puts a run back for another turn. */
    again({ run_id, due_at, turns, attempts, now }: Again): void {
      again.queue(due_at, turns, attempts, now, run_id);
    },
    /** Makes the runs due that were put into the queue after a time, by a clock that was ahead; answers their lines. */
    async mend({ now, after }: { readonly now: number; readonly after: number }): Promise<readonly MendedLine[]> {
      const rows = await mend.all(now, now, after);
      return rows.map((row) => ({ tenant: String(row['tenant']), orbiset_id: String(row['orbiset_id']) }));
    },
  };
}
