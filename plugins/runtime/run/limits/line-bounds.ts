import type { Catalog } from '../../catalog/catalog.ts';
import { Permits, PermitTable, type PermitOptions } from './permits.ts';
import { after, type Log } from '../../../../kernel/index.ts';

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
export interface SharedLineOptions extends PermitOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly catalog: Pick<Catalog, 'orbisets'>;
}

/** The permits of the queued runs of one Orbiset at this node. */
class LinePermits extends Permits {
  limit = 0;
  ready = 0;
  /** How many this node wants, as the store knows it. */
  told = 0;
  /** When the store was last asked, on the monotonic clock. */
  askedAt = -Infinity;
  /** At the last request, other nodes were waiting for permits that this node has. */
  contended = false;

  override get wanted(): number {
    return this.told;
  }
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
  readonly #permits: PermitTable<LinePermits>;
  #more: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(options: SharedLineOptions) {
    this.#options = options;
    this.#permits = new PermitTable(options, () => new LinePermits());
  }

  onMore(listener: () => void): void {
    this.#more = listener;
  }

  bound(orbisetId: string): number {
    const { orbisets } = this.#options.catalog;
    if (limitOf(orbisets, orbisetId) === undefined) return ownBounds(orbisets).bound(orbisetId);
    return this.#permits.get(nameOf(orbisetId))?.held ?? 0;
  }

  /** Requests and returns permits, depending on how many runs the lines could serve. */
  update(demands: readonly Demand[]): void {
    const seen = new Set<string>();
    for (const { orbiset_id, ready, running } of demands) {
      const limit = limitOf(this.#options.catalog.orbisets, orbiset_id);
      if (limit === undefined) continue;
      const name = nameOf(orbiset_id);
      seen.add(name);
      Object.assign(this.#permits.of(name), { limit, ready, running });
    }
    let pause = Infinity;
    for (const [name, permits] of this.#permits) {
      if (!seen.has(name)) Object.assign(permits, { ready: 0, running: 0 });
      pause = Math.min(pause, this.#settle(name, permits));
    }
    this.#endPause();
    if (pause < Infinity) this.#endPause = after(Math.max(1, pause), () => this.#more(), ignored);
  }

  /** Does the work that is due for an Orbiset; answers after how many milliseconds more is due. */
  #settle(name: string, permits: LinePermits): number {
    if (permits.asking) return Infinity;
    const { askedAt, contended, held, limit, ready, running } = permits;
    const wanted = Math.min(limit, running + ready);
    if (wanted < permits.told) {
      permits.told = wanted;
      this.#permits.lower(name, permits, wanted);
      if (wanted === 0) this.#permits.delete(name);
    }
    if (wanted <= held && ready === 0) return Infinity;
    // A node above its share returns permits as its runs end.
    const pause = wanted > held ? missingMs : contended && running < held ? yieldMs : lookMs;
    const left = askedAt + pause - performance.now();
    if (left <= 0) void this.#ask(name, permits, wanted);
    return left <= 0 ? Infinity : left;
  }

  async #ask(name: string, permits: LinePermits, wanted: number): Promise<void> {
    permits.asking = true;
    permits.told = wanted;
    permits.askedAt = performance.now();
    // The answer may take unused permits away, so do not use them until it arrives.
    if (permits.contended) permits.held = permits.running;
    try {
      permits.contended = await this.#permits.request(name, permits, { limit: permits.limit, wanted, shares: true });
    } catch (err) {
      const orbiset_id = name.slice(prefix.length);
      this.#options.log.warn({ err, orbiset_id }, 'the node could not get permits for queued runs; it tries again');
    } finally {
      permits.asking = false;
    }
    this.#more();
  }
}

const prefix = 'queue ';

function nameOf(orbisetId: string): string {
  return prefix + orbisetId;
}
