import { setTimeout as pause } from 'node:timers/promises';
import { createSerial, every, given, operation, type PluginScope, type Store } from '../../kernel/index.ts';
import type { Directory } from './directory.ts';
import { failingSince, mostFailingMs } from './receiver-failure.ts';
import { send, type Answered, type Sending } from './send.ts';
import subscriptionStore, { type StoredCallback, type SubscriptionReads, type Tried } from './store.ts';
import type { Subscription } from './subscription.ts';

const second = 1000;
const hour = 3_600_000;
/** Pause after each failed attempt. After the last pause there is one more attempt. */
export const pauses: readonly number[] = [
  ...[5 * second, 5 * 60 * second, 30 * 60 * second],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];

/** What deliveries need. */
export interface DelivererOptions extends Sending, Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'metrics'> {
  readonly store: Pick<Store, 'write' | 'sealer'>;
  readonly reads: Pick<SubscriptionReads, 'due' | 'nextDue' | 'lastFailed'>;
  readonly directory: Directory;
  /** Tries under way at once, in all and to one host. */
  readonly concurrency: number;
  readonly per_host: number;
  /** 0–1. */
  readonly random: () => number;
}

type Due = StoredCallback & { readonly body: Uint8Array };

const beatMs = 500;
/** Time after which a failed step of this node is repeated: storing a result, or starting an attempt. */
const againMs = second;
const sweepMs = 10_000;
// A smaller clock correction delays callbacks only a little.
const setBackMs = 5 * second;
/** Reads of due callbacks at once. */
const mostLooking = 16;

