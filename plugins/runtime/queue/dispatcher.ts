import type { RuntimeScope } from '../facts/scope.ts';
import type { LineBounds } from '../run/limits/line-bounds.ts';
import type { Lines } from './lines.ts';
import type { Turns } from './turn.ts';
import queueStore, { type ClaimedRow, type Claims, type QueueReads, type Wish } from './store.ts';
import { operation, after } from '../../../kernel/index.ts';

/** The dependencies of the dispatcher. */
export interface DispatcherOptions extends Pick<RuntimeScope, 'clock' | 'log' | 'store'> {
  readonly lines: Lines;
  readonly line: LineBounds;
  readonly reads: Pick<QueueReads, 'firstExpiry' | 'lastPut'>;
  readonly turns: Pick<Turns, 'serve'>;
  /** Called when a run has ended. */
  readonly ended: (row: ClaimedRow) => void;
}

const mostRunning = 64;
// Whose end is being recorded.
const mostEnding = 128;
const mostReady = 256;
// Below so many, the next are claimed while these run.
const fewReady = 128;
const mostWrites = 256;
const pausedMs = 20;
const tickMs = 1000;
// Clocks are corrected by less all the time.
const setBackMs = 5000;

/** Claims waiting runs when they are due and serves them, as many at once as the bounds allow. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #started = false;
  #closing = false;
  #awake = false;
  #ending = 0;
  #claiming: Promise<void> | undefined;
  #expiryAt = 0;
  #stopTimer: () => void = () => undefined;
  #idle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#started = true;
    this.#options.line.onMore?.(() => this.wake());
    this.wake();
  }

  /** Looks for work at the end of this turn of the event loop: requests that have arrived by then go first. */
  wake(): void {
    if (!this.#started || this.#closing || this.#awake) return;
    this.#awake = true;
    setImmediate(() => {
      this.#awake = false;
      this.#work();
    });
  }

  /** Begins no further run, gives back those that were claimed, and waits for those under way. */
  async close(): Promise<void> {
    const { lines, log, store } = this.#options;
    this.#closing = true;
    this.#stopTimer();
    await this.#claiming;
    const run_ids = lines.clear().map(({ run_id }) => run_id);
    // If the store is away, the next start gives them back.
    const failed = (err: unknown): void => log.warn({ err }, 'the queue could not return claimed runs');
    if (run_ids.length > 0) await store.write([operation(queueStore, 'release', { run_ids })]).catch(failed);
    if (lines.counts.running + this.#ending > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  #work(): void {
    const { line, lines, store, clock } = this.#options;
    if (this.#closing) return;
    this.#stopTimer();
    if (store.outstanding() > mostWrites) return this.#later(pausedMs);
    while (lines.counts.running < mostRunning && this.#ending < mostEnding) {
      const row = lines.take();
      if (row === undefined) break;
      void this.#serve(row);
    }
    line.update?.(lines.demands());
    const now = clock.now();
    if (lines.counts.ready < fewReady) this.#claim(now);
    const due = lines.nextDue();
    if (due !== Infinity) this.#later(Math.min(tickMs, Math.max(1, due - now)));
  }

  #later(ms: number): void {
    this.#stopTimer = after(
      ms,
      () => this.#work(),
      (err) => this.#options.log.error({ err }, 'the queue of runs failed'),
    );
  }

  #claim(now: number): void {
    if (this.#claiming !== undefined) return;
    const { lines, log } = this.#options;
    const wishes = lines.wishes(now, mostReady - lines.counts.ready);
    // Runs of a long line may expire before their turn: asked for once a second.
    const looks = now >= this.#expiryAt || this.#expiryAt > now + tickMs;
    if (looks) this.#expiryAt = now + tickMs;
    if (wishes.length === 0 && !looks) return;
    this.#claiming = this.#claimed(wishes, { now, looks })
      .catch((err: unknown) => {
        log.warn({ err }, 'the queue could not claim waiting runs');
        this.#later(tickMs);
      })
      .finally(() => (this.#claiming = undefined));
  }

  async #claimed(wishes: readonly Wish[], { now, looks }: { now: number; looks: boolean }): Promise<void> {
    const { lines, store, reads } = this.#options;
    const { node } = store;
    if (looks) await this.#mend(now);
    const expiry = looks ? await reads.firstExpiry() : undefined;
    const expiring = expiry !== undefined && expiry <= now;
    if (wishes.length > 0 || expiring) {
      const [claims] = await store.write([operation(queueStore, 'claim', { node, now, wishes })]);
      lines.add(claims);
    }
    if (expiring) {
      const [rows] = await store.write([
        operation(queueStore, 'claimExpired', { node, now, limit: mostReady - fewReady }),
      ]);
      lines.add({ rows, next: [] } satisfies Claims);
    }
    this.#claiming = undefined;
    this.wake();
  }

  // The clock was ahead for a moment: runs that were delayed then would wait too long.
  async #mend(now: number): Promise<void> {
    const { reads, lines, log, store } = this.#options;
    const after = now + setBackMs;
    if ((await reads.lastPut()) <= after) return;
    const [mended] = await store.write([operation(queueStore, 'mend', { now, after })]);
    for (const { tenant, orbiset_id } of mended) lines.note(tenant, orbiset_id, now);
    if (mended.length > 0)
      log.warn({ runs: mended.length }, 'the clock was set back; runs that it had delayed are due now');
  }

  async #serve(row: ClaimedRow): Promise<void> {
    const { lines, turns, ended, log } = this.#options;
    let freed = false;
    const free = (): void => {
      if (freed) return;
      freed = true;
      lines.end(row);
      this.#ending += 1;
      this.wake();
    };
    try {
      const again = await turns.serve(row, free);
      if (again === undefined) ended(row);
      else lines.note(row.tenant, row.orbiset_id, again.due_at);
    } catch (err) {
      log.error({ err, run_id: row.run_id }, 'a queued run failed; the server continues it at the next start');
    } finally {
      free();
      this.#ending -= 1;
      if (lines.counts.running + this.#ending === 0) this.#idle?.();
      this.wake();
    }
  }
}
