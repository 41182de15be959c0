import type { Connection, WriterScope } from '../../../../kernel/index.ts';
import type { StorePart } from '../../signals/signal.ts';
import { incidentReading, type IncidentReads } from './reading.ts';
import { incidentTables } from './tables.ts';
import { incidentWriting } from './writing.ts';

/** What incidents keep in the plugin's one store. */
export const incidentPart: StorePart<ReturnType<typeof incidentWriting>, IncidentReads> = {
  name: 'ingestion',
  migrations: [incidentTables],
  write: ({ connection }: WriterScope) => ({ operations: incidentWriting(connection) }),
  read: (connection: Connection) => incidentReading(connection),
};
