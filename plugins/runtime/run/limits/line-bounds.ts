import type { Catalog } from '../../catalog/catalog.ts';

/** What a line of queued runs could serve now. */
export interface Demand {
  readonly orbiset_id: string;
  readonly running: number;
  /** Claimed runs that have not begun. */
  readonly ready: number;
}

/** Says how many queued runs of an Orbiset may be under way at once at this node. */
export interface LineBounds {
  bound(orbisetId: string): number;
  /** Called with what the lines could serve, whenever that may have changed; absent: the bounds do not change. */
  update?(demands: readonly Demand[]): void;
  /** Calls `listener` when a bound may have grown. */
  onMore?(listener: () => void): void;
}

type Orbisets = Pick<Catalog['orbisets'], 'get'>;

const usualConcurrency = 8;

/** Makes the bounds of a single process, and of Orbisets whose manifests set no limit. */
export function ownBounds(orbisets: Orbisets): LineBounds {
  return { bound: (id) => limitOf(orbisets, id) ?? usualConcurrency };
}

/**
 * Reads how many queued runs of an Orbiset may be under way at once, of all nodes together; undefined: the manifest
 * sets no limit.
 */
export function limitOf(orbisets: Orbisets, id: string): number | undefined {
  return orbisets.get(id)?.limits?.async_concurrency;
}
