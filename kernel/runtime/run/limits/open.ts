import { operation } from '../../../store/contract.ts';
import type { OpenStore } from '../../../store/serving/store.ts';
import type { Clock } from '../../../tools/clock.ts';
import type { Ids } from '../../../tools/id.ts';
import type { Log } from '../../../tools/log.ts';
import { OwnPlaces, type Places } from './places.ts';
import { OwnRates, type Rates } from './rates.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { StoreRetry } from '../../journal/store-retry.ts';
import { ownBounds, type LineBounds } from './line-bounds.ts';
import { liveNodes } from './live-nodes.ts';
import { SharedPlaces } from './shared-places.ts';
import { SharedLine } from './shared-line.ts';
import { SharedRates } from './shared-rates.ts';
import limitsStore from './store.ts';

/** What limits are opened with. */
export interface LimitOptions {
  readonly store: Pick<OpenStore, 'node' | 'peers' | 'shared' | 'write'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
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
  const { store } = options;
  if (!store.shared) return ownLimits(options);
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

function ownLimits({ catalog }: LimitOptions): OpenLimits {
  return { rates: new OwnRates(), places: new OwnPlaces(), line: ownBounds(catalog.orbisets) };
}
