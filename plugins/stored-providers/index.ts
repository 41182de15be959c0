import { storedProviderCommands } from './commands.ts';
import { providerFact } from './fact.ts';
import { ProviderKeeper } from './keeper.ts';
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
  facts: [providerFact],
  scopes: {
    'providers:manage': {
      title: 'Add, change and remove the providers that are kept in the store',
      ...{ installation: true, keyAgain: true },
    },
  },
  requires: { runtime },
  provides: { stored_providers: storedProviders },
  commands: grouped(
    [{ name: 'providers', task: 'operate', summary: 'show, swap and change providers' }],
    storedProviderCommands,
  ),
  keeps: [
    { what: 'providers with their secrets, sealed', tables: ['stored_providers_rows'], advice: 'Remove a provider.' },
  ],
  store: providerStore,
  start({ clock, config: { private_hosts }, log, platform, services, store }) {
    const reads = store.reads(providerStore);
    const rule = addressRuleOf(private_hosts);
    const keeper = new ProviderKeeper({ clock, log, platform, store, reads, rule, runtime: services.runtime });
    // An opening that takes longer goes on in the background; swaps know the provider before it.
    store.peers.follow(
      providerTopic,
      () => keeper.follow(),
      () => undefined,
    );
    return {
      services: { stored_providers: keeper },
      routes: providerRoutes({ ...{ keeper, sealer: store.sealer, installation: store.installation }, ...services }),
    };
  },
});
