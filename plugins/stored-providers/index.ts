import { storedProviderCommands } from './commands.ts';
import { providerFact } from './fact.ts';
import { adapterRoute } from './adapter-route.ts';
import { listRoute } from './list-route.ts';
import { orderCommands } from './order/commands.ts';
import { orderFact } from './order/fact.ts';
import { ProviderOrders } from './order/orders.ts';
import { orderRoutes } from './order/routes.ts';
import { ProviderKeeper, rowStates } from './keeper.ts';
import { problems } from './problems.ts';
import { addressRuleOf } from './refusals.ts';
import { providerRoutes } from './routes.ts';
import providerStore, { providerTopic } from './store.ts';
import { runtime, storedProviders } from '../runtime/contract.ts';
import { definePlugin, exactly, grouped, optional } from '../../kernel/index.ts';

const config = exactly({
  private_hosts: optional({
    type: 'array',
    maxItems: 100,
    default: [],
    description: 'Hosts with a private or local address that providers of the store may reach',
    items: exactly({
      host: { type: 'string', maxLength: 255, pattern: '^[a-z0-9_.:\\[\\]-]+$', description: 'Exact name or address' },
      port: optional({ type: 'integer', minimum: 1, maximum: 65_535, description: 'Default: every port of the host' }),
    }),
  }),
});

/** Keeps providers that operators put over the API: in the store, for all nodes, each change attested. */
export default definePlugin({
  name: 'stored-providers',
  config,
  problems,
  facts: [providerFact, orderFact],
  scopes: {
    'providers:manage': {
      title: 'Add, change and remove providers in the store, and change the order of providers',
      ...{ installation: true, keyAgain: true },
    },
  },
  requires: { runtime },
  provides: { stored_providers: storedProviders },
  commands: grouped(
    [{ name: 'providers', task: 'operate', summary: 'show, swap and change providers' }],
    [...storedProviderCommands, ...orderCommands],
  ),
  keeps: [
    { what: 'providers with their secrets, sealed', tables: ['stored_providers_rows'], advice: 'Remove a provider.' },
  ],
  store: providerStore,
  start({ clock, config: { private_hosts }, log, metrics, platform, services, store }) {
    const reads = store.reads(providerStore);
    const rule = addressRuleOf(private_hosts);
    const { runtime: serving } = services;
    const failures = metrics.counter(
      'orb_stored_provider_failures_total',
      'Providers in the store that could not be loaded, counted at each attempt',
    );
    const failed = (): void => failures.inc();
    const keeper = new ProviderKeeper({ clock, failed, log, platform, store, reads, rule, runtime: serving });
    metrics.collect('orb_stored_providers', `Providers in the store: ${rowStates.join(', ')}`, 'gauge', async () => {
      const rows = await keeper.rows();
      return rowStates.map((state) => ({ labels: { state }, value: rows.filter((row) => row.state === state).length }));
    });
    // An opening that takes longer goes on in the background; swaps know the provider before it.
    store.peers.follow(
      providerTopic,
      () => keeper.follow(),
      () => undefined,
    );
    return {
      services: { stored_providers: keeper },
      routes: [
        ...providerRoutes({ keeper, runtime: serving, sealer: store.sealer, installation: store.installation }),
        adapterRoute({ private_hosts, runtime: serving }),
        listRoute({ keeper, runtime: serving }),
        ...orderRoutes(new ProviderOrders({ clock, platform, store, reads, runtime: serving })),
      ],
    };
  },
});
