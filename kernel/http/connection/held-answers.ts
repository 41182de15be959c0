import { PlatformError } from '../../error.ts';
import type { Metrics } from '../../tools/metrics.ts';

/** A kind of answer that stays open for long, such as a wait or a stream. */
export interface HeldKind {
  /** A label of the metric, and a word of the refusal: `wait`, `stream`. */
  readonly name: string;
  /** How many one caller may hold open. */
  readonly most: number;
  /** It can be answered at any time, and loses nothing by that: it is ended before all others. */
  readonly brief?: true;
  /** Its end cuts the connection: its handler cannot end it. */
  readonly cut?: true;
}

/** Who holds an answer open. */
interface Holder {
  /** A principal, or an address. */
  readonly id: string;
  readonly tenant: string;
}

interface Place {
  readonly kind: HeldKind;
  readonly end: () => void;
}

/** The places of one tenant. */
interface Share {
  count: number;
  readonly byHolder: Map<string, Place[]>;
}

/**
 * Counts the answers that are held open, per caller and in all. When all places are taken, the caller with the most of
 * the tenant with the most gives one to a caller with fewer, so that neither a key nor a tenant keeps others out.
 */
export class HeldAnswers {
  readonly #most: number;
  readonly #tenants = new Map<string, Share>();
  readonly #kinds = new Map<string, number>();
  #count = 0;
  #ended = 0;

  constructor(most: number, metrics: Metrics) {
    this.#most = most;
    metrics.collect('orb_http_held_answers', 'Open long-lived answers: waits and streams', 'gauge', () =>
      [...this.#kinds].map(([kind, value]) => ({ labels: { kind }, value })),
    );
    metrics.collect(
      'orb_http_held_answers_ended_total',
      'Long-lived answers that were ended early to free a place for another caller',
      'counter',
      () => [{ labels: {}, value: this.#ended }],
    );
  }

  /**
   * Takes a place; the function that is returned gives it back. Undefined: the caller holds too many of the kind, or all
   * places are taken and no other caller holds more. `end` is called when the place is given to another caller.
   */
  take(holder: Holder, kind: HeldKind, end: () => void): (() => void) | undefined {
    const own = this.#tenants.get(holder.tenant)?.byHolder.get(holder.id) ?? [];
    if (own.filter((place) => place.kind.name === kind.name).length >= kind.most) return undefined;
    if (this.#count >= this.#most && !this.#makeRoom(holder)) return undefined;
    const place: Place = { kind, end };
    this.#add(holder, place);
    return () => this.#remove(holder, place);
  }

  #makeRoom(holder: Holder): boolean {
    const most = largest(this.#tenants, ({ count }) => count);
    if (most === undefined) return false;
    const [tenant, share] = most;
    const own = this.#tenants.get(holder.tenant);
    const others = tenant !== holder.tenant && share.count > (own?.count ?? 0) + 1;
    // Within one tenant the callers share its places in the same way.
    const found = largest((others ? share : own)?.byHolder ?? new Map<string, Place[]>(), (places) => places.length);
    if (found === undefined) return false;
    const [id, places] = found;
    if (!others && places.length <= (own?.byHolder.get(holder.id)?.length ?? 0) + 1) return false;
    const place = places.findLast(({ kind }) => kind.brief === true) ?? places.at(-1);
    if (place === undefined) return false;
    this.#remove({ id, tenant: others ? tenant : holder.tenant }, place);
    this.#ended += 1;
    place.end();
    return true;
  }

  #add({ id, tenant }: Holder, place: Place): void {
    const share = this.#tenants.get(tenant) ?? { count: 0, byHolder: new Map<string, Place[]>() };
    this.#tenants.set(tenant, share);
    const places = share.byHolder.get(id);
    if (places === undefined) share.byHolder.set(id, [place]);
    else places.push(place);
    share.count += 1;
    this.#note(place, 1);
  }

  #remove({ id, tenant }: Holder, place: Place): void {
    const share = this.#tenants.get(tenant);
    const places = share?.byHolder.get(id);
    const at = places?.indexOf(place) ?? -1;
    // It was given to another caller.
    if (share === undefined || places === undefined || at < 0) return;
    places.splice(at, 1);
    if (places.length === 0) share.byHolder.delete(id);
    share.count -= 1;
    if (share.count === 0) this.#tenants.delete(tenant);
    this.#note(place, -1);
  }

  #note({ kind }: Place, change: number): void {
    this.#count += change;
    this.#kinds.set(kind.name, (this.#kinds.get(kind.name) ?? 0) + change);
  }
}

function largest<T>(all: ReadonlyMap<string, T>, size: (one: T) => number): readonly [string, T] | undefined {
  let found: readonly [string, T] | undefined;
  for (const entry of all) if (found === undefined || size(entry[1]) > size(found[1])) found = entry;
  return found;
}

/** Refuses an answer that the caller cannot hold open: throws 429 `rate_limited`. */
export function refuseHeld({ name, most }: HeldKind): never {
  const detail = `this caller has ${most} open answers of the kind "${name}", the maximum: end one, or wait`;
  throw new PlatformError('rate_limited', detail, { retry_after: 5 });
}
