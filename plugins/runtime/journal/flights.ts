import type { KeyName } from './store.ts';

/** What makes two calls the same one. */
export interface RepeatedCall {
  readonly principal: string;
  readonly orbiset_id: string;
  readonly inputs: unknown;
  /** Says whether the caller has gone. */
  readonly abandoned?: (() => boolean) | undefined;
}

/** One call and its repetitions, until its key is free. */
export class Flight {
  readonly name: KeyName;
  /** Settles with the work; undefined: the answer is in the store. */
  work: Promise<unknown> | undefined;
  /** The run whose answer it is. */
  subject: string;
  /** The answer is kept under the key. */
  kept: boolean;
  /** Whether the effect took place is not known: the key stays until that is settled. */
  unknown: boolean;
  /** All callers had disconnected when the work checked: a later caller does the work again. */
  givenUp = false;
  /** Answers on their way. */
  pending = 0;
  /** The time after the first whole delivery is over. */
  due = false;
  /** Where an answer arrived whole: says whether the client has sent another request on that connection. */
  readonly proofs: (() => boolean)[] = [];
  /** The caller that started the work, and those that wait for it. */
  readonly callers: RepeatedCall[] = [];
  stop: () => void = () => undefined;

  /** `kept`: the run whose answer is kept, for a call whose work has ended. */
  constructor(name: KeyName, kept?: { readonly subject: string; readonly unknown?: boolean }) {
    this.name = name;
    this.subject = kept?.subject ?? '';
    this.kept = kept !== undefined;
    this.unknown = kept?.unknown ?? false;
  }

  /** Says whether an answer was handed over whole, and none is on its way. */
  get isDelivered(): boolean {
    return !this.unknown && this.pending === 0 && this.proofs.length > 0;
  }

  /** Says whether the client must have the answer: it sent another request after it. */
  get hasArrived(): boolean {
    return this.isDelivered && this.proofs.some((renewed) => renewed());
  }
}

/** The flights of this process: by their keys, and by principal and Orbiset once their answers were handed over. */
export class Flights {
  readonly #all = new Map<string, Flight>();
  readonly #delivered = new Map<string, Set<Flight>>();

  get(key: string): Flight | undefined {
    return this.#all.get(key);
  }

  /** Takes a flight in, in place of another one of its key. */
  set(flight: Flight): void {
    const known = this.#all.get(flight.name.key);
    if (known !== undefined && known !== flight) this.forget(known);
    this.#all.set(flight.name.key, flight);
  }

  /** Notes that the answer of a flight was handed over whole. */
  deliver(flight: Flight): void {
    const lane = laneOf(flight.name);
    const same = this.#delivered.get(lane) ?? new Set();
    this.#delivered.set(lane, same.add(flight));
  }

  forget(flight: Flight): void {
    flight.stop();
    if (this.#all.get(flight.name.key) === flight) this.#all.delete(flight.name.key);
    const lane = laneOf(flight.name);
    const same = this.#delivered.get(lane);
    if (same?.delete(flight) === true && same.size === 0) this.#delivered.delete(lane);
  }

  /** Lists the flights of a principal in an Orbiset whose answers were handed over whole. */
  delivered(name: Pick<KeyName, 'principal' | 'path'>): readonly Flight[] {
    const same = this.#delivered.get(laneOf(name));
    return same === undefined ? none : [...same].filter((flight) => flight.isDelivered);
  }

  /** Ends the timers, and answers the flights whose answers were handed over whole. */
  close(): readonly Flight[] {
    for (const { stop } of this.#all.values()) stop();
    return [...this.#delivered.values()].flatMap((same) => [...same]);
  }
}

const none: readonly Flight[] = Object.freeze([]);

function laneOf({ principal, path }: Pick<KeyName, 'principal' | 'path'>): string {
  return `${principal} ${path}`;
}
