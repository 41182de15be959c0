import type { Principal } from '../../../kernel/index.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { admitsOrb, admitsProvider, orbisetOf } from '../catalog/orbiset.ts';
import type { MeterPort, ModelPrice } from '../facts/metering.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { Slot } from '../provider/binding.ts';

/** A model that callers can name. */
export interface ModelView {
  /** The name that callers use. */
  readonly name: string;
  /** The providers that serve it, the first one first. */
  readonly providers: readonly string[];
  /** Lists what it costs today at each of them that has a price. */
  prices(): readonly PricedProvider[];
}

/** What a model costs at a provider. */
export interface PricedProvider extends ModelPrice {
  readonly provider: string;
}

/** The models of an Orb for one caller. */
export interface Models {
  list(): readonly ModelView[];
  /** Says whether a provider lists a name or takes names that it does not list; true without any provider. */
  admits(model: string): boolean;
}

/** Finds the models of an Orb in an Orbiset, of the providers that a run of the caller can use. Throws 404 `orbiset_not_found`. */
export type ModelsOf = (orbId: string, orbisetId: string, principal: Principal) => Models;

type Provider = Slot['provider'];

/** Creates what lists models. Without a meter no model has a price. */
export function createModelsOf(
  catalog: Catalog,
  bindings: Pick<Bindings, 'find'>,
  meter: Pick<MeterPort, 'priceOf'> | undefined,
): ModelsOf {
  return (orbId, orbisetId, principal) => {
    const orbiset = orbisetOf(catalog.orbisets, orbisetId, principal);
    const order = admitsOrb(orbiset, orbId) ? (bindings.find(orbId)?.order ?? []) : [];
    // As a run is accepted: the first provider says whether runs of a live key are served in the sandbox.
    const sandbox = principal.mode === 'test' || order[0]?.provider.adapter.sandbox === true;
    const serving = order
      .map(({ provider }) => provider)
      .filter(({ name, adapter }) => adapter.sandbox === sandbox && admitsProvider(orbiset, name));
    return {
      list: () => viewsOf(serving, meter),
      admits: (model) =>
        serving.length === 0 ||
        serving.some(({ config }) => {
          const models = modelsIn(config);
          return models === undefined || Object.hasOwn(models, model);
        }),
    };
  };
}

function viewsOf(serving: readonly Provider[], meter: Pick<MeterPort, 'priceOf'> | undefined): readonly ModelView[] {
  const found = new Map<string, Provider[]>();
  for (const provider of serving)
    for (const model of Object.keys(modelsIn(provider.config) ?? {}))
      found.set(model, [...(found.get(model) ?? []), provider]);
  return [...found].map(([name, providers]) => ({
    name,
    providers: providers.map((provider) => provider.name),
    prices: () => pricesOf(name, providers, meter),
  }));
}

function pricesOf(
  alias: string,
  providers: readonly Provider[],
  meter: Pick<MeterPort, 'priceOf'> | undefined,
): readonly PricedProvider[] {
  return providers.flatMap(({ name: provider, adapter, config }) => {
    const price = meter?.priceOf(alias, { provider, adapter: adapter.name, config });
    return price === undefined ? [] : [{ provider, ...price }];
  });
}

/** Says whether the settings of a provider list a name of a model. */
export function listsModel({ config }: Pick<Provider, 'config'>, model: string): boolean {
  return Object.hasOwn(modelsIn(config) ?? {}, model);
}

// Adapters of models take their names in the setting `models`; without it callers use those of the vendor.
function modelsIn(config: unknown): object | undefined {
  const { models } = (config ?? {}) as { readonly models?: unknown };
  return typeof models === 'object' && models !== null ? models : undefined;
}
