import * as apiKeys from '../../plugins/api-keys/contract.ts';
import * as ingestion from '../../plugins/ingestion/contract.ts';
import * as ledger from '../../plugins/ledger/contract.ts';
import * as marketplace from '../../plugins/marketplace/contract.ts';
import * as observability from '../../plugins/observability/contract.ts';
import * as pages from '../../plugins/pages/contract.ts';
import * as policy from '../../plugins/policy/contract.ts';
import * as receipts from '../../plugins/receipts/contract.ts';

/** The contracts of shipped plugins, for every thread that runs external code: a test compares it with the folders. */
export const contracts: Readonly<Record<string, object>> = Object.freeze({
  'api-keys': apiKeys,
  ingestion,
  ledger,
  marketplace,
  observability,
  pages,
  policy,
  receipts,
});
