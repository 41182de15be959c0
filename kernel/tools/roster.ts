/** The place of a value in a roster. */
export interface Place<T> {
  readonly value: T;
  /** It has not been removed. */
  readonly listed: boolean;
}

class Link<T> implements Place<T> {
  readonly value: T;
  listed = false;
  before: Link<T> | undefined = undefined;
  after: Link<T> | undefined = undefined;

  constructor(value: T) {
    this.value = value;
  }
}

/**
 * Values that come and go by the thousand, in the order in which they came. An outgrown table of a Set or a Map that is
 * old keeps what later ones held in memory; a removed place of a roster leads nowhere.
 */
export class Roster<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  /** How many values are in it. */
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: T): Place<T> {
    const link = new Link(value);
    this.#append(link);
    return link;
  }

  /** Moves a value to the end, unless it was removed. */
  renew(place: Place<T>): void {
    if (this.remove(place)) this.#append(place as Link<T>);
  }

  /** Removes a value; false: it was removed before. */
  remove(place: Place<T>): boolean {
    const link = place as Link<T>;
    if (!link.listed) return false;
    if (link.before === undefined) this.#first = link.after;
    else link.before.after = link.after;
    if (link.after === undefined) this.#last = link.before;
    else link.after.before = link.before;
    link.before = undefined;
    link.after = undefined;
    link.listed = false;
    this.#size -= 1;
    return true;
  }

  /** Goes through the values in their order; the one at hand may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let link = this.#first; link !== undefined;) {
      const { after, value } = link;
      yield value;
      link = after;
    }
  }

  #append(link: Link<T>): void {
    link.before = this.#last;
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    link.listed = true;
    this.#size += 1;
  }
}
