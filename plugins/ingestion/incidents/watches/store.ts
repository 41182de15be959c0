import {
  queriesOf,
  replacing,
  rowReader,
  rowWriter,
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

const columns = ['subject', 'incarnation', 'state', 'at_ms', 'reason'] as const;

/** Makes the named writes of measured outages. */
function outageWrites(connection: WriteConnection) {
  const note = rowWriter(connection, 'ingestion_outages', columns, replacing(['subject', 'incarnation'], columns));
  const forget = connection.prepare('DELETE FROM ingestion_outages WHERE incarnation = ?');
  return {
    noteOutage: (measured: MeasuredOutage): void => note(measured),
    /** Deletes what processes measured that have ended. */
    forgetOutages({ incarnations }: { readonly incarnations: readonly string[] }): void {
      for (const incarnation of incarnations) forget.queue(incarnation);
    },
  };
}

/** Prepares the reads of measured outages. */
function outageReads(connection: Connection) {
  const { list } = queriesOf(connection);
  const select = `SELECT ${columns.join(', ')} FROM ingestion_outages ORDER BY subject, incarnation`;
  const row = rowReader<MeasuredOutage>({ properties: Object.fromEntries(columns.map((name) => [name, {}])) });
  return { outages: list<MeasuredOutage, []>(select, row) };
}

/** Reads of measured outages. */
export type OutageReads = AwaitableReads<ReturnType<typeof outageReads>>;

/** The part of the plugin's store that holds measured outages. */
export const outagePart = {
  name: 'ingestion',
  write: ({ connection }: WriterScope) => ({ operations: outageWrites(connection) }),
  read: outageReads,
} as const;
