import {
  queriesOf,
  rowReader,
  type AwaitableReads,
  type Connection,
  type WriteConnection,
  type WriterScope,
} from '../../../../kernel/index.ts';
import type { OutageEvent } from './outage.ts';

/** The table of the outages that each node measures, where several serve. */
export const outageTable = `CREATE TABLE ingestion_outages (
  subject TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  state TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (subject, incarnation)
) STRICT, WITHOUT ROWID;`;

/** What one process measured of an Orb, or of all Orbs (`*`); `at_ms`: when it began, or when it was over. */
export interface MeasuredOutage extends OutageEvent {
  readonly incarnation: string;
}

/** Makes the named writes of measured outages. */
export function outageWrites(connection: WriteConnection) {
  const note = connection.prepare(
    `INSERT INTO ingestion_outages (subject, incarnation, state, at_ms, reason) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (subject, incarnation) DO UPDATE SET state = excluded.state, at_ms = excluded.at_ms, reason = excluded.reason`,
  );
  const forget = connection.prepare('DELETE FROM ingestion_outages WHERE incarnation = ?');
  return {
    noteOutage({ subject, incarnation, state, at_ms, reason }: MeasuredOutage): null {
      note.queue(subject, incarnation, state, at_ms, reason);
      return null;
    },
    /** Deletes what processes measured that have ended. */
    forgetOutages({ incarnations }: { readonly incarnations: readonly string[] }): null {
      for (const incarnation of incarnations) forget.queue(incarnation);
      return null;
    },
  };
}

/** Prepares the reads of measured outages. */
export function outageReads(connection: Connection) {
  const { list } = queriesOf(connection);
  const row = rowReader<MeasuredOutage>({
    properties: { subject: {}, incarnation: {}, state: {}, at_ms: {}, reason: {} },
  });
  return {
    outages: list<MeasuredOutage, []>(
      'SELECT subject, incarnation, state, at_ms, reason FROM ingestion_outages ORDER BY subject, incarnation',
      row,
    ),
  };
}

/** Reads of measured outages. */
export type OutageReads = AwaitableReads<ReturnType<typeof outageReads>>;

/** The part of the plugin's store that holds measured outages. */
export const outagePart = {
  name: 'ingestion',
  write: ({ connection }: WriterScope) => ({ operations: outageWrites(connection) }),
  read: outageReads,
} as const;
