import {
  after,
  createListeners,
  createSerial,
  definePlugin,
  PlatformError,
  whenKnown,
  grouped,
} from '../../kernel/index.ts';
import { principals } from '../api-keys/contract.ts';
import { reputation, certificateRegister, namespaceFact, standingFact } from '../ledger/contract.ts';
import { pages } from '../pages/contract.ts';
import { listings as listingsService } from './contract.ts';
import { ListingIndex } from './listing/listing-index.ts';
import { marketplaceCommands } from './commands.ts';
import { listRoutes } from './listing/list-routes.ts';
import { namespaceRoutes } from './namespaces/namespace-routes.ts';
import { pageRoutes } from './page/routes.ts';
import { publishRoute } from './publish/publish-route.ts';
import { grantShipped } from './namespaces/namespaces.ts';
import { statusRoute } from './publish/status-change.ts';
import { problems } from './problems.ts';
import type { MarketScope } from './scope.ts';
import marketplaceStore, { listingTopic } from './store.ts';
import { runtime } from '../runtime/contract.ts';

/** Lists Orbs with the data that the ledger holds about them: publishing, namespaces and the public pages. */
export default definePlugin({
  name: 'marketplace',
  facts: [standingFact, namespaceFact],
  requires: { reputation, certificateRegister, principals, runtime },
  uses: { pages },
  provides: { listings: listingsService },
  problems,
  scopes: {
    'marketplace:publish': { title: "Publish, deprecate and yank Orbs in the tenant's namespaces", keyAgain: true },
    'namespaces:manage': { title: 'Grant and revoke namespaces', installation: true },
  },
  commands: grouped(
    [
      { name: 'marketplace', task: 'build', summary: 'find and publish Orbs' },
      { name: 'namespaces', task: 'build', summary: 'manage the namespaces of Orbs' },
    ],
    marketplaceCommands,
  ),
  store: marketplaceStore,
  start(given) {
    const { services, store, hooks, log } = given;
    const listeners = createListeners((err) => log.error({ err }, 'a listener of listing changes failed'));
    const reads = store.reads(marketplaceStore);
    const listings = new ListingIndex(reads, services.reputation, listeners);
    store.peers.follow(listingTopic, () => listings.changed());
    const scope: MarketScope = { ...given, ...services, listings, reads, serial: createSerial() };
    const granting = grantingShipped(scope);
    hooks.ready.tap('marketplace', granting.run);
    return {
      services: {
        listings: { statuses: () => whenKnown(listings.now(), ({ statuses }) => statuses), onChange: listeners.add },
      },
      routes: [
        ...listRoutes(scope),
        publishRoute(scope),
        statusRoute(scope),
        ...namespaceRoutes(scope),
        ...pageRoutes(scope),
      ],
      stop() {
        granting.stop();
        listings.close();
      },
    };
  },
});

const againMs = 10_000;

// The ledger is not ready at the first start; grant the shipped namespaces when it is.
function grantingShipped(scope: MarketScope) {
  let stop = (): void => undefined;
  const failed = (err: unknown): void =>
    scope.log.error({ err }, 'the server could not grant the namespaces of the shipped Orbs');
  const run = async (): Promise<void> => {
    await grantShipped(scope).catch((error: unknown) => {
      if (!passes(error, scope)) throw error;
      stop = after(againMs, run, failed);
    });
  };
  return { run, stop: () => stop() };
}

// Of several nodes the one that folds the log may have died a moment ago: another one takes its place.
function passes(error: unknown, { store }: Pick<MarketScope, 'store'>): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.code === 'ledger_behind' || (store.shared && error.code === 'storage_unavailable');
}
