import { after, every, type HealthCheck, type Held } from '../../../kernel/index.ts';
import type { SnapshotLine } from '../fact/line.ts';
import { snapshotRefOf } from '../shapes.ts';
import type { Projection } from '../projection/projection.ts';
import type { LogHead, Position } from '../../receipts/contract.ts';
import { differences, foldedElsewhere } from './elsewhere.ts';
import { failureOf } from './failure.ts';
import { Follower } from './follower.ts';
import type { FollowScope } from './scope.ts';
import { ledgerBehind, openHeadView, type HeadView } from './head-view.ts';
import { createMissedDays, type MissedDays } from './missed-days.ts';
import { uncounted } from '../fact/prefix.ts';
import { dueDay, restoreSnapshot, takeSnapshot } from './snapshots.ts';

const tickMs = 15_000;
const sharedTickMs = 500; // No event announces entries that other nodes commit.
const lookMs = 1000;
// Entries are folded in batches after a short delay: a commit for each entry would slow the writer.
const delayMs = 150;
// So many entries are folded before the server listens: that takes a tenth of a second. With more, it serves behind.
const mostAtStart = 1000;
const progressMs = 5000;
// While requests are served, the ledger takes at most a quarter of the thread's time.
const rest = 3;
// The next one tries again; the store says itself when it is away.
const ignored = (): void => undefined;

/**
 * Runs the ledger's work: one task after another, outside any request. Of several nodes, the one that has the role folds
 * the log; the others read what it has committed when they are notified.
 */
export class Ledger {
  readonly #options: FollowScope;
  readonly #role: Held;
  readonly #missed: MissedDays;
  // No other node commits while this node has the role.
  readonly #isCurrent = (): boolean => this.#role.now && !this.#stale;
  /** A refresh that has not started reads the later changes too. */
  #refreshing: Promise<void> | undefined;
  #follower: Follower | undefined;
  readonly #undo: (() => void)[] = [];
  #turn: Promise<void> = Promise.resolve();
  #failed: ReturnType<HealthCheck> | undefined;
  /** The state in memory may be another than the committed one: that is read before anything is folded. */
  #stale: boolean;
  /** The day of the last snapshot. */
  #day: string | undefined;
  /** The first day whose snapshot does not recompute. */
  #wrong: string | undefined;
  /** The heads of the log when they were last read. */
  #heads: readonly LogHead[] = [];
  #scanned = false;
  #stopped = false;
  #waiting: (() => void) | undefined;
  /** Present while the ledger is far behind the log; `usable`: there is a committed projection. */
  #behind: { readonly view: HeadView; readonly usable: boolean } | undefined;

  private constructor(options: FollowScope) {
    this.#options = options;
    this.#role = options.store.peers.whenHeld('ledger');
    this.#missed = createMissedDays(options);
    this.#stale = !this.#role.now;
  }

  /** Reads the stored positions and state; `listen` and `begin` then follow the log. */
  static async open(options: FollowScope): Promise<Ledger> {
    const ledger = new Ledger(options);
    const restore = async (line: SnapshotLine, follower: Follower): Promise<void> => {
      await restoreSnapshot(line, follower, options);
      await ledger.#compare();
    };
    ledger.#follower = await Follower.open({ ...options, restore });
    await ledger.#compare();
    return ledger;
  }

