import apiKeys from '../../plugins/api-keys/store.ts';
import consoleStore from '../../plugins/console/store.ts';
import ingestion from '../../plugins/ingestion/store.ts';
import ledger from '../../plugins/ledger/store.ts';
import marketplace from '../../plugins/marketplace/store.ts';
import observability from '../../plugins/observability/store.ts';
import policy from '../../plugins/policy/store.ts';
import receipts from '../../plugins/receipts/store.ts';
import schedules from '../../plugins/schedules/store.ts';
import subscriptions from '../../plugins/subscriptions/store.ts';
import journal from '../runtime/journal/store.ts';
import limits from '../runtime/run/limits/store.ts';
import queue from '../runtime/queue/store.ts';
import runtime from '../runtime/store.ts';
import type { Operations, StoreModule } from './contract.ts';

/**
 * The shipped store modules, which the writer thread finds by name. Kept by hand; a test compares it with the folders.
 */
export const builtinStores: readonly StoreModule<Operations, unknown>[] = [
  runtime,
  journal,
  queue,
  limits,
  apiKeys,
  consoleStore,
  ingestion,
  ledger,
  marketplace,
  observability,
  policy,
  receipts,
  schedules,
  subscriptions,
];

/** Loads the contracts of the shipped plugins: in a thread, only external code needs them. */
export const builtinContracts = async (): Promise<Readonly<Record<string, object>>> =>
  (await import('../../plugins/contracts.ts')).contracts;
