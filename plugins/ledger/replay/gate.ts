import type { Position } from '../../receipts/contract.ts';
import type { Prefix } from '../follow/prefix.ts';

/** Takes items of the log in any order, duplicates included, and passes each on once, in the order of the log. */
export class Gate<T extends Position> {
  readonly #prefix: Prefix;
  readonly #waiting = new Map<string, T>();
  #shard = 0;
  #next = 0;

  /** `prefix`: all shards in order, with their number of entries. */
  constructor(prefix: Prefix) {
    this.#prefix = prefix;
  }

  /** Takes an item; answers the items that are now next in order. Drops duplicates and items outside the prefix. */
  take(thing: T): readonly T[] {
    const at = this.#prefix.findIndex(({ origin }) => origin === thing.origin);
    const shard = this.#prefix[at];
    const over = at < this.#shard || (at === this.#shard && thing.index < this.#next);
    if (shard === undefined || over || thing.index >= shard.tree_size) return [];
    this.#waiting.set(`${at}/${thing.index}`, thing);
    return this.#ready();
  }

  /** The position of the next expected item; undefined: all were passed on. */
  get missing(): Position | undefined {
    this.#skip();
    const shard = this.#prefix[this.#shard];
    return shard === undefined ? undefined : { origin: shard.origin, index: this.#next };
  }

  #ready(): readonly T[] {
    const ready: T[] = [];
    for (;;) {
      this.#skip();
      const key = `${this.#shard}/${this.#next}`;
      const thing = this.#waiting.get(key);
      if (thing === undefined) return ready;
      this.#waiting.delete(key);
      ready.push(thing);
      this.#next += 1;
    }
  }

  #skip(): void {
    while (this.#next >= (this.#prefix[this.#shard]?.tree_size ?? Infinity)) {
      this.#shard += 1;
      this.#next = 0;
    }
  }
}