/** Delivers callbacks that are due: each subscription in its turn, so that a slow receiver delays no other host. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #count: (labels: { readonly result: string }) => void;
  /** Subscriptions that may have due callbacks, with the due time, in the order of their turns. */
  readonly #waiting = new Map<string, number>();
  /** Subscriptions whose due callbacks are being read. */
  readonly #looking = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #ofHost = new Map<string, number>();
  /** Tries under way of the subscriptions that one principal made. */
  readonly #ofMaker = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();
  /** Time of the last failed attempt of a subscription; undefined: no stored attempt failed. */
  readonly #lastFailed = new Map<string, number | undefined>();
  // Two attempts that fail at the same time must not count each other as an earlier failure.
  readonly #inTurn = createSerial();
  #stops: readonly (() => void)[] = [];
  readonly #closing = new AbortController();
  #open = false;
  /** The clock at the last look. */
  #latest = Infinity;
  /** Whether the clock may have been set back after stored callbacks were delayed. */
  #setBack = true;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const help = 'Delivery attempts of callbacks, by result';
    const tries = options.metrics.counter('orb_callbacks_total', help, ['result']);
    this.#count = (labels) => tries.inc(labels);
  }

  start(): void {
    this.#open = true;
    const failed = (err: unknown): void => this.#options.log.error({ err }, 'due callbacks could not be read');
    this.#stops = [every(beatMs, () => this.#pump(), failed), every(sweepMs, () => this.#sweep(), failed)];
    this.#sweep();
  }

  /** Stops the deliveries. Attempts that are in progress are repeated at the next start, unless they finish now. */
  async stop(): Promise<void> {
    this.#open = false;
    this.#closing.abort();
    for (const stop of this.#stops) stop();
    await Promise.all(this.#underWay);
  }

  /** Checks immediately for due callbacks of subscriptions. */
  wake(ids: Iterable<string>): void {
    for (const id of ids) this.#waiting.set(id, 0);
    this.#pump();
  }

  // This finds callbacks that became due without a notification, for example before a restart.
  #sweep(): void {
    if (this.#setBack) void this.#mend(this.#options.clock.now());
    this.wake(this.#options.directory.all().map(({ subscription_id }) => subscription_id));
  }

  #pump(): void {
    const { concurrency, clock } = this.#options;
    if (!this.#open || this.#underWay.size >= concurrency) return;
    const now = clock.now();
    if (now < this.#latest - setBackMs) this.#setBack = true;
    this.#latest = now;
    for (const { subscription } of this.#inOrder(now)) {
      if (this.#underWay.size >= concurrency || this.#looking.size >= mostLooking) return;
      void this.#serve(subscription, now);
    }
  }

  // The clock was ahead, in this process or an earlier one: callbacks delayed at that time would wait too long.
  async #mend(now: number): Promise<void> {
    const { log, store } = this.#options;
    this.#setBack = false;
    try {
      const [mended] = await store.write([operation(subscriptionStore, 'mend', { now, after: now + setBackMs })]);
      if (mended === 0) return;
      log.warn({ callbacks: mended }, 'the clock was set back; callbacks that were delayed by it are due now');
      this.#sweep();
    } catch (err) {
      this.#setBack = true;
      if (this.#open)
        log.warn({ err }, 'callbacks that were delayed by a wrong clock could not be read; the server tries again');
    }
  }

  // Start with principals that have the fewest attempts in progress, so that their slow receivers do not delay
  // callbacks of others.
  #inOrder(now: number) {
    const found: { readonly subscription: Subscription; readonly tries: number }[] = [];
    for (const [id, due] of this.#waiting) {
      const subscription = this.#options.directory.find(id);
      if (subscription?.state !== 'active') this.#waiting.delete(id);
      else if (due <= now && !this.#looking.has(id))
        found.push({ subscription, tries: this.#ofMaker.get(makerOf(subscription)) ?? 0 });
    }
    return found.sort((a, b) => a.tries - b.tries);
  }

  // Check a subscription only once at a time. If it is woken during a check, check it again afterwards.
  async #serve({ subscription_id: id, host }: Subscription, now: number): Promise<void> {
    if (this.#free(host) <= 0) return;
    this.#looking.add(id);
    this.#waiting.delete(id);
    let again: number | undefined = now + beatMs;
    try {
      again = await this.#look(id, host, now);
    } catch (err) {
      if (this.#open) this.#options.log.error({ err, subscription_id: id }, 'due callbacks could not be read');
    }
    const others = this.#looking.size >= mostLooking;
    this.#looking.delete(id);
    if (again !== undefined && !this.#waiting.has(id)) this.#waiting.set(id, again);
    if (others || this.#waiting.get(id) === 0) this.#pump();
  }

  // Starts the due attempts; answers when to check again.
  async #look(id: string, host: string, now: number): Promise<number | undefined> {
    const { directory, reads } = this.#options;
    await this.#learn(id);
    // Attempts in progress are still due in the store; skip them, and also those that end while the store answers.
    const busy = new Set(this.#busy);
    const due = await reads.due(id, now, busy.size + this.#free(host));
    const found = due.filter((one) => !busy.has(one.callback_id));
    if (found.length === 0) {
      const next = await reads.nextDue(id);
      return next === undefined ? undefined : Math.max(next, now + 1);
    }
    const subscription = directory.find(id);
    if (!this.#open || subscription?.state !== 'active') return undefined;
    const free = Math.max(0, this.#free(host));
    for (const one of found.slice(0, free)) this.#begin(subscription, one);
    return found.length > free ? 0 : now + beatMs;
  }

  #free(host: string): number {
    const { concurrency, per_host } = this.#options;
    return Math.min(per_host - (this.#ofHost.get(host) ?? 0), concurrency - this.#underWay.size);
  }

  #begin(subscription: Subscription, due: Due): void {
    const { host, subscription_id } = subscription;
    this.#busy.add(due.callback_id);
    const maker = makerOf(subscription);
    add(this.#ofHost, host, 1);
    add(this.#ofMaker, maker, 1);
    const work = this.#deliver(subscription, due)
      .then(
        () => 0,
        (err: unknown) => {
          const { log, clock } = this.#options;
          log.warn(
            { err, subscription_id },
            'a callback could not be sent, or its result could not be stored; the server tries again',
          );
          // It is still due, so an immediate retry would loop without end.
          return clock.now() + againMs;
        },
      )
      .then((next) => {
        this.#underWay.delete(work);
        this.#busy.delete(due.callback_id);
        add(this.#ofHost, host, -1);
        add(this.#ofMaker, maker, -1);
        this.#waiting.set(subscription_id, Math.min(next, this.#waiting.get(subscription_id) ?? Infinity));
        this.#pump();
      });
    this.#underWay.add(work);
  }

  async #deliver(subscription: Subscription, due: Due): Promise<void> {
    const { store, clock } = this.#options;
    const body = Buffer.from(store.sealer.open('callback', due.body)).toString();
    const answered = await send(subscription, { id: due.callback_id, body, now: clock.now() }, this.#options);
    // Our own shutdown ended the attempt: it is not a failure of the receiver, and is repeated at the next start.
    if (!this.#open && answered.kind === 'failed') return;
    this.#count({ result: answered.kind });
    const tried = this.#triedOf(due, answered);
    await this.#note(tried);
    await this.#inTurn(() => this.#judge(tried, answered));
  }

  // A callback without a stored result is still due: do not send it again until the store accepts the result.
  async #note(tried: Tried): Promise<void> {
    const { store, log } = this.#options;
    for (let refusals = 0; ; refusals += 1) {
      const isLast = !this.#open;
      try {
        await store.write([operation(subscriptionStore, 'tried', tried)]);
        return;
      } catch (err) {
        if (isLast) throw err;
        const { subscription_id } = tried;
        if (refusals === 0)
          log.warn({ err, subscription_id }, 'the result of a callback could not be stored; the server tries again');
      }
      await pause(againMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  #triedOf({ callback_id, subscription_id, tries }: Due, answered: Answered): Tried {
    const { clock, random } = this.#options;
    const { kind, status, failure, retry_after = 0 } = answered;
    const last_at = clock.now();
    const said = { callback_id, subscription_id, last_at, tries: tries + 1, ...given({ status, failure }) };
    if (kind === 'taken') return { ...said, state: 'delivered' };
    const wait = pauses[tries];
    if (wait === undefined || kind === 'gone') return { ...said, state: 'dead' };
    // Vary the pause by a tenth, so that callbacks that failed at the same time are not retried at the same time.
    const due_at = last_at + Math.max(wait * (0.9 + 0.2 * random()), retry_after * second);
    return { ...said, state: 'waiting', due_at: Math.round(due_at) };
  }

  // Reads when a failing receiver failed last, before the first attempt after a start.
  async #learn(id: string): Promise<void> {
    const { directory, reads } = this.#options;
    if (directory.find(id)?.failing_since === undefined || this.#lastFailed.has(id)) return;
    const last = await reads.lastFailed(id);
    if (!this.#lastFailed.has(id)) this.#lastFailed.set(id, last);
  }

  async #judge({ subscription_id: id, last_at }: Tried, { kind }: Answered): Promise<void> {
    const { directory, log } = this.#options;
    const last = this.#lastFailed.get(id);
    if (kind === 'taken') this.#lastFailed.delete(id);
    else this.#lastFailed.set(id, last_at);
    const subscription = directory.find(id);
    if (subscription === undefined) return void this.#lastFailed.delete(id);
    const { state, failing_since } = subscription;
    if (kind === 'taken') return failing_since === undefined ? undefined : directory.note(subscription, undefined);
    const since = failingSince({ since: failing_since, last }, last_at);
    if (state === 'active' && (kind === 'gone' || last_at - since >= mostFailingMs)) {
      const reason = kind === 'gone' ? 'the receiver responded with status 410' : 'no callback was accepted for 5 days';
      log.warn({ subscription_id: id, reason }, 'a subscription was switched off');
      return directory.switchOff(subscription, reason, since);
    }
    if (failing_since !== since) await directory.note(subscription, since);
  }
}

function makerOf({ tenant, created_by }: Subscription): string {
  return `${tenant} ${created_by}`;
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count <= 0) counts.delete(name);
  else counts.set(name, count);
}
