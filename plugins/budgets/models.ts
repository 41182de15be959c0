import type { ModelBounds } from './ask.ts';
import type { Candidate } from './demand.ts';

/** What the configuration of a provider says of its models, as far as budgets look at it. */
interface WrittenModel extends ModelBounds {
  readonly name?: string;
}

/** A provider of a call. */
export interface CallProvider {
  readonly provider: string;
  readonly adapter: string;
  /** Its configuration, which the adapter has checked. */
  readonly config: unknown;
}

type Written = Readonly<Record<string, WrittenModel | string>>;

/**
 * Lists the providers that may serve an alias, with the model that each asks for. A provider that names its models, and not
 * this one, is passed over; one that names none takes the alias for the model.
 */
export function candidatesFor(alias: string, providers: readonly CallProvider[]): readonly Candidate[] {
  return providers.flatMap(({ adapter, config, provider }) => {
    const { models } = (config ?? {}) as { readonly models?: Written };
    if (models === undefined) return [{ adapter, provider, model: alias, bounds: {} }];
    const written = Object.hasOwn(models, alias) ? models[alias] : undefined;
    if (written === undefined) return [];
    const { name = alias, ...bounds } = typeof written === 'string' ? { name: written } : written;
    return [{ adapter, provider, model: name, bounds }];
  });
}
