import { setTimeout as pause } from 'node:timers/promises';
import { canonical } from '../../tools/canonical.ts';
import { after } from '../../tools/every.ts';
import { PlatformError } from '../../error.ts';
import type { Delivery } from '../../http/route.ts';
import type { Log } from '../../tools/log.ts';
import { operation, type Awaitable, type Store } from '../../store/contract.ts';
import { replay, type ReceiptCheck, type StoredAnswer } from './answer.ts';
import { KeyLost, type Claim, type IdempotencyKeys, type MaybeReplayed, type Presented } from './keys.ts';
import journalStore, { repeatMethod, type KeyName } from './store.ts';

/** How long a key stays after its answer was handed over whole: it may have been lost behind the operating system. */
const afterDeliveryMs = 10_000;
/** How long an answer is kept that nobody was seen to get. */
const undeliveredMs = 600_000;
const pollMs = 250;

/** What tells a repeated call from a new one, for a call without a key of its caller. */
export interface Repeat {
  /** The name by which the caller named the Orb. */
  readonly name: string;
  /**
   * Asked when the result is known: calls back once the answer that bears it has left, or was lost. Undefined: the
   * caller was told something else meanwhile, so that it has to call again for the result.
   */
  carrier(): ((callback: (delivery: Delivery) => void) => void) | undefined;
  /** Told the run of the same call that is under way. */
  joined?(runId: string): void;
}

/** The caller does not wait any more; the work goes on, and others still wait for it. */
export class CallerLeft extends PlatformError {
  constructor() {
    super('idempotency_in_progress', 'the same call is still running; ask again', { retry_after: 1 });
  }
}

/** What makes two calls the same one. */
export interface RepeatedCall {
  readonly principal: string;
  readonly orbiset_id: string;
  readonly inputs: unknown;
  /** Says whether the caller has gone. */
  readonly abandoned?: (() => boolean) | undefined;
}

/** The parts of the guard. */
export interface RepeatOptions {
  readonly keys: IdempotencyKeys;
  readonly store: Store;
  readonly check: ReceiptCheck;
  readonly log: Log;
  /** How long a key stays after a whole delivery; 10 s unless a test gives it. */
  readonly afterDeliveryMs?: number;
}

/**
 * Does the work under its key; `abandoned` says whether all who called have gone. `kept` is told when the answer was kept
 * under the key by others than the claim: whether the outcome is unknown.
 */
export type GuardedWork<T> = (claim: Claim, abandoned: () => boolean, kept: (unknown: boolean) => void) => Promise<T>;

/** One call and its repetitions, until its key is free. */
interface Flight {
  /** Settles with the work; undefined: the answer is in the store. */
  work: Promise<unknown> | undefined;
  /** The run whose answer it is. */
  subject: string;
  /** The answer is kept under the key. */
  kept: boolean;
  /** Whether the effect took place is not known: the key stays until that is settled. */
  unknown: boolean;
  /** Answers on their way. */
  pending: number;
  /** Where an answer arrived whole: says whether the client has sent another request on that connection. */
  readonly proofs: (() => boolean)[];
  /** Who began the work, and who waits for it. */
  readonly callers: RepeatedCall[];
  stop: () => void;
}

/**
 * Sends nothing twice when a client repeats a call whose answer it did not get, although nothing marks the repetition: a
 * durable key of the call itself, free again once the answer has arrived as far as one can know.
 */
export class RepeatGuard {
  readonly #options: RepeatOptions;
  readonly #flights = new Map<string, Flight>();
  // The run whose answer is about to be erased, by key.
  readonly #freed = new Map<string, string>();

  constructor(options: RepeatOptions) {
    this.#options = options;
  }

  /** Does work, or gets the answer of the same call: one under way, or one whose answer may not have arrived. */
  async run<T extends object>(call: RepeatedCall, repeat: Repeat, work: GuardedWork<T>): Promise<MaybeReplayed<T>> {
    const { principal, orbiset_id, inputs } = call;
    const text = canonical([principal, orbiset_id, repeat.name, inputs]);
    const key = this.#options.store.sealer.mac('repeat', text);
    const name = { principal, method: repeatMethod, path: `/orbisets/${orbiset_id}`, key };
    const until = Date.now() + undeliveredMs;
    for (;;) {
      const found = await this.#begin(name, { call, repeat }, work)?.catch(unlessLost);
      if (found !== undefined) return found;
      // The work goes on elsewhere.
      if (Date.now() > until || call.abandoned?.() === true) throw new CallerLeft();
      await pause(pollMs);
    }
  }

  /** Frees the key of a run whose answer another request hands over, once it has arrived. */
  handedOver(name: KeyName, subject: string, carrier: ReturnType<Repeat['carrier']>): void {
    const known = this.#flights.get(name.key);
    if (known !== undefined && known.subject !== subject) return;
    const flight = known ?? { ...created(), subject, kept: true };
    this.#flights.set(name.key, flight);
    this.#follow(name, flight, { name: '', carrier: () => carrier });
  }

