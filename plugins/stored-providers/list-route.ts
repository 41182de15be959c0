import type { ProviderKeeper } from './keeper.ts';
import { origin, originOf, type Runtime } from '../runtime/contract.ts';
import { defineRoute, exactly, optional, type Route } from '../../kernel/index.ts';

/** Schema of all providers by name. */
export const configuredProviders = exactly('ConfiguredProviders', {
  providers: {
    type: 'array',
    description: 'By name',
    items: exactly('ConfiguredProvider', {
      name: { type: 'string', description: 'Name of the provider' },
      adapter: { type: 'string', description: 'Name of the adapter' },
      capability: { type: 'string', description: 'Name of the capability; empty if the adapter is not there' },
      origin,
      active_for: { type: 'array', description: 'Orbs that it serves now', items: { type: 'string' } },
      fault: optional({ type: 'string', description: 'Why it cannot be loaded and does not serve' }),
      also_stored: {
        type: 'boolean',
        description: 'Whether the store has one with the name of this one of the file; that one is not used',
      },
    }),
  },
});

/** The dependencies of the route. */
interface ListRouteOptions {
  readonly keeper: ProviderKeeper;
  readonly runtime: Pick<Runtime, 'desk'>;
}

/** Answers `GET /providers/-/configured`: each provider of the file and of the store, also one that no Orb uses. */
export const listRoute = ({ keeper, runtime }: ListRouteOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/providers/-/configured',
    operationId: 'listConfiguredProviders',
    service: 'runtime',
    scope: 'providers:read',
    summary: 'List the providers of platform.json and of the store by name',
    response: configuredProviders,
    handle: async () => {
      const desk = runtime.desk();
      const rows = await keeper.rows();
      const hidden = new Set(rows.filter(({ state }) => state === 'in_file').map(({ row }) => row.name));
      const used = desk.providers.map((provider) => ({
        ...{ name: provider.name, adapter: provider.adapter.name, capability: provider.adapter.capability },
        ...{ origin: originOf(provider), active_for: [...desk.servedBy(provider.name)] },
        also_stored: hidden.has(provider.name),
      }));
      const failed = rows.flatMap(({ fault = 'this server has not loaded it yet', row: { adapter, name }, state }) => {
        const { capability = '' } = desk.adapters.find((one) => one.name === adapter) ?? {};
        const one = { name, adapter, capability, origin: 'store' as const, active_for: [], also_stored: false, fault };
        return state === 'failed' ? [one] : [];
      });
      return { providers: [...used, ...failed].sort((one, other) => (one.name < other.name ? -1 : 1)) };
    },
  });
