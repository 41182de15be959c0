/** A provider of a call. */
export interface CallProvider {
  readonly provider: string;
  readonly adapter: string;
  /** Its configuration, which the adapter has checked. */
  readonly config?: unknown;
}

/** A provider that may serve a model, and what it says of it. */
export interface Candidate<Settings> extends Pick<CallProvider, 'provider' | 'adapter'> {
  /** The name that it asks its vendor for. */
  readonly model: string;
  readonly settings: Partial<Settings>;
}

type Written<Settings> = Readonly<Record<string, (Partial<Settings> & { readonly name?: string }) | string>>;

/**
 * Lists the providers that may serve an alias, with the model that each asks for. A provider that names its models, and not
 * this one, is passed over; one that names none takes the alias for the model.
 */
export function candidatesFor<Settings extends object>(
  alias: string,
  providers: readonly CallProvider[],
): readonly Candidate<Settings>[] {
  return providers.flatMap(({ adapter, config, provider }): readonly Candidate<Settings>[] => {
    const { models } = (config ?? {}) as { readonly models?: Written<Settings> };
    if (models === undefined) return [{ adapter, provider, model: alias, settings: {} }];
    const written = Object.hasOwn(models, alias) ? models[alias] : undefined;
    if (written === undefined) return [];
    if (typeof written === 'string') return [{ adapter, provider, model: written, settings: {} }];
    return [{ adapter, provider, model: written.name ?? alias, settings: written }];
  });
}
