import { createSerial, definePlugin } from '../../kernel/index.ts';
import { principals } from '../api-keys/contract.ts';
import { reputation, certificateRegister, namespaceFact, standingFact } from '../ledger/contract.ts';
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
import marketplaceStore from './store.ts';

/** Lists Orbs with the data that the ledger holds about them: publishing, namespaces and the public pages. */
export default definePlugin({
  name: 'marketplace',
  facts: [standingFact, namespaceFact],
  requires: { reputation, certificateRegister, principals },
  problems,
  scopes: {
    'marketplace:publish': { title: "Publish, deprecate and yank Orbs in the tenant's namespaces" },
    'namespaces:manage': { title: 'Grant and revoke namespaces', installation: true },
  },
  commands: marketplaceCommands,
  store: marketplaceStore,
  start(given) {
    const { services, store, hooks } = given;
    const listings = new ListingIndex(store.reads(marketplaceStore), services.reputation);
    const scope: MarketScope = { ...given, ...services, listings, serial: createSerial() };
    hooks.ready.tap('marketplace', () => grantShipped(scope));
    return {
      routes: [
        ...listRoutes(scope),
        publishRoute(scope),
        statusRoute(scope),
        ...namespaceRoutes(scope),
        ...pageRoutes(scope),
      ],
      stop: () => listings.close(),
    };
  },
});
