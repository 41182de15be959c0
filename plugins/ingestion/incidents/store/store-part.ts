import type { Connection, WriterScope } from '../../../../kernel/index.ts';
import { incidentReading } from './reading.ts';
import { incidentTables } from './tables.ts';
import { incidentWriting } from './writing.ts';

/** What incidents keep in the plugin's one store. */
export const incidentPart = {
  name: 'ingestion',
  migrations: [incidentTables],
  write: ({ connection }: WriterScope) => ({ operations: incidentWriting(connection) }),
  read: (connection: Connection) => incidentReading(connection),
} as const;