  close(): void {
    for (const { stop } of this.#flights.values()) stop();
  }

  // Of two simultaneous calls only one begins the work, at once where the store answers at once. Undefined: another
  // process has the work.
  #begin<T extends object>(
    name: KeyName,
    { call, repeat }: { readonly call: RepeatedCall; readonly repeat: Repeat },
    work: GuardedWork<T>,
  ): Promise<MaybeReplayed<T> | undefined> | undefined {
    const { key } = name;
    const flight = this.#flights.get(key);
    // The caller is the same, so the work has the same type.
    if (flight?.work !== undefined) {
      flight.callers.push(call);
      if (flight.subject !== '') repeat.joined?.(flight.subject);
      return this.#told(name, { flight, repeat }, flight.work as Promise<T>, { replayed: true });
    }
    if (flight !== undefined && hasArrived(flight)) this.#free(name, flight);
    const presented = this.#present(name, repeat);
    const go = (found: Presented | undefined): Promise<MaybeReplayed<T>> | undefined => {
      if (found === undefined) return undefined;
      if ('answer' in found) return this.#repeated(name, repeat, found);
      const fresh = created(call);
      this.#flights.set(key, fresh);
      const working = this.#work(found.claim, fresh, work);
      fresh.work = working;
      return this.#told(name, { flight: fresh, repeat }, working, { replayed: false });
    };
    return presented instanceof Promise ? presented.then(go) : go(presented);
  }

  #present(name: KeyName, repeat: Repeat): Awaitable<Presented | undefined> {
    const underWay = (error: unknown): undefined => {
      if (!(error instanceof PlatformError) || error.code !== 'idempotency_in_progress') throw error;
      if (error.extensions.run_id !== undefined) repeat.joined?.(error.extensions.run_id);
    };
    try {
      const presented = this.#options.keys.present(name, null, { keptMs, stale: this.#freed.get(name.key) });
      return presented instanceof Promise ? presented.catch(underWay) : presented;
    } catch (error) {
      return underWay(error);
    }
  }

  async #work<T extends object>(claim: Claim, flight: Flight, work: GuardedWork<T>): Promise<T> {
    const kept = (unknown: boolean): void => void Object.assign(flight, { kept: true, unknown });
    const noting: Claim = {
      ...claim,
      begin: (subject) => {
        flight.subject = subject;
        claim.begin(subject);
      },
      finished: (answer, sent) => {
        kept(isUnknown(answer));
        return claim.finished(answer, sent);
      },
    };
    try {
      return await work(noting, () => flight.callers.every(({ abandoned }) => abandoned?.() === true), kept);
    } finally {
      claim.release();
      flight.work = undefined;
    }
  }

  async #told<T>(
    name: KeyName,
    { flight, repeat }: { readonly flight: Flight; readonly repeat: Repeat },
    work: Promise<T>,
    { replayed }: { readonly replayed: boolean },
  ): Promise<MaybeReplayed<T>> {
    try {
      return { answer: await work, replayed };
    } finally {
      if (flight.kept) this.#follow(name, flight, repeat);
      else if (this.#flights.get(name.key) === flight) this.#flights.delete(name.key);
    }
  }

  async #repeated<T extends object>(
    name: KeyName,
    repeat: Repeat,
    { answer, subject }: { readonly answer: StoredAnswer; readonly subject: string },
  ): Promise<MaybeReplayed<T>> {
    const known = this.#flights.get(name.key);
    const same = known?.subject === subject;
    if (!same) known?.stop();
    const flight = same ? known : { ...created(), subject, kept: true, unknown: isUnknown(answer) };
    this.#flights.set(name.key, flight);
    try {
      return { answer: (await replay(answer, this.#options.check)) as T, replayed: true };
    } finally {
      this.#follow(name, flight, repeat);
    }
  }

  #follow(name: KeyName, flight: Flight, repeat: Repeat): void {
    flight.stop();
    flight.pending += 1;
    const told = (delivery: Delivery | undefined): void => {
      flight.pending -= 1;
      if (delivery?.whole === true) flight.proofs.push(delivery.renewed);
      if (flight.pending === 0) this.#settle(name, flight);
    };
    const carrier = repeat.carrier();
    if (carrier === undefined) told(undefined);
    else carrier(told);
  }

  // Without a delivery, or with an outcome that nobody knows, the row alone remains.
  #settle(name: KeyName, flight: Flight): void {
    if (flight.unknown || flight.proofs.length === 0) {
      if (this.#flights.get(name.key) === flight) this.#flights.delete(name.key);
      return;
    }
    const failed = (err: unknown): void => this.#options.log.warn({ err }, 'the key of a call was not freed');
    flight.stop = after(this.#options.afterDeliveryMs ?? afterDeliveryMs, () => this.#free(name, flight), failed);
  }

  #free(name: KeyName, flight: Flight): void {
    const { store, log } = this.#options;
    const { key } = name;
    const { subject } = flight;
    flight.stop();
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
    this.#freed.set(key, subject);
    store
      .write([operation(journalStore, 'freeAnsweredKey', { ...name, subject })])
      .catch((err: unknown) => log.warn({ err }, 'the key of a call was not freed; it expires'))
      .finally(() => this.#freed.delete(key));
  }
}

function created(...callers: RepeatedCall[]): Flight {
  return {
    work: undefined,
    subject: '',
    kept: false,
    unknown: false,
    pending: 0,
    proofs: [],
    callers,
    stop: () => undefined,
  };
}

// Another process took the key first: what became of its work is read until it is known.
function unlessLost(error: unknown): undefined {
  if (!(error instanceof KeyLost) && !(error instanceof CallerLeft)) throw error;
}

function hasArrived({ pending, proofs, unknown }: Flight): boolean {
  return !unknown && pending === 0 && proofs.some((renewed) => renewed());
}

function isUnknown(answer: StoredAnswer): boolean {
  return 'code' in answer && answer.code === 'outcome_unknown';
}

/** How long the answer of an implicit key is kept: until it is settled when nobody knows the outcome. */
export function keptMs(answer: StoredAnswer | undefined): number {
  return answer !== undefined && isUnknown(answer) ? 3650 * 86_400_000 : undeliveredMs;
}
