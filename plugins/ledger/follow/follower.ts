import { operation, type Awaitable } from '../../../kernel/index.ts';
import type { LogEntry, LogVector, Position } from '../../receipts/contract.ts';
import { isSnapshot, lineOf, revokesReceipts, type KeyLine, type Line, type SnapshotLine } from '../fact/line.ts';
import { Projection } from '../projection/projection.ts';
import { revocationOf } from '../projection/resolutions.ts';
import { stateOf, type StoredState } from '../projection/state.ts';
import { Summing } from '../projection/tallies.ts';
import ledgerStore from '../store.ts';
import { Cursor } from './cursor.ts';
import { breath, pagesOf } from './pages.ts';
import type { FollowScope } from './scope.ts';
import { common, covers, isSince, vectorOf, type Place, type Prefix } from '../fact/prefix.ts';

/** What the follower needs. */
interface FollowOptions extends Pick<FollowScope, 'log' | 'store' | 'reads' | 'logger' | 'onChanges'> {
  /** Computes and keeps a snapshot that the log contains and the ledger does not. */
  readonly restore: (line: SnapshotLine, follower: Follower) => Promise<void>;
}

/** How far to follow, and how much time to leave to others. */
interface FollowPace {
  readonly until?: Prefix;
  readonly rest?: number;
  readonly ended?: () => boolean;
}

const never = (): boolean => false;
const batchSize = 256;
// Folding this many takes a few milliseconds, during which the thread cannot serve requests.
const politeBatchSize = 32;
// Limits the rest: a batch measures too long when the process was stopped or the machine slept during it.
const longestRestMs = 1000;

/** Follows the log from its stored positions: reads, folds, commits, batch by batch; one call at a time. */
export class Follower {
  projection: Projection;
  readonly #options: FollowOptions;
  readonly #summing = new Summing();
  #cursor: Cursor;
  /** Newer positions than those of the state. */
  #seen: Cursor | undefined;
  /** What is folded of each shard, committed or not. */
  #folded: Map<string, number>;
  /** Where the receipts are that a batch resolves. */
  #resolved: ReadonlyMap<string, Position> = new Map();
  /** Snapshots in the log, after the cursor, that the tables do not contain; oldest first. */
  #missing: SnapshotLine[] = [];

  private constructor(options: FollowOptions, { cursor, state }: Awaited<ReturnType<typeof committed>>) {
    this.#options = options;
    this.#cursor = cursor;
    this.#folded = cursor.copy();
    this.projection = this.#project(state);
  }

  /** Opens a follower at the stored positions. */
  static async open(options: FollowOptions): Promise<Follower> {
    return new Follower(options, await committed(options));
  }

  /** The entries that are folded and committed, of each shard. */
  get read(): LogVector {
    return this.#cursor.read;
  }

