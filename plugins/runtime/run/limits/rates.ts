import limitsStore from './store.ts';
import { operation, type Clock, type Ids, type Store } from '../../../../kernel/index.ts';
import { createBucket, takenOf, type Bucket, type Limit, type Taken } from '../../../../kernel/runner.ts';

/** A limit of rate. */
export type Rate = NonNullable<Limit['rate']>;

/** Counts runs against limits of rate. */
export interface Rates {
  /** `name`: the kind of what is limited, a space, and its id. */
  take(name: string, rate: Rate): Promise<Taken>;
}

/** Counts in the memory of this process. */
export class OwnRates implements Rates {
  readonly #buckets = new Map<string, { readonly rate: string; readonly bucket: Bucket }>();

  take(name: string, rate: Rate): Promise<Taken> {
    return this.#bucket(name, rate).take(name);
  }

  // A changed Orbiset may have another limit under the same name.
  #bucket(name: string, { count, window_s }: Rate): Bucket {
    const rate = `${count}/${window_s}`;
    const known = this.#buckets.get(name);
    if (known?.rate === rate) return known.bucket;
    const bucket = createBucket(kindOf(name), count, window_s, (id) => id);
    this.#buckets.set(name, { rate, bucket });
    return bucket;
  }
}

/** The kind of what is limited: the first word of its name. */
export function kindOf(name: string): string {
  return name.split(' ')[0] ?? '';
}

/** What rates need that several nodes share. */
export interface SharedRatesOptions {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ids: Ids;
  /** Counts the nodes that live. */
  readonly nodes: () => Promise<number>;
}

/** What this node knows of the window of a limit. */
interface Window {
  /** The unused part of what this node has drawn. */
  own: number;
  /** What was left for all nodes at the last request. */
  rest: number;
  /** When the window ends, on the monotonic clock. */
  end: number;
  drawing: Promise<void> | undefined;
}

const mostKept = 1000;
// Maximum number of answers that come after the end of their window, because the store takes longer than the window.
const mostLate = 4;

/**
 * Counts against windows that all nodes share: a node draws its part in chunks, so that a run rarely waits for the
 * store. Drawn parts count as used, so the limit is never exceeded.
 */
export class SharedRates implements Rates {
  readonly #options: SharedRatesOptions;
  readonly #windows = new Map<string, Window>();

  constructor(options: SharedRatesOptions) {
    this.#options = options;
  }

  async take(name: string, rate: Rate): Promise<Taken> {
    // A changed Orbiset may have another limit under the same name.
    const key = `${name} ${rate.count}/${rate.window_s}`;
    const window = this.#window(key);
    for (let late = 0; late < mostLate;) {
      const isOpen = this.#options.clock.monotonic() < window.end;
      if (isOpen && window.own > 0) {
        window.own -= 1;
        return this.#taken(name, rate, window, true);
      }
      if (isOpen && window.rest === 0) break;
      if (!isOpen) late += 1;
      window.drawing ??= this.#draw(key, rate, window).finally(() => (window.drawing = undefined));
      await window.drawing;
    }
    return this.#taken(name, rate, window, false);
  }

  async #draw(name: string, { count, window_s }: Rate, window: Window): Promise<void> {
    const { clock, ids, nodes, store } = this.#options;
    const chunk = chunkOf(count, await nodes());
    const asked = ids('req');
    // Measure from before the request, so that the window ends here no later than in the store.
    const from = clock.monotonic();
    const drawing = { name, count, window_ms: window_s * 1000, chunk, asked };
    const [{ granted, left_ms, used }] = await store.write([operation(limitsStore, 'draw', drawing)]);
    Object.assign(window, { own: granted, rest: count - used, end: from + left_ms });
  }

  #taken(name: string, { count, window_s }: Rate, { end, own, rest }: Window, allowed: boolean): Taken {
    const left_ms = end - this.#options.clock.monotonic();
    return takenOf({ name: kindOf(name), quota: count, window_s }, { allowed, left: own + rest, left_ms });
  }

  #window(key: string): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= mostKept) this.#forget();
    const window: Window = { own: 0, rest: 0, end: -Infinity, drawing: undefined };
    this.#windows.set(key, window);
    return window;
  }

  #forget(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, { drawing, end }] of this.#windows)
      if (drawing === undefined && end < now) this.#windows.delete(key);
  }
}

/** How much one node draws of a limit at a time: little stays unused, and requests are rare. */
export function chunkOf(count: number, nodes: number): number {
  return Math.max(1, Math.floor(count / (8 * nodes)));
}
