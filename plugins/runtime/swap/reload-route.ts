import { loadedCatalog } from '../manifests/files.ts';
import {
  orderFor,
  reloadedProvider,
  sameProvider,
  type Binding,
  type ConfiguredProviders,
  type Reloaded,
} from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { ProviderSource } from '../provider/stored.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Swapper } from './swapper.ts';
import {
  canonical,
  ConfigError,
  defineRoute,
  exactly,
  PlatformError,
  type Config,
  type Principal,
  type Route,
  type Serial,
} from '../../../kernel/index.ts';
import type { Configuration, Reread } from '../../../kernel/runner.ts';

/** The dependencies of the route. */
export interface ReloadRouteOptions extends Configuration {
  readonly bindings: Bindings;
  readonly swapper: Swapper;
  /** Two reloads at once would mix their reads: an older file could be the last to reach some of the Orbs. */
  readonly serial: Serial;
  /** Lists the manifests put over the API whose ids these files define differently. */
  readonly conflicts: (files: Catalog) => Promise<readonly string[]>;
  /** The providers and their order that are in use. */
  readonly configured: () => ConfiguredProviders;
  readonly source: ProviderSource;
  /** Takes the new providers and their order into use for later swaps and Orbs. */
  readonly adopt: (next: ConfiguredProviders) => void;
  /** Keeps the settings whose providers and order are in use now. */
  readonly reloaded: (config: Config) => void;
}

/** Schema of what a reload of platform.json changed. */
export const reloaded = exactly('ConfigReload', {
  providers: {
    type: 'array',
    description: 'The result for the providers of each Orb',
    items: reloadedProvider,
  },
  unused: {
    type: 'array',
    description: 'Providers that were added, changed or removed and that no Orb uses',
    items: exactly({
      provider: { type: 'string', description: 'Name of the provider' },
      change: { enum: ['added', 'changed', 'removed'], description: 'The change in the file' },
    }),
  },
  restart_required: {
    type: 'array',
    description: 'Changed settings that take effect after a restart',
    items: { type: 'string' },
  },
});

/**
 * Answers `POST /config/reload`: adapters, providers and their order take effect; members that need a restart are
 * named.
 */
export function reloadRoute(options: ReloadRouteOptions): Route {
  return defineRoute({
    method: 'POST',
    path: '/config/reload',
    operationId: 'reloadConfig',
    live: true,
    service: 'runtime',
    scope: 'config:reload',
    summary: 'Reload providers and bindings from platform.json; an invalid file changes nothing',
    response: reloaded,
    problems: ['invalid_configuration', 'swap_in_progress', 'storage_unavailable'],
    handle: ({ principal }) => options.serial(() => reloadAll(options, principal)),
  });
}

async function reloadAll(options: ReloadRouteOptions, principal: Principal) {
  const { bindings, swapper, adopt, source } = options;
  const next = await readFile(options);
  const changed = await source.read({ providers: next.loaded.providers, order: next.config.bindings });
  const before = options.configured().providers;
  adopt(changed);
  options.reloaded(next.config);
  const providers = await reloadProviders(changed, { bindings, swapper, principal });
  const unused = unusedOf(before, changed.providers, bindings);
  return { providers, unused, restart_required: fixed(options, next) };
}

// Report providers that were added even if no Orb uses them: they may be missing in `bindings`.
function unusedOf(before: Providers, after: Providers, bindings: Bindings) {
  const used = new Set([...bindings.all()].flatMap(({ order }) => order.map(({ provider }) => provider.name)));
  const changeOf = (name: string): 'added' | 'changed' | 'removed' | undefined => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one === undefined) return 'added';
    if (other === undefined) return 'removed';
    return sameProvider(one, other) ? undefined : 'changed';
  };
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((provider) => {
    const change = used.has(provider) ? undefined : changeOf(provider);
    return change === undefined ? [] : [{ provider, change }];
  });
}

type Providers = ConfiguredProviders['providers'];

