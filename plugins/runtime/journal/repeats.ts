import { setImmediate as soon, setTimeout as pause } from 'node:timers/promises';
import { replay, type StoredAnswer } from './answer.ts';
import { Flight, Flights, type RepeatedCall } from './flights.ts';
import { answerKeptMs, KeyLost, type Claim, type IdempotencyKeys, type MaybeReplayed, type Presented } from './keys.ts';
import journalStore, { repeatMethod, type KeyName } from './store.ts';
import {
  type PluginScope,
  canonical,
  after,
  PlatformError,
  type Clock,
  operation,
  type Awaitable,
  type Operation,
} from '../../../kernel/index.ts';
import type { Delivery } from '../../../kernel/runner.ts';
import { CallerLeft, type Repeat } from './repeat.ts';
import type { ReceiptCheck } from '../facts/facts.ts';

/** How long a key stays after its answer was first handed over whole: it may have been lost behind the operating system. */
const afterDeliveryMs = 10_000;
/** How long a response is kept whose delivery was not observed. */
const undeliveredMs = 600_000;
const pollMs = 250;

/** The parts of the guard. */
export interface RepeatOptions extends Pick<PluginScope<unknown, never>, 'log' | 'store'> {
  readonly keys: IdempotencyKeys;
  readonly check: ReceiptCheck;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a key stays after the first whole delivery; 10 s unless a test gives it. */
  readonly afterDeliveryMs?: number;
}

/**
 * Does the work under its key; `abandoned` says whether all who called have gone. `kept` is told when the answer was kept
 * under the key by others than the claim: whether the outcome is unknown.
 */
export type GuardedWork<T> = (claim: Claim, abandoned: () => boolean, kept: (unknown: boolean) => void) => Promise<T>;

/**
 * Sends nothing twice when a client repeats a call whose answer it did not get, although nothing marks the repetition: a
 * durable key of the call itself. It holds while the answer is in flight, was never handed over whole, or is unknown;
 * after the first whole delivery for ten seconds, unless the client shows before that it has the answer.
 */
export class RepeatGuard {
  readonly #options: RepeatOptions;
  readonly #flights = new Flights();
  // The run whose answer is about to be erased, by key.
  readonly #freed = new Map<string, string>();

  constructor(options: RepeatOptions) {
    this.#options = options;
  }

  /** Does work, or gets the answer of the same call: one under way, or one whose answer may not have arrived. */
  async run<T extends object>(call: RepeatedCall, repeat: Repeat, work: GuardedWork<T>): Promise<MaybeReplayed<T>> {
    const name = this.#nameOf(call, repeat.name);
    this.#movedOn(name);
    // A connection that its client has closed is known to be closed once all that came with this call was read.
    if (this.#flights.get(name.key)?.proofs.length) for (let turn = 0; turn < 2; turn += 1) await soon();
    const until = Date.now() + undeliveredMs;
    for (;;) {
      const found = await this.#begin(name, { call, repeat }, work)?.catch(unlessLost);
      if (found !== undefined) return found;
      // The work goes on elsewhere.
      if (Date.now() > until || call.abandoned?.() === true) throw new CallerLeft();
      await pause(pollMs);
      // The key may be free by now: the work must not begin for nobody.
      if (call.abandoned?.() === true) throw new CallerLeft();
    }
  }

  /** Notes that a call began that is not guarded itself: its caller has the answers that were handed over before. */
  noteCall(call: RepeatedCall, tool: string): void {
    const { principal, orbiset_id } = call;
    const none = this.#flights.delivered({ principal, path: pathOf(orbiset_id) }).length === 0;
    if (none && !this.#options.store.shared) return;
    this.#movedOn(this.#nameOf(call, tool));
  }

  /** Frees the key of a run whose answer another request hands over, once it has arrived. */
  handedOver(name: KeyName, subject: string, carrier: ReturnType<Repeat['carrier']>): void {
    const known = this.#flights.get(name.key);
    if (known !== undefined && known.subject !== subject) return;
    const { principal, method, path, key } = name;
    const flight = known ?? new Flight({ principal, method, path, key }, { subject });
    this.#flights.set(flight);
    this.#follow(flight, { name: '', carrier: () => carrier });
  }

  /** Ends the timers. Keys whose answers were handed over expire as they would have. */
  close(): void {
    const expires_at = this.#expiry();
    for (const flight of this.#flights.close()) void this.#write(delivery(flight, expires_at));
  }

  #nameOf({ principal, orbiset_id, inputs }: RepeatedCall, tool: string): KeyName {
    const key = this.#options.store.sealer.mac('repeat', canonical([principal, orbiset_id, tool, inputs]));
    return { principal, method: repeatMethod, path: pathOf(orbiset_id), key };
  }

  // Another call of the same caller shows that the earlier response has arrived, whichever node handed it over.
  #movedOn(name: KeyName): void {
    for (const flight of this.#flights.delivered(name)) if (flight.name.key !== name.key) this.#free(flight);
    if (this.#options.store.shared)
      void this.#write(operation(journalStore, 'freeDeliveredKeys', { ...name, expires_at: this.#expiry() }));
  }

  // Of two simultaneous calls only one begins the work, at once where the store answers at once. Undefined: another
  // process has the work, or it was given up.
  #begin<T extends object>(
    name: KeyName,
    { call, repeat }: { readonly call: RepeatedCall; readonly repeat: Repeat },
    work: GuardedWork<T>,
  ): Promise<MaybeReplayed<T> | undefined> | undefined {
    const flight = this.#flights.get(name.key);
    if (flight?.work !== undefined) return this.#joined(flight, { call, repeat });
    if (flight !== undefined && flight.hasArrived) this.#free(flight);
    const presented = this.#present(name, repeat);
    const go = (found: Presented | undefined): Promise<MaybeReplayed<T>> | undefined => {
      if (found === undefined) return undefined;
      if ('answer' in found) return this.#repeated(name, repeat, found);
      const fresh = new Flight(name);
      fresh.callers.push(call);
      this.#flights.set(fresh);
      const working = this.#work(found.claim, fresh, work);
      fresh.work = working;
      return this.#told({ flight: fresh, repeat }, working, { replayed: false });
    };
    return presented instanceof Promise ? presented.then(go) : go(presented);
  }

  async #joined<T extends object>(
    flight: Flight,
    { call, repeat }: { readonly call: RepeatedCall; readonly repeat: Repeat },
  ): Promise<MaybeReplayed<T> | undefined> {
    flight.callers.push(call);
    if (flight.subject !== '') repeat.joined?.(flight.subject);
    try {
      // The caller is the same, so the work has the same type.
      return await this.#told({ flight, repeat }, flight.work as Promise<T>, { replayed: true });
    } catch (error) {
      // Given up right before this caller came: nothing was sent.
      if (flight.givenUp && error instanceof PlatformError && error.code === 'run_cancelled') return undefined;
      throw error;
    }
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
    const isGivenUp = (): boolean => (flight.givenUp = flight.callers.every(({ abandoned }) => abandoned?.() === true));
    try {
      return await work(noting, isGivenUp, kept);
    } finally {
      claim.release();
      flight.work = undefined;
    }
  }

  async #told<T>(
    { flight, repeat }: { readonly flight: Flight; readonly repeat: Repeat },
    work: Promise<T>,
    { replayed }: { readonly replayed: boolean },
  ): Promise<MaybeReplayed<T>> {
    try {
      return { answer: await work, replayed };
    } finally {
      if (flight.kept) this.#follow(flight, repeat);
      else this.#flights.forget(flight);
    }
  }

