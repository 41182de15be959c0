import { after, every, type Health, type Log } from '../../../kernel/index.ts';
import { Follower, type FollowOptions } from './follower.ts';
import { dueDay, restoreSnapshot, takeSnapshot, type SnapshotOptions } from './snapshots.ts';

/** What the ledger needs. */
interface LedgerOptions extends Omit<FollowOptions, 'logger' | 'restore'>, Omit<SnapshotOptions, 'logger'> {
  readonly logger: Log;
}

const tickMs = 15_000;
// Entries are folded in batches after a short delay: a commit for each entry would slow the writer.
const delayMs = 150;
// While requests are served, the ledger takes at most a quarter of the thread's time.
const rest = 3;

/** Runs the ledger's work: one task after another, outside any request. */
export class Ledger {
  readonly follower: Follower;
  readonly #options: LedgerOptions;
  readonly #undo: (() => void)[] = [];
  #turn: Promise<void> = Promise.resolve();
  #failed: string | undefined;
  #scanned = false;
  #stopped = false;
  #waiting: (() => void) | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.follower = new Follower({ ...options, restore: (line) => restoreSnapshot(line, this.follower, options) });
    const failed = (err: unknown): void =>
      options.logger.error({ err }, 'the ledger could not be started again; it tries again');
    this.#undo.push(
      every(tickMs, () => this.wake(), failed),
      options.log.onAppend(() => this.wake()),
    );
  }

  /** Schedules following the log and taking the snapshots that are due; the caller does not wait. */
  wake(): void {
    if (this.#waiting !== undefined || this.#stopped) return;
    const follow = (): Promise<void> => {
      this.#waiting = undefined;
      return this.#queue(async () => {
        await this.#follow({ rest });
        await this.#snapshots();
      });
    };
    // The queue reports its failures.
    this.#waiting = after(delayMs, follow, () => undefined);
  }

  /** Follows to the end and takes the snapshots that are due. */
  caughtUp(): Promise<void> {
    return this.#queue(async () => {
      await this.#follow();
      await this.#snapshots();
    });
  }

  /** Resolves once every entry committed before the call is folded; rejects when that fails. */
  settled(): Promise<void> {
    return this.#queue(() => this.#follow());
  }

  /** Down when it cannot follow, degraded when a snapshot does not recompute. */
  health(): { readonly health: Health; readonly reason?: string } {
    if (this.#failed !== undefined) return { health: 'down', reason: this.#failed };
    const [wrong] = this.#options.reads.mismatches();
    if (wrong !== undefined) return { health: 'degraded', reason: `the snapshot of ${wrong} does not recompute` };
    return { health: 'up' };
  }

  /** Stops after the current batch; the next start continues from there. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const step of this.#undo) step();
    this.#waiting?.();
    await this.#turn;
  }

  async #follow(pace: { readonly rest?: number } = {}): Promise<void> {
    const ended = (): boolean => this.#stopped;
    await this.#recovering(async () => {
      if (!this.#scanned) await this.follower.scan(ended);
      this.#scanned = true;
      await this.follower.follow({ ...pace, ended });
    });
    // A caller that waits for the end of the log must not continue as if it were reached.
    if (this.#stopped) throw new Error('the ledger stops');
    this.#failed = undefined;
  }

  async #snapshots(): Promise<void> {
    for (let day = dueDay(this.#options); day !== undefined && !this.#stopped; day = dueDay(this.#options)) {
      const due = day;
      await this.#recovering(() => takeSnapshot(due, this.follower, this.#options));
    }
  }

  // After a failure the state in memory may be ahead of the committed state.
  async #recovering(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed = 'the log could not be followed to its end';
      this.follower.reload();
      this.#scanned = false;
      throw error;
    }
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch((error: unknown) => {
      if (!this.#stopped) this.#options.logger.error({ err: error }, 'the ledger fell behind; it tries again');
    });
    return done;
  }
}

/** Calls listeners; a failing listener does not affect the others. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #log: Pick<Log, 'error'>;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** Adds a listener; answers a function that removes it. */
  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls all listeners; logs a failure and continues with the next. */
  tell(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the ledger failed');
      }
    }
  }
}
