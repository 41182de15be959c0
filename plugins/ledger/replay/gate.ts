import type { Position } from '../../receipts/contract.ts';
import { within, type Prefix } from '../fact/prefix.ts';

interface Shard<T> {
  readonly origin: string;
  readonly tree_size: number;
  next: number;
  readonly waiting: Map<number, T>;
}

/**
 * Takes items of the log in any order, duplicates included, and passes each on once: those of a shard in their order,
 * and those of a prefix before all others.
 */
export class Gate<T extends Position> {
  readonly #shards: readonly Shard<T>[];
  /** The prefix that is passed on first. */
  #first: Prefix | undefined;

  /** `prefix`: all shards, with their number of entries. */
  constructor(prefix: Prefix, first?: Prefix) {
    this.#shards = prefix.map((shard) => ({ ...shard, next: 0, waiting: new Map() }));
    this.#first = first;
  }

  /** Takes an item; answers the items that may be passed on now. Drops duplicates and items outside the prefix. */
  take(thing: T): readonly T[] {
    const shard = this.#shards.find(({ origin }) => origin === thing.origin);
    if (shard === undefined || thing.index < shard.next || thing.index >= shard.tree_size) return [];
    shard.waiting.set(thing.index, thing);
    return this.#ready(shard);
  }

  /** Says whether all of the prefix that comes first was passed on. */
  get isFirstOver(): boolean {
    const sizes = new Map(this.#first?.map(({ origin, tree_size }) => [origin, tree_size]));
    return this.#shards.every(({ next, origin }) => next >= (sizes.get(origin) ?? 0));
  }

  /** Sets what is passed on next before all others (undefined: all the rest); answers what may be passed on now. */
  goOn(first: Prefix | undefined): readonly T[] {
    this.#first = first;
    return this.#shards.flatMap((shard) => this.#ready(shard));
  }

  /** The position of the first expected item; undefined: all were passed on. */
  get missing(): Position | undefined {
    const shard = this.#shards.find(({ next, tree_size }) => next < tree_size);
    return shard === undefined ? undefined : { origin: shard.origin, index: shard.next };
  }

  #ready(shard: Shard<T>): readonly T[] {
    const ready: T[] = [];
    for (;;) {
      const thing = shard.waiting.get(shard.next);
      if (thing === undefined || (this.#first !== undefined && !within(thing, this.#first))) return ready;
      shard.waiting.delete(shard.next);
      ready.push(thing);
      shard.next += 1;
    }
  }
}