  /** Starts to notice new entries and changes of other nodes; the callbacks may be called from then on. */
  listen(): void {
    const { log, logger, store } = this.#options;
    const failed = (err: unknown): void => logger.error({ err }, 'the ledger could not restart; it tries again');
    this.#undo.push(
      every(store.shared ? sharedTickMs : tickMs, () => this.wake(), failed),
      every(progressMs, () => this.#tellProgress(), failed),
      store.shared ? every(lookMs, () => this.#look(), ignored) : () => undefined,
      log.onAppend(() => {
        this.wake();
        if (this.#behind !== undefined) this.settled().catch(failed);
      }),
    );
    store.peers.follow('ledger', () => this.#learn(), ignored);
  }

  get follower(): Follower {
    if (this.#follower === undefined) throw new Error('the ledger is not open yet');
    return this.#follower;
  }

  /**
   * Follows the log to its end if that is near. Otherwise reads all entries other than runs, and follows the rest while
   * the server runs. Call it once, before the server serves requests.
   */
  async begin(): Promise<void> {
    const entries = await this.#left();
    if (!(await this.#isNear(entries))) {
      const view = await openHeadView(this.#options, this.follower.read);
      this.#behind = { view, usable: this.follower.position !== undefined };
      await view.follow();
      this.#options.logger.warn({ entries }, 'the ledger is behind the log; it catches up while the server serves');
    }
    this.#options.store.peers.whenHeld('ledger', () => this.wake());
  }

  /**
   * The projection for answers: the whole log, except runs that are not counted yet. Throws 503 `ledger_behind` when
   * nothing was ever committed and the log is not read yet.
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
    if (this.#waiting !== undefined || this.#stopped || !this.#role.now) return;
    const follow = (): Promise<void> => {
      this.#waiting = undefined;
      return this.caughtUp({ rest });
    };
    this.#waiting = after(delayMs, follow, ignored); // The queue reports its failures.
  }

  /** Follows to the end and takes the snapshots that are due. */
  caughtUp(pace?: { readonly rest: number }): Promise<void> {
    return this.#queue(async () => {
      await this.#follow(pace);
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
    if (behind === undefined) return this.#role.now ? this.#queue(() => this.#follow()) : this.#foldedElsewhere();
    if (!behind.usable) throw ledgerBehind();
    this.#options.onChanges(await behind.view.follow());
  }

  async #foldedElsewhere(): Promise<void> {
    const ended = (): boolean => this.#stopped || this.#role.now;
    await foldedElsewhere(this.#options, ended);
    if (this.#stopped) throw new Error('the ledger is stopping');
    return this.#queue(() => (this.#role.now ? this.#follow() : this.#refresh()));
  }

  async #isNear(entries: number): Promise<boolean> {
    if (entries > mostAtStart) return false;
    try {
      await this.settled();
      return true;
    } catch (error) {
      if (this.#role.now) throw error;
      return false;
    }
  }

  // The node that has the role may have committed more.
  async #refresh(): Promise<void> {
    if (this.#isCurrent()) return;
    const { state } = this.follower.projection;
    await this.#reload();
    this.#options.onChanges(differences(state, this.follower.projection.state));
    const last = await this.#options.reads.lastSnapshot();
    if (last !== undefined && last.day !== this.#day) await this.#options.onSnapshot(snapshotRefOf(last));
    this.#day = last?.day;
    if (!this.#role.now && (await this.#left()) <= mostAtStart) this.#caughtUp();
  }

  // No event announces counted runs, so poll the stored position.
  async #look(): Promise<void> {
    if (this.#role.now || this.#stopped) return;
    await (this.#behind === undefined ? this.follower.look() : this.#learn());
  }

  // Waiting would make the node that folds the log wait for the log's end.
  async #learn(): Promise<void> {
    if (!this.#isCurrent())
      await (this.#refreshing ??= this.#queue(() => ((this.#refreshing = undefined), this.#refresh())));
  }

  /** Down when it cannot follow, or has no projection yet, degraded when it is behind or a snapshot does not recompute. */
  health(): ReturnType<HealthCheck> {
    if (this.#failed !== undefined) return this.#failed;
    if (this.#behind !== undefined) {
      const reason = `${uncounted(this.#heads, this.follower.read)} entries of the log are not counted yet`;
      return { health: this.#behind.usable ? 'degraded' : 'down', reason };
    }
    const reason = this.#wrong === undefined ? this.#missed.fault : `the snapshot of ${this.#wrong} does not recompute`;
    return reason === undefined ? { health: 'up' } : { health: 'degraded', reason };
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
    if (this.#stopped) throw new Error('the ledger is stopping');
    this.#failed = undefined;
  }

  #caughtUp(): void {
    if (this.#behind === undefined) return;
    this.#behind = undefined;
    this.#options.logger.info({}, 'the ledger has caught up with the log');
    this.#options.onCaughtUp();
  }

  async #tellProgress(): Promise<void> {
    if (this.#behind !== undefined)
      this.#options.logger.info({ entries: await this.#left() }, 'the ledger is catching up with the log');
  }

  // How many entries of the log are not folded.
  async #left(): Promise<number> {
    this.#heads = await this.#options.log.heads();
    return uncounted(this.#heads, this.follower.read);
  }

  async #compare(): Promise<void> {
    [this.#wrong] = await this.#options.reads.mismatches();
  }

  async #snapshots(): Promise<void> {
    while (!this.#stopped) {
      const day = this.#missed.allowed(await dueDay(this.#options));
      if (day === undefined) return;
      await this.#recovering(() => takeSnapshot(day, this.follower, this.#options));
    }
  }

  // After a failure the state in memory may be ahead of the committed state.
  async #recovering(work: () => Promise<void>): Promise<void> {
    try {
      if (this.#stale) await this.#refresh();
      await work();
    } catch (error) {
      this.#failed = failureOf(error);
      this.#stale = true;
      this.#scanned = false;
      await this.#reload().catch(() => undefined);
      throw error;
    }
  }

  async #reload(): Promise<void> {
    const { now: held } = this.#role;
    await this.follower.reload();
    await this.#compare();
    // Without the role another node may commit more at any time.
    this.#stale = !held;
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch((error: unknown) => {
      if (!this.#stopped) this.#options.logger.error({ err: error }, 'the ledger fell behind; it tries again');
    });
    return done;
  }
}
