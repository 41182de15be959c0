import { after, every, PlatformError, type Health, type Log } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { Projection } from '../projection/projection.ts';
import type { Position } from '../../receipts/contract.ts';
import { Follower, type FollowOptions } from './follower.ts';
import { HeadView } from './head-view.ts';
import { dueDay, restoreSnapshot, takeSnapshot, type SnapshotOptions } from './snapshots.ts';

/** What the ledger needs. */
interface LedgerOptions extends Omit<FollowOptions, 'logger' | 'restore'>, Omit<SnapshotOptions, 'logger'> {
  readonly logger: Log;
  /** Called when the ledger has caught up with the log after a start behind it. */
  readonly onCaughtUp: () => void;
}

const tickMs = 15_000;
// Entries are folded in batches after a short delay: a commit for each entry would slow the writer.
const delayMs = 150;
// So many entries are folded before the server listens: that takes a tenth of a second. With more, it serves behind.
const mostAtStart = 1000;
const progressMs = 5000;
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
  /** Present while the ledger is far behind the log; `usable`: there is a committed projection. */
  #behind: { readonly view: HeadView; readonly usable: boolean } | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.follower = new Follower({ ...options, restore: (line) => restoreSnapshot(line, this.follower, options) });
    const failed = (err: unknown): void =>
      options.logger.error({ err }, 'the ledger could not be started again; it tries again');
    this.#undo.push(
      every(tickMs, () => this.wake(), failed),
      every(progressMs, () => this.#tellProgress(), failed),
      options.log.onAppend(() => {
        this.wake();
        if (this.#behind !== undefined) this.settled().catch(failed);
      }),
    );
  }

  /**
   * Follows the log to its end when that is near; otherwise reads what it says besides runs, and follows it while the
   * server serves. Call it once, before anything is served.
   */
  async begin(): Promise<void> {
    const entries = this.#left();
    if (entries <= mostAtStart) await this.settled();
    else {
      const view = new HeadView(this.#options, this.follower.read);
      this.#behind = { view, usable: this.follower.position !== undefined };
      await view.follow();
      this.#options.logger.warn({ entries }, 'the ledger is behind the log, and catches up while the server serves');
    }
    this.wake();
  }

  /**
   * The projection to answer from: all that the log says, but for runs that are not counted yet. Throws 503
   * `ledger_behind` when nothing was ever committed and the log is not read yet.
   */
  get projection(): Projection {
    if (this.#behind === undefined) return this.follower.projection;
    if (!this.#behind.usable) throw ledgerBehind();
    return this.#behind.view.projection;
  }

  /** The position up to which runs are counted, while that is not the end of the log. Throws as `projection` does. */
  get asOf(): Position | undefined {
    if (this.#behind === undefined) return undefined;
    if (!this.#behind.usable) throw ledgerBehind();
    return this.follower.position;
  }

  /** Schedules following the log and taking the snapshots that are due; the caller does not wait. */
  wake(): void {
    if (this.#waiting !== undefined || this.#stopped) return;
    const follow = (): Promise<void> => {
      this.#waiting = undefined;
      return this.#queue(async () => {
        await this.#follow({ rest });
        this.#caughtUp();
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
      this.#caughtUp();
      await this.#snapshots();
    });
  }

  /**
   * Resolves once every entry committed before the call is folded, or shown by `projection` while the ledger is behind;
   * rejects when that fails, and with 503 `ledger_behind` when there is no projection.
   */
  async settled(): Promise<void> {
    const behind = this.#behind;
    if (behind === undefined) return this.#queue(() => this.#follow());
    if (!behind.usable) throw ledgerBehind();
    this.#options.onChanges(await behind.view.follow());
  }

  /** Down when it cannot follow or has no projection yet, degraded when it is behind or a snapshot does not recompute. */
  health(): { readonly health: Health; readonly reason?: string } {
    if (this.#failed !== undefined) return { health: 'down', reason: this.#failed };
    if (this.#behind !== undefined) {
      const reason = `${this.#left()} entries of the log are not counted yet`;
      return { health: this.#behind.usable ? 'degraded' : 'down', reason };
    }
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

  #caughtUp(): void {
    if (this.#behind === undefined) return;
    this.#behind = undefined;
    this.#options.logger.info({}, 'the ledger has caught up with the log');
    this.#options.onCaughtUp();
  }

  #tellProgress(): void {
    if (this.#behind !== undefined) this.#options.logger.info({ entries: this.#left() }, 'the ledger catches up');
  }

  // How many entries of the log are not folded.
  #left(): number {
    const { read } = this.follower;
    const heads = this.#options.log.heads();
    return heads.reduce((sum, { origin, tree_size }) => sum + tree_size - (read.get(origin) ?? 0), 0);
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

function ledgerBehind(): PlatformError {
  const detail = 'the ledger reads the log for the first time; GET /health/ready answers 200 when it is done';
  return new PlatformError(problems.ledger_behind, detail, { retry_after: 10 });
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
