import type { ConfiguredProviders } from './binding.ts';
import { canonical, digest, type Config } from '../../../kernel/index.ts';

/**
 * Makes the digest of what must be configured alike on all nodes of a store: providers with the code of their adapters,
 * bindings, plugins, who decides, and the limit of keys. Secrets count by their references.
 */
export function configDigest(
  { providers, order }: ConfiguredProviders,
  { authorize, keyLimit, plugins }: Pick<Config, 'authorize' | 'keyLimit' | 'plugins'>,
): string {
  const opened = [...providers.values()].map(({ config_digest, limits = {}, name }) => [name, config_digest, limits]);
  const chosen = Object.entries(plugins).map(([name, setting]) => [name, setting === false ? false : setting.config]);
  const alike = {
    ...{ authorize, bindings: order, key_limit: keyLimit },
    ...{ providers: opened, plugins: Object.fromEntries(chosen) as object },
  };
  // Members without a value are absent in JSON.
  return digest(canonical(JSON.parse(JSON.stringify(alike))));
}
