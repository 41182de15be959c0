import type { Catalog } from '../../../catalog/catalog.ts';
import type { Bindings } from '../../../provider/bindings.ts';
import type { Named, SearchSource } from './source.ts';

/** Makes what is found of the runtime itself: Orbs, Orbisets and providers. */
export function ownSources({ orbs, orbisets }: Catalog, bindings: Pick<Bindings, 'all'>): readonly SearchSource[] {
  return [
    {
      kind: 'orb',
      scope: 'orbs:read',
      list: () => [...orbs.values()].map(({ orb_id: id, manifest: { title: name } }) => ({ id, name })),
    },
    {
      kind: 'orbiset',
      scope: 'orbs:read',
      list: ({ scopes, tenant }) =>
        [...orbisets.values()].filter((one) => scopes.includes('*') || one.tenant === tenant).map(({ id }) => ({ id })),
    },
    { kind: 'provider', scope: 'providers:read', list: () => providersOf(bindings) },
  ];
}

function providersOf(bindings: Pick<Bindings, 'all'>): readonly Named[] {
  const found = new Map<string, Named>();
  for (const { order } of bindings.all())
    for (const { provider } of order)
      found.set(provider.name, { id: provider.name, name: `${provider.name} (${provider.adapter.name})` });
  return [...found.values()];
}
