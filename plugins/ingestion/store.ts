import { defineStore, type Connection, type WriterScope } from '../../kernel/index.ts';
import { incidentPart } from './incidents/store/store-part.ts';
import { ledgerReading } from './deliveries/reading.ts';
import { ledgerTables } from './deliveries/tables.ts';
import { ledgerWriting } from './deliveries/writing.ts';
import { sourceReading, sourceWriting } from './sources/store.ts';

/** The store of sources, deliveries and signals. */
const ingestionStore = defineStore({
  name: 'ingestion',
  seals: ['sources'],
  migrations: [ledgerTables, ...incidentPart.migrations],
  write: (scope: WriterScope) => ({
    operations: { ...ledgerWriting(scope), ...sourceWriting(scope), ...incidentPart.write(scope).operations },
  }),
  read: (connection: Connection) => ({
    ledger: ledgerReading(connection),
    sources: sourceReading(connection),
    incidents: incidentPart.read(connection),
  }),
});

export default ingestionStore;
