import { operation, type Log, type Store } from '../../../kernel/index.ts';
import type { LogEntry, Position, TransparencyLog } from '../../receipts/contract.ts';
import { isSnapshot, revokesReceipts, type KeyLine, type Line, type SnapshotLine } from '../fact/line.ts';
import { readLine } from '../fact/read.ts';
import { Projection, type Changes } from '../projection/projection.ts';
import { Summing } from '../projection/tallies.ts';
import type { LedgerReads } from '../reputation/reads.ts';
import ledgerStore from '../store.ts';
import { isBefore, within, type Prefix } from './prefix.ts';

/** What the follower needs. */
export interface FollowOptions {
  readonly log: TransparencyLog;
  readonly store: Pick<Store, 'write'>;
  readonly reads: LedgerReads;
  readonly logger: Pick<Log, 'warn'>;
  /** Called after each batch is committed. */
  readonly onChanges: (changes: Changes) => void;
  /** Computes and keeps a snapshot that the log contains and the ledger does not. */
  readonly restore: (line: SnapshotLine) => Promise<void>;
}

/** How far to follow, and how much time to leave to others. */
interface FollowPace {
  readonly until?: Prefix;
  readonly rest?: number;
  readonly ended?: () => boolean;
}

const never = (): boolean => false;
const batchSize = 256;
// Folding so many takes a few milliseconds: while it serves, the thread does nothing else for that time.
const politeBatchSize = 32;
// Limits the rest: a batch measures too long when the process was stopped or the machine slept during it.
const longestRestMs = 1000;

/** Follows the log from its stored position: reads, folds, commits, batch by batch; one call at a time. */
export class Follower {
  projection: Projection;
  readonly #options: FollowOptions;
  readonly #summing = new Summing();
  #cursor: Position | undefined;
  /** Snapshots in the log, after the cursor, that the tables do not contain; oldest first. */
  #missing: SnapshotLine[] = [];

  constructor(options: FollowOptions) {
    this.#options = options;
    this.projection = this.#open();
  }

  /** The position up to which the log is folded; undefined: before the first entry. */
  get position(): Position | undefined {
    return this.#cursor;
  }

  /** Reads the stored position and state again: after a failed write, the state in memory is ahead of them. */
  reload(): void {
    this.projection = this.#open();
  }

  /** Finds the snapshots after the cursor that have to be computed on the way; call it once, before `follow`. */
  async scan(ended: () => boolean): Promise<void> {
    const { log, reads } = this.#options;
    let at = this.#cursor;
    const found = new Map<string, SnapshotLine>();
    while (!ended()) {
      const entries = log.othersAfter(at, batchSize);
      for (const entry of entries) {
        const line = entry.kind === 'standing' ? readEntry(entry) : undefined;
        if (line === undefined || !isSnapshot(line)) continue;
        if (!found.has(line.day) && reads.snapshot(line.day) === undefined) found.set(line.day, line);
      }
      at = entries.at(-1) ?? at;
      if (entries.length < batchSize) break;
      await breath();
    }
    this.#missing = [...found.values()];
  }

  /**
   * Folds all entries up to a prefix of the log, or to its end. `rest`: pause after each batch, as a multiple of the
   * batch's time, a second at most, so that requests get the rest of the thread's time. `ended` is called before each
   * batch; true ends the loop early.
   */
  async follow({ until, rest = 0, ended = never }: FollowPace = {}): Promise<void> {
    while (!ended()) {
      const begun = performance.now();
      const { to, stop, last } = await this.#fold(until, rest > 0 ? politeBatchSize : batchSize);
      if (to !== undefined) await this.#commit(to);
      const stopped = stop !== undefined && (await this.#restoreReached(stop));
      if (!stopped && last) return;
      await breath(Math.min(longestRestMs, rest * (performance.now() - begun)));
    }
  }

  #open(): Projection {
    this.#cursor = this.#options.reads.cursor();
    this.#summing.take();
    return new Projection(this.#options.reads.state(), this.#summing, this.#options.reads);
  }

  // Ends a batch before a missing snapshot is due, and before an entry that needs all counts committed.
  #upToStop(entries: readonly LogEntry[]): readonly LogEntry[] {
    const [next] = this.#missing;
    const stop = entries.findIndex(
      (entry, at) =>
        (next !== undefined && !within(entry, next.logs)) ||
        (at > 0 && (entry.kind === 'incident' || entry.kind === 'key')),
    );
    return stop < 0 ? entries : entries.slice(0, Math.max(stop, 0));
  }