/** Reads platform.json again, without taking it into use. Throws 422 `invalid_configuration`. */
export async function readFile({ conflicts, reread }: Pick<ReloadRouteOptions, 'conflicts' | 'reread'>): Promise<Read> {
  const next = await readAnew(reread);
  refuse(await conflicts(loadedCatalog(next.loaded)));
  return next;
}

async function readAnew(reread: Reread): Promise<Read> {
  try {
    return await reread();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refuse(error.faults);
    throw error;
  }
}

function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const errors = faults.map((detail) => ({ pointer: '#', detail }));
  throw new PlatformError('invalid_configuration', 'nothing was changed; correct the errors and reload again', {
    errors,
  });
}

type Read = Awaited<ReturnType<Reread>>;

// By the names of platform.json, in its order.
const members = {
  listen: 'listen',
  public_url: 'publicUrl',
  site: 'brand',
  trust_proxy: 'trustProxy',
  connections: 'connections',
  insecure_http: 'insecureHttp',
  log_level: 'logLevel',
  log_format: 'logFormat',
  authorize: 'authorize',
  drain_ms: 'drainMs',
  limits: 'keyLimit',
  swap_drain_ms: 'swapDrainMs',
  plugins: 'plugins',
} as const;

// A certificate is read again when its file changes; another file needs a restart.
function readOnce(config: Config): Config | (Omit<Config, 'listen'> & { readonly listen: readonly object[] }) {
  return { ...config, listen: config.listen.map(({ tls, ...rest }) => ({ ...rest, tls: tls?.from ?? null })) };
}

/** Names changed settings that are read only at the start, because they do not take effect. */
export function fixed(now: Read, next: Read): string[] {
  const same = (one: unknown, other: unknown): boolean => canonical(one ?? {}) === canonical(other ?? {});
  const digests = ({ loaded }: Read) =>
    [...loadedCatalog(loaded).orbs.values()].map(({ orb_id, digest }) => [orb_id, digest]);
  const orbisets = ({ loaded }: Read) => [...loadedCatalog(loaded).orbisets.values()];
  return [
    ...Object.entries(members)
      .filter(([, member]) => !same(readOnce(now.config)[member], readOnce(next.config)[member]))
      .map(([name]) => name),
    ...(same(digests(now), digests(next)) ? [] : ['orbs']),
    ...(same(orbisets(now), orbisets(next)) ? [] : ['orbisets']),
  ];
}

/** What a reload renews providers with. */
type Renewing = Pick<ReloadRouteOptions, 'bindings' | 'swapper'> & { readonly principal: Principal | undefined };

/**
 * Applies a new configuration to every Orb. A provider whose configuration or secret changed gets a new generation by
 * the swapper, which proves it first; on failure the old one stays. No binding is written.
 */
export async function reloadProviders(
  { providers, order }: ConfiguredProviders,
  renewing: Renewing,
): Promise<Reloaded[]> {
  const changes: Reloaded[] = [];
  const { bindings } = renewing;
  for (const binding of bindings.all()) {
    binding.configured = orderFor(binding.orb, providers, order);
    changes.push(...(await reloadActive(binding, providers, renewing)));
    changes.push(...(await bindings.reconcile(binding, providers)));
  }
  return changes;
}

async function reloadActive(
  binding: Binding,
  providers: Providers,
  { swapper, principal }: Renewing,
): Promise<Reloaded[]> {
  const active = binding.order[0]?.provider;
  const stays = binding.source === 'swap' && active !== undefined && providers.has(active.name);
  const target = providers.get((stays ? active.name : binding.configured[0]) ?? '');
  if (target === undefined || (active !== undefined && sameProvider(active, target))) return [];
  const { orb_id } = binding.orb;
  try {
    const { generation } = await swapper.renew(binding, target, principal);
    // The provider that a swap bound is no longer configured.
    if (!stays) binding.source = 'config';
    return [{ orb_id, provider: target.name, change: 'renewed', generation }];
  } catch (error) {
    if (error instanceof PlatformError)
      return [{ orb_id, provider: target.name, change: 'failed', reason: error.message }];
    throw error;
  }
}
