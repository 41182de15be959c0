import type { ConfiguredProviders } from './binding.ts';
import { originOf } from './stored.ts';
import { canonical, digest, holds, similarTo, unfit, type Config, type Principal } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** What a provider is looked for, and by whom; without a caller it is the operator. */
interface AskedFor {
  readonly capability?: string;
  readonly caller?: Principal | undefined;
}

const mostNamed = 20;

/** The configured providers; a reload replaces them. */
export class KnownProviders {
  now: ConfiguredProviders;

  constructor(configured: ConfiguredProviders) {
    this.now = configured;
  }

  /** Finds what the inputs of a capability mean, as the first of its adapters that says it. */
  inputsOf(capability: string): Readonly<Record<string, string>> {
    const adapters = [...this.now.providers.values()].map(({ adapter }) => adapter);
    return adapters.find((adapter) => adapter.capability === capability && adapter.inputs !== undefined)?.inputs ?? {};
  }

  /**
   * Finds a provider, its references resolved again. Throws 422 `invalid_provider`; to a caller who may see providers
   * it names those that offer the capability.
   */
  resolve(name: string, asked: AskedFor = {}): Provider {
    const provider = this.now.providers.get(name);
    const offered = provider?.adapter.capability;
    if (provider !== undefined && (asked.capability ?? offered) === offered) return provider.renew();
    const why =
      provider === undefined
        ? `there is no provider ${name}`
        : `provider ${name} offers the capability ${offered}; the Orb needs ${asked.capability}`;
    throw unfit('invalid_provider', 'provider', `${why}; ${this.#wayTo(name, asked)}`);
  }

  #wayTo(name: string, { capability, caller }: AskedFor): string {
    const lists = 'GET /providers, which needs the scope providers:read, lists the providers';
    if (caller !== undefined && !holds(caller.scopes, 'providers:read')) return lists;
    const all = [...this.now.providers.values()];
    const fitting = all.filter(({ adapter }) => capability === undefined || adapter.capability === capability);
    const names = fitting.map((one) => one.name);
    if (names.length === 0) return `no provider offers the capability ${capability}; define one in platform.json`;
    const meant = similarTo(name, names);
    const shown = names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '');
    const these =
      capability === undefined ? `the providers are ${shown}` : `with the capability ${capability} there are ${shown}`;
    return meant === undefined ? these : `did you mean ${meant}? (${these})`;
  }
}

/**
 * Makes the digest of what must be configured alike on all nodes of a store: providers with the code of their adapters,
 * bindings, plugins, who decides, and the limit of keys. Secrets count by their references.
 */
export function configDigest(
  { providers, order }: ConfiguredProviders,
  { authorize, keyLimit, plugins }: Pick<Config, 'authorize' | 'keyLimit' | 'plugins'>,
): string {
  // Nodes of one store have the same providers of the store; `order` is that of the file.
  const own = [...providers.values()].filter((provider) => originOf(provider) === 'file');
  const opened = own.map(({ config_digest, limits = {}, name }) => [name, config_digest, limits]);
  const chosen = Object.entries(plugins).map(([name, setting]) => [name, setting === false ? false : setting.config]);
  const alike = {
    ...{ authorize, bindings: order, key_limit: keyLimit },
    ...{ providers: opened, plugins: Object.fromEntries(chosen) as object },
  };
  // Members without a value are absent in JSON.
  return digest(canonical(JSON.parse(JSON.stringify(alike))));
}