  async #restoreReached(entry: Position): Promise<boolean> {
    const [next] = this.#missing;
    if (next === undefined || within(entry, next.logs)) return false;
    await this.#options.restore(next);
    this.#missing.shift();
    return true;
  }

  // `to`: the last entry folded, not yet committed; `stop`: the entry before which it stopped; `last`: no entries are
  // left to read. Returns before the commit, so that the statements, thousands a second, are collected while young.
  async #fold(until: Prefix | undefined, size: number) {
    const entries = this.#options.log.entriesAfter(this.#cursor, size);
    const wanted = until === undefined ? entries : entries.filter((entry) => within(entry, until));
    const batch = this.#upToStop(wanted);
    for (const entry of batch) {
      const line = readEntry(entry);
      if (line?.kind === 'key') await this.#revoke(line);
      this.#apply(entry, line);
    }
    const to = batch.at(-1);
    const stop = wanted[batch.length];
    const last = stop === undefined && wanted.length < size;
    return { to: to && positionOf(to), stop: stop && positionOf(stop), last };
  }

  #apply({ origin, index, receipt_id }: LogEntry, line: Line | undefined): void {
    if (line === undefined) this.projection.refuse({ origin, index, receipt_id, reason: 'unreadable' });
    else this.projection.apply(line);
  }

  async #commit(position: Position): Promise<void> {
    const changes = this.projection.take();
    const from = this.#cursor === undefined ? {} : { from: this.#cursor };
    const advance = { ...from, to: position, sums: this.#summing.take(), changes };
    await this.#options.store.write([operation(ledgerStore, 'advance', advance)]);
    this.#cursor = position;
    const [refused] = changes.refused;
    if (refused !== undefined)
      this.#options.logger.warn(
        { refused, count: changes.refused.length },
        'entries of the log are refused: they do not count',
      );
    this.#options.onChanges(changes);
  }

  // Entries that a revoked receipt key signed from a position on do not count: that part of the log is read again.
  async #revoke(line: KeyLine): Promise<void> {
    const { kid, from } = line;
    if (!revokesReceipts(line) || from === undefined) return;
    this.#options.logger.warn({ kid, from }, 'a receipt key was revoked: what it signed from there on is not counted');
    const origins = this.#options.log.heads().map(({ origin }) => origin);
    let at: Position | undefined = from.index === 0 ? undefined : { origin: from.origin, index: from.index - 1 };
    for (;;) {
      const entries = this.#options.log.entriesAfter(at, batchSize);
      for (const entry of entries.filter((found) => !isBefore(found, from, origins))) {
        if (!isBefore(entry, line, origins)) return;
        const candidate = readEntry(entry);
        if (candidate !== undefined) this.projection.revise(candidate, kid);
      }
      at = entries.at(-1);
      if (at === undefined) return;
      await breath();
    }
  }
}

function positionOf({ origin, index }: Position): Position {
  return { origin, index };
}

/** Reads an entry of the log; undefined when its statement cannot be read. */
export function readEntry(entry: LogEntry): Line | undefined {
  try {
    return readLine(entry);
  } catch {
    return undefined;
  }
}

/** Lets waiting requests run first, for `ms` milliseconds. */
export function breath(ms = 0): Promise<void> {
  return new Promise((resolve) => void (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}