  /** The last position up to which the log is folded; undefined: before the first entry. */
  get position(): Position | undefined {
    return (this.#seen ?? this.#cursor).last;
  }

  /** Reads how far another node has folded; the state stays as it is. */
  async look(): Promise<void> {
    this.#seen = await Cursor.open(this.#options);
  }

  /** Reads the stored positions and state again: after a failed write, the state in memory is ahead of them. */
  async reload(): Promise<void> {
    const { cursor, state } = await committed(this.#options);
    this.#seen = undefined;
    this.#cursor = cursor;
    this.#folded = cursor.copy();
    this.#summing.take();
    this.projection = this.#project(state);
  }

  /** Finds the snapshots after the cursor that have to be computed on the way; call it once, before `follow`. */
  async scan(ended: () => boolean): Promise<void> {
    const { reads } = this.#options;
    const found = new Map<string, SnapshotLine>();
    for await (const entries of this.#others(this.#cursor.read)) {
      for (const entry of entries) {
        const line = entry.kind === 'standing' ? lineOf(entry) : undefined;
        if (line === undefined || !isSnapshot(line)) continue;
        if (!found.has(line.day) && (await reads.snapshot(line.day)) === undefined) found.set(line.day, line);
      }
      if (ended()) return;
    }
    this.#missing = [...found.values()];
  }

  /** Reads the lines since a prefix that are folded and are no runs. */
  async linesSince(prefix: Prefix): Promise<readonly Line[]> {
    const lines: Line[] = [];
    for await (const entries of this.#others(vectorOf(prefix), this.#folded))
      lines.push(...entries.flatMap((entry) => lineOf(entry) ?? []));
    return lines;
  }

  /**
   * Folds all entries up to a prefix of the log, or to its end. `rest`: pause after each batch, as a multiple of the
   * batch's time, a second at most, so that requests get the rest of the thread's time. `ended` is called before each
   * batch; true ends the loop early.
   */
  async follow({ until, rest = 0, ended = never }: FollowPace = {}): Promise<void> {
    const bound = until === undefined ? undefined : vectorOf(until);
    while (!ended()) {
      const begun = performance.now();
      const [missing] = this.#missing;
      const end = common(bound, missing && vectorOf(missing.logs));
      const { entries, last } = await this.#fold(end, rest > 0 ? politeBatchSize : batchSize);
      if (entries > 0) await this.#commit();
      if (last && !(await this.#restored(bound))) return;
      await breath(Math.min(longestRestMs, rest * (performance.now() - begun)));
    }
  }

  #project(state: StoredState): Projection {
    const isFolded = (receiptId: string): boolean => {
      const place = this.#resolved.get(receiptId);
      return place === undefined || place.index < (this.#folded.get(place.origin) ?? 0);
    };
    return new Projection(stateOf(state), this.#summing, this.#options.reads, isFolded);
  }

  // Pages of entries that are no runs.
  #others(from: LogVector, until?: LogVector): AsyncGenerator<readonly LogEntry[]> {
    return pagesOf(from, batchSize, (read) => this.#options.log.othersAfter(read, batchSize, until));
  }

  // Ends a batch before an entry that needs all counts committed.
  #upToStop(entries: readonly LogEntry[]): readonly LogEntry[] {
    const stop = entries.findIndex(({ kind }, at) => at > 0 && (kind === 'incident' || kind === 'key'));
    return stop < 0 ? entries : entries.slice(0, stop);
  }

  // Restores the next missing snapshot, at the end of its prefix; false when there is none up to the bound.
  async #restored(bound: LogVector | undefined): Promise<boolean> {
    const [next] = this.#missing;
    if (next === undefined || (bound !== undefined && !covers(bound, next.logs))) return false;
    await this.#options.restore(next, this);
    this.#missing.shift();
    return true;
  }

  // Folds the next entries, and does not commit them; `last`: no entries are left to read. Returns before the commit,
  // so that the statements, thousands a second, are collected while young.
  async #fold(end: LogVector | undefined, size: number) {
    const { log } = this.#options;
    const entries = await log.entriesAfter(this.#folded, size, end);
    const batch = this.#upToStop(entries);
    const lines = batch.map(lineOf);
    const resolved = lines.flatMap((line) => (line?.kind === 'resolution' ? [line.resolves] : []));
    this.#resolved = resolved.length === 0 ? new Map() : await log.positions(resolved);
    // The entries that wait for something, an incident and a key, are first in their batches.
    for (const [at, entry] of batch.entries()) {
      const line = lines[at];
      if (line?.kind === 'key') await this.#revoke(line);
      this.#folded.set(entry.origin, entry.index + 1);
      const applied = this.#apply(entry, line);
      if (applied instanceof Promise) await applied;
    }
    return { entries: batch.length, last: batch.length === entries.length && entries.length < size };
  }

  #apply({ origin, index, receipt_id }: LogEntry, line: Line | undefined): Awaitable<void> {
    this.#cursor.reach({ origin, index, receipt_id });
    if (line !== undefined) return this.projection.apply(line);
    this.projection.refuse({ origin, index, receipt_id, reason: 'unreadable' });
  }

  async #commit(): Promise<void> {
    const changes = this.projection.take();
    const moves = this.#cursor.moves(this.projection.state.spans);
    const advance = { moves, sums: this.#summing.take(), changes };
    await this.#options.store.write([operation(ledgerStore, 'advance', advance)]);
    this.#cursor.moved();
    const [refused] = changes.refused;
    if (refused !== undefined)
      this.#options.logger.warn(
        { refused, count: changes.refused.length },
        'the ledger refuses entries of the log; they do not count',
      );
    this.#options.onChanges(changes);
  }

  // Entries that a revoked receipt key signed from a position on do not count: that part of the log is read again.
  async #revoke(line: KeyLine): Promise<void> {
    const { log, logger } = this.#options;
    const { kid, from } = line;
    const revocation = from && revocationOf(line, (await log.entryAt(from))?.receipt_id);
    if (!revokesReceipts(line) || revocation === undefined) return;
    logger.warn({ kid, from }, `the receipt key ${kid} was revoked; later receipts that it signed do not count`);
    this.projection.revoke(revocation);
    const read = await this.#readBefore(revocation);
    for await (const entries of pagesOf(read, batchSize, (at) => log.entriesAfter(at, batchSize, this.#folded)))
      for (const entry of entries) {
        const candidate = isSince(entry, revocation) ? lineOf(entry) : undefined;
        if (candidate !== undefined) this.projection.revise(candidate, kid);
      }
  }

  // Of another shard, all is read unless its newest entry is older.
  async #readBefore(from: Place): Promise<Map<string, number>> {
    const { log } = this.#options;
    const before = new Map<string, number>();
    for (const [origin, size] of this.#folded) {
      const last = origin === from.origin ? undefined : await log.entryAt({ origin, index: size - 1 });
      if (origin === from.origin) before.set(origin, Math.min(from.index, size));
      else if (last !== undefined && !isSince(last, from)) before.set(origin, size);
    }
    return before;
  }
}

async function committed(options: FollowOptions) {
  return { cursor: await Cursor.open(options), state: await options.reads.state() };
}
