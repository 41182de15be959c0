import limitsStore from './store.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { lowerPermits, type LowerOptions } from './lower-permits.ts';
import { after, operation, type Log } from '../../../../kernel/index.ts';

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

/** What sharing needs. */
export interface SharedLineOptions extends LowerOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly catalog: Pick<Catalog, 'orbisets'>;
}

/** The permits of the queued runs of one Orbiset at this node. */
interface Permits {
  held: number;
  limit: number;
  running: number;
  ready: number;
  /** How many this node wants, as the store knows it. */
  told: number;
  asking: boolean;
  /** When the store was last asked, on the monotonic clock. */
  askedAt: number;
  /** At the last request, other nodes were waiting for permits that this node has. */
  contended: boolean;
}

// Other nodes have the permits and may have returned some.
const missingMs = 250;
// While runs wait here, check whether other nodes wait for permits of this node.
const lookMs = 1000;
const yieldMs = 50;

const ignored = (): void => undefined;

/**
 * Shares among nodes how many queued runs of an Orbiset are under way at once, where its manifest says how many: each
 * node serves as many as it has permits. Where several nodes have runs that wait, each gets its part.
 */
export class SharedLine implements LineBounds {
  readonly #options: SharedLineOptions;
  readonly #permits = new Map<string, Permits>();
  #more: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(options: SharedLineOptions) {
    this.#options = options;
  }

  onMore(listener: () => void): void {
    this.#more = listener;
  }

  bound(orbisetId: string): number {
    const { orbisets } = this.#options.catalog;
    if (limitOf(orbisets, orbisetId) === undefined) return ownBounds(orbisets).bound(orbisetId);
    return this.#permits.get(orbisetId)?.held ?? 0;
  }

  /** Requests and returns permits, depending on how many runs the lines could serve. */
  update(demands: readonly Demand[]): void {
    const seen = new Set<string>();
    for (const { orbiset_id, ready, running } of demands) {
      const limit = limitOf(this.#options.catalog.orbisets, orbiset_id);
      if (limit === undefined) continue;
      seen.add(orbiset_id);
      Object.assign(this.#of(orbiset_id), { limit, ready, running });
    }
    let pause = Infinity;
    for (const [id, permits] of this.#permits) {
      if (!seen.has(id)) Object.assign(permits, { ready: 0, running: 0 });
      pause = Math.min(pause, this.#settle(id, permits));
    }
    this.#endPause();
    if (pause < Infinity) this.#endPause = after(Math.max(1, pause), () => this.#more(), ignored);
  }

  /** Does the work that is due for an Orbiset; answers after how many milliseconds more is due. */
  #settle(id: string, permits: Permits): number {
    if (permits.asking) return Infinity;
    const { askedAt, contended, held, limit, ready, running } = permits;
    const wanted = Math.min(limit, running + ready);
    if (wanted < permits.told) this.#giveBack(id, permits, wanted);
    if (wanted <= held && ready === 0) return Infinity;
    // A node above its share returns permits as its runs end.
    const pause = wanted > held ? missingMs : contended && running < held ? yieldMs : lookMs;
    const left = askedAt + pause - performance.now();
    if (left <= 0) void this.#ask(id, permits, wanted);
    return left <= 0 ? Infinity : left;
  }

  async #ask(id: string, permits: Permits, wanted: number): Promise<void> {
    const { log, store } = this.#options;
    const { limit, running } = permits;
    const { incarnation } = store.node;
    permits.asking = true;
    permits.told = wanted;
    permits.askedAt = performance.now();
    // The answer may take unused permits away, so do not use them until it arrives.
    if (permits.contended) permits.held = running;
    try {
      const asked = { name: nameOf(id), incarnation, limit, wanted, running, shares: true };
      const [{ contended, held }] = await store.write([operation(limitsStore, 'wantPermits', asked)]);
      Object.assign(permits, { held, contended });
    } catch (err) {
      log.warn({ err, orbiset_id: id }, 'the node could not get permits for queued runs; it tries again');
    } finally {
      permits.asking = false;
    }
    this.#more();
  }

  #giveBack(id: string, permits: Permits, wanted: number): void {
    permits.held = Math.min(permits.held, wanted);
    permits.told = wanted;
    if (wanted === 0) this.#permits.delete(id);
    const wantedNow = (): number | undefined => {
      const now = this.#permits.get(id);
      return now?.asking === true ? undefined : (now?.told ?? 0);
    };
    lowerPermits(this.#options, nameOf(id), wantedNow);
  }

  #of(id: string): Permits {
    const known = this.#permits.get(id);
    if (known !== undefined) return known;
    const permits = {
      held: 0,
      limit: 0,
      running: 0,
      ready: 0,
      told: 0,
      asking: false,
      askedAt: -Infinity,
      contended: false,
    };
    this.#permits.set(id, permits);
    return permits;
  }
}

function nameOf(orbisetId: string): string {
  return `queue ${orbisetId}`;
}
