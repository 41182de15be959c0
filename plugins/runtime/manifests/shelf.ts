/** Manifests of one kind by id: those of files, which stay while the program runs, and those put over the API. */
export class Shelf<T> {
  readonly #files: ReadonlySet<string>;
  readonly #items: Map<string, T>;
  /** All ids in order; recomputed after a change. */
  #order: readonly string[] | undefined;

  constructor(files: ReadonlyMap<string, T>) {
    this.#files = new Set(files.keys());
    this.#items = new Map(files);
  }

  /** All manifests, as a live map: its holder sees every change. */
  get items(): ReadonlyMap<string, T> {
    return this.#items;
  }

  /** Says whether a file defines the id. */
  isFile(id: string): boolean {
    return this.#files.has(id);
  }

  /** Says where the manifest of an id comes from. */
  sourceOf(id: string): 'file' | 'api' {
    return this.isFile(id) ? 'file' : 'api';
  }

  put(id: string, item: T): void {
    this.#items.set(id, item);
    this.#order = undefined;
  }

  remove(id: string): void {
    this.#items.delete(id);
    this.#order = undefined;
  }

  /** Lists the manifests that fit, in the order of ids, after a given id, at most `most`. */
  page(after: string | undefined, most: number, fits: (item: T) => boolean = () => true): readonly T[] {
    this.#order ??= [...this.#items.keys()].sort();
    const found: T[] = [];
    for (const id of this.#order) {
      if (found.length === most) break;
      const item = after !== undefined && id <= after ? undefined : this.#items.get(id);
      if (item !== undefined && fits(item)) found.push(item);
    }
    return found;
  }
}
