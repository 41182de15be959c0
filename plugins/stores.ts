import alerts from './alerts/store.ts';
import apiKeys from './api-keys/store.ts';
import approvals from './approvals/store.ts';
import budgets from './budgets/store.ts';
import consoleStore from './console/store.ts';
import ingestion from './ingestion/store.ts';
import ledger from './ledger/store.ts';
import marketplace from './marketplace/store.ts';
import models from './models/store.ts';
import observability from './observability/store.ts';
import observabilityHealth from './observability/health/store.ts';
import policy from './policy/store.ts';
import receipts from './receipts/store.ts';
import schedules from './schedules/store.ts';
import storedProviders from './stored-providers/store.ts';
import subscriptions from './subscriptions/store.ts';
import journal from './runtime/journal/store.ts';
import limits from './runtime/run/limits/store.ts';
import queue from './runtime/queue/store.ts';
import runtime from './runtime/store.ts';
import { provideAuthorModules } from '../kernel/boot/author-modules.ts';
import type { Operations, StoreModule } from '../kernel/store/contract.ts';

/**
 * The shipped store modules, which the threads of the store find by name. Kept by hand; a test compares it with the
 * folders. No module of the server is loaded here.
 */
export const builtinStores: readonly StoreModule<Operations, unknown>[] = [
  runtime,
  journal,
  queue,
  limits,
  alerts,
  apiKeys,
  approvals,
  budgets,
  consoleStore,
  ingestion,
  ledger,
  marketplace,
  models,
  observability,
  observabilityHealth,
  policy,
  receipts,
  schedules,
  storedProviders,
  subscriptions,
];

/** Lets store modules and engines from outside the tree import what authors may, in the thread that calls. */
export async function provideKit(): Promise<void> {
  const [surface, engine] = [await import('./kit/surface.ts'), await import('../kernel/engine.ts')];
  provideAuthorModules({ surface, engine, contracts: (await import('./contracts.ts')).contracts });
}