  async #repeated<T extends object>(
    name: KeyName,
    repeat: Repeat,
    { answer, subject }: { readonly answer: StoredAnswer; readonly subject: string },
  ): Promise<MaybeReplayed<T>> {
    const known = this.#flights.get(name.key);
    const flight = known?.subject === subject ? known : new Flight(name, { subject, unknown: isUnknown(answer) });
    this.#flights.set(flight);
    try {
      return { answer: (await replay(answer, this.#options.check)) as T, replayed: true };
    } finally {
      this.#follow(flight, repeat);
    }
  }

  #follow(flight: Flight, repeat: Repeat): void {
    flight.pending += 1;
    const told = (delivery: Delivery | undefined): void => {
      flight.pending -= 1;
      if (delivery?.whole === true) this.#delivered(flight, delivery);
      if (flight.pending === 0) this.#settle(flight);
    };
    const carrier = repeat.carrier();
    if (carrier === undefined) told(undefined);
    else carrier(told);
  }

  // The time is counted from the first one: a caller that repeats must not prolong it.
  #delivered(flight: Flight, { renewed }: Delivery): void {
    flight.proofs.push(renewed);
    if (flight.unknown || flight.proofs.length > 1) return;
    this.#flights.deliver(flight);
    // Other nodes have to know of it.
    if (this.#options.store.shared) void this.#write(delivery(flight, this.#expiry()));
    const over = (): void => {
      flight.due = true;
      if (flight.pending === 0) this.#free(flight);
    };
    flight.stop = after(this.#options.afterDeliveryMs ?? afterDeliveryMs, over, this.#failed);
  }

  // Without a delivery, or with an outcome that is unknown, the row alone remains.
  #settle(flight: Flight): void {
    if (flight.unknown || flight.proofs.length === 0) this.#flights.forget(flight);
    else if (flight.due) this.#free(flight);
  }

  #free(flight: Flight): void {
    const { name, subject } = flight;
    this.#flights.forget(flight);
    this.#freed.set(name.key, subject);
    void this.#write(operation(journalStore, 'freeAnsweredKey', { ...name, subject })).finally(() => {
      // The answer of a later call may be about to be erased, too.
      if (this.#freed.get(name.key) === subject) this.#freed.delete(name.key);
    });
  }

  #expiry(): number {
    return this.#options.clock.now() + (this.#options.afterDeliveryMs ?? afterDeliveryMs);
  }

  #write(change: Operation): Promise<void> {
    return this.#options.store.write([change]).then(() => undefined, this.#failed);
  }

  // The key expires.
  readonly #failed = (err: unknown): void => this.#options.log.warn({ err }, 'the key of a call was not released');
}

function delivery({ name, subject }: Flight, expires_at: number): Operation {
  return operation(journalStore, 'deliverKey', { ...name, subject, expires_at });
}

function pathOf(orbisetId: string): string {
  return `/orbisets/${orbisetId}`;
}

// Another process took the key first: what became of its work is read until it is known.
function unlessLost(error: unknown): undefined {
  if (!(error instanceof KeyLost) && !(error instanceof CallerLeft)) throw error;
}

function isUnknown(answer: StoredAnswer): boolean {
  return 'code' in answer && answer.code === 'outcome_unknown';
}

/** How long the answer of an implicit key is kept: until it is settled when the outcome is unknown. */
export function keptMs(answer: StoredAnswer | undefined): number {
  return answer !== undefined && isUnknown(answer) ? 3650 * 86_400_000 : undeliveredMs;
}

/**
 * How long the answer of a guarded call is kept that went through the queue. One without effect is guarded only because people
 * were asked about it: nobody waits for its answer, so it is kept for a day, as under a key of the caller.
 */
export function guardedMs(effect: string, answer: StoredAnswer): number {
  return effect === 'none' ? answerKeptMs : keptMs(answer);
}
