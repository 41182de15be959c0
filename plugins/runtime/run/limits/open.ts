import limitsStore from './store.ts';
import { OwnPlaces, SharedPlaces, type Places } from './places.ts';
import { OwnRates, SharedRates, type Rates } from './rates.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { StoreRetry } from '../../journal/store-retry.ts';
import { ownBounds, SharedLine, type LineBounds } from './line-bounds.ts';
import { type PluginScope, every, operation, type Held, type Log, type Store } from '../../../../kernel/index.ts';
import type { Peers } from '../../../../kernel/runner.ts';

/** What limits are opened with. */
export interface LimitOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log'> {
  readonly store: Pick<Store, 'node' | 'peers' | 'shared' | 'write'>;
  readonly catalog: Pick<Catalog, 'orbisets'>;
  readonly retry: StoreRetry;
}

/** What counts runs. */
export interface OpenLimits {
  readonly rates: Rates;
  readonly places: Places;
  readonly line: LineBounds;
}

/**
 * Opens what counts runs against their limits: in memory, or in the store where other nodes count too. The node that
 * takes over from an ended node returns its permits.
 */
export function openLimits(options: LimitOptions): OpenLimits {
  const { catalog, store } = options;
  if (!store.shared) return { rates: new OwnRates(), places: new OwnPlaces(), line: ownBounds(catalog.orbisets) };
  const nodes = liveNodes(store.peers);
  store.peers.onAdopted(async ({ incarnation }) => {
    await store.write([operation(limitsStore, 'voidPermits', { incarnation })]);
  });
  return {
    rates: new SharedRates({ ...options, nodes }),
    places: new SharedPlaces({ ...options, nodes }),
    line: new SharedLine(options),
  };
}

const keptMs = 5000;

/** Makes a counter of the live nodes, at least one; it keeps a count for some seconds. */
export function liveNodes(peers: Pick<Peers, 'nodes'>): () => Promise<number> {
  let known: Promise<number> | undefined;
  let at = -Infinity;
  const count = async (): Promise<number> =>
    Math.max(1, (await peers.nodes()).filter(({ state }) => state === 'live').length);
  return () => {
    const now = performance.now();
    if (known !== undefined && now - at < keptMs) return known;
    at = now;
    known = count();
    known.catch(() => (known = undefined));
    return known;
  };
}

const hourMs = 3_600_000;

/** Deletes windows of limits that are over, once an hour, on one node; the function that is returned ends that. */
export function forgetWindows({ log, store }: ForgettingOptions): Held['stop'] {
  if (!store.shared) return () => undefined;
  const forget = () => store.write([operation(limitsStore, 'forgetWindows', { ms: hourMs })]);
  const failed = (err: unknown): void => log.warn({ err }, 'the server could not delete old windows of rate limits');
  return store.peers.whenHeld('housekeeping', () => every(hourMs, forget, failed)).stop;
}

/** What forgetting needs. */
interface ForgettingOptions {
  readonly store: Pick<Store, 'peers' | 'shared' | 'write'>;
  readonly log: Pick<Log, 'warn'>;
}
