import { defineStore, type Connection, type WriterScope } from '../../kernel/index.ts';
import { digestIndex } from './incidents/store/last-words.ts';
import { incidentPart } from './incidents/store/store-part.ts';
import { deliveryReading } from './deliveries/reading.ts';
import { conflictColumns, deadLetterIndex, deliveryTables, dueIndex } from './deliveries/tables.ts';
import { deliveryClaim, deliveryWriting } from './deliveries/writing.ts';
import { sourceReading, sourceWriting } from './sources/store.ts';

/** The store of sources, deliveries and signals. */
const ingestionStore = defineStore({
  name: 'ingestion',
  seals: ['sources'],
  opens: [
    {
      table: 'ingestion_secrets',
      purpose: 'sources',
      what: 'secret of the source',
      rows: `SELECT source_id AS name, sealed FROM ingestion_secrets WHERE length(sealed) > 0
        ORDER BY source_id, version`,
    },
  ],
  // In the order in which they came: a new one is the last.
  migrations: [
    deliveryTables,
    ...incidentPart.migrations.slice(0, 2),
    deadLetterIndex,
    ...incidentPart.migrations.slice(2, 3),
    dueIndex,
    ...incidentPart.migrations.slice(3),
    conflictColumns,
    digestIndex,
  ],
  claims: [deliveryClaim],
  write: (scope: WriterScope) => ({
    operations: { ...deliveryWriting(scope), ...sourceWriting(scope), ...incidentPart.write(scope).operations },
  }),
  read: (connection: Connection) => ({
    deliveries: deliveryReading(connection),
    sources: sourceReading(connection),
    incidents: incidentPart.read(connection),
  }),
});

export default ingestionStore;
