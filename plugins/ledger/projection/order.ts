import { isSince, type Place } from '../fact/prefix.ts';

/** A value that the last entry decides, with the position of that entry, because shards are read in any order. */
export type Decided = 'signed' | 'suspended' | 'listing' | 'namespace';

/** The entry that decided a value, with the value's name. */
export interface DecidedAt extends Place {
  readonly kind: Decided;
  /** Id of the Orb, or name of the namespace. */
  readonly id: string;
}

/** The entries that decided each value. */
export class Deciders {
  readonly #places: Map<string, DecidedAt>;
  #changed = new Set<string>();

  constructor(places: Iterable<DecidedAt> = []) {
    this.#places = new Map([...places].map((place) => [nameOf(place.kind, place.id), place]));
  }

  /** Lets an entry decide a value unless a later one has: says whether it does. */
  decide(kind: Decided, id: string, { index, origin, receipt_id }: Place): boolean {
    const name = nameOf(kind, id);
    const known = this.#places.get(name);
    const place = { kind, id, origin, index, receipt_id };
    if (known !== undefined && !isSince(place, known)) return false;
    this.#places.set(name, place);
    this.#changed.add(name);
    return true;
  }

  /** Forgets which entries decided, from one on: each entry from there on is judged again. */
  reopen(kind: Decided, from: Place): void {
    for (const [name, place] of this.#places)
      if (place.kind === kind && isSince(place, from)) this.#places.delete(name);
  }

  /** Returns the places that changed, and starts a new list. */
  take(): readonly DecidedAt[] {
    const changed = [...this.#changed].flatMap((name) => this.#places.get(name) ?? []);
    this.#changed = new Set();
    return changed;
  }
}

function nameOf(kind: Decided, id: string): string {
  return `${kind} ${id}`;
}

/** The receipts of one shard since the last snapshot. */
export interface Span {
  readonly origin: string;
  /** Smallest and greatest id; they contain the times. */
  readonly first: string;
  readonly newest: string;
}

/** The entries since the last snapshot, by shard. */
export class Spans {
  readonly #spans: Map<string, Span>;

  constructor(spans: Iterable<Span> = []) {
    this.#spans = new Map([...spans].map((span) => [span.origin, span]));
  }

  add({ origin, receipt_id: id }: Pick<Place, 'origin' | 'receipt_id'>): void {
    const known = this.#spans.get(origin);
    if (known === undefined) this.#spans.set(origin, { origin, first: id, newest: id });
    else if (id > known.newest) this.#spans.set(origin, { ...known, newest: id });
    else if (id < known.first) this.#spans.set(origin, { ...known, first: id });
  }

  /** The id of the oldest receipt of a shard since the last snapshot. */
  firstOf(origin: string): string | undefined {
    return this.#spans.get(origin)?.first;
  }

  clear(): void {
    this.#spans.clear();
  }

  /** Says whether shards grew at the same time, so that the order of their entries was not that of the reading. */
  overlap(): boolean {
    const spans = [...this.#spans.values()].sort((a, b) => (a.first < b.first ? -1 : 1));
    return spans.some(
      (span, at) => at > 0 && spans.slice(0, at).some(({ newest }) => timeOf(newest) > timeOf(span.first)),
    );
  }
}

// `rec_` and ten digits of milliseconds: within one of them ids have no order.
function timeOf(receiptId: string): string {
  return receiptId.slice(0, 14);
}
