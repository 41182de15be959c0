import * as apiKeys from './api-keys/contract.ts';
import * as approvals from './approvals/contract.ts';
import * as budgets from './budgets/contract.ts';
import * as ingestion from './ingestion/contract.ts';
import * as ledger from './ledger/contract.ts';
import * as marketplace from './marketplace/contract.ts';
import * as observability from './observability/contract.ts';
import * as openapi from './openapi/contract.ts';
import * as operate from './operate/contract.ts';
import * as pages from './pages/contract.ts';
import * as policy from './policy/contract.ts';
import * as receipts from './receipts/contract.ts';
import * as rowMarks from './row-marks/contract.ts';
import * as runtime from './runtime/contract.ts';
import * as terminal from './terminal/contract.ts';

/** The contracts of shipped plugins, for every thread that runs external code: a test compares it with the folders. */
export const contracts: Readonly<Record<string, object>> = Object.freeze({
  'api-keys': apiKeys,
  approvals,
  budgets,
  ingestion,
  ledger,
  marketplace,
  observability,
  openapi,
  operate,
  pages,
  policy,
  receipts,
  'row-marks': rowMarks,
  runtime,
  terminal,
});
