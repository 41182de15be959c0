import { defineStore, type Connection, type WriterScope } from '../../kernel/index.ts';
import { deliveryPart } from './deliveries/store.ts';
import { conflictColumns, deadLetterIndex, deliveryTables, digestIndex, dueIndex } from './deliveries/tables.ts';
import { deliveryClaim } from './deliveries/writing.ts';
import { requestPart, requestTable } from './incidents/requests/store.ts';
import { pruningIndexes } from './incidents/store/pruning.ts';
import { incidentPart, incidentTables, seenColumns, unresolvedIndex } from './incidents/store/store-part.ts';
import { outagePart, outageTable } from './incidents/watches/store.ts';
import { sourcePart } from './sources/store.ts';

/** The store of sources, deliveries, signals and incidents: it joins the parts of their folders. */
const ingestionStore = defineStore({
  name: 'ingestion',
  seals: ['sources', 'report-addresses'],
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
    ...[deliveryTables, incidentTables, unresolvedIndex, deadLetterIndex, `${requestTable}\n${outageTable}`],
    ...[dueIndex, pruningIndexes, seenColumns, conflictColumns, digestIndex],
  ],
  claims: [deliveryClaim],
  write: (scope: WriterScope) => ({
    operations: {
      ...deliveryPart.write(scope).operations,
      ...sourcePart.write(scope).operations,
      ...incidentPart.write(scope).operations,
      ...requestPart.write(scope).operations,
      ...outagePart.write(scope).operations,
    },
  }),
  read: (connection: Connection) => ({
    deliveries: deliveryPart.read(connection),
    sources: sourcePart.read(connection),
    incidents: { ...incidentPart.read(connection), ...requestPart.read(connection), ...outagePart.read(connection) },
  }),
});

export default ingestionStore;
