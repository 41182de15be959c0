import type { SnapshotRef } from '../contract.ts';
import { isSnapshot, revokesReceipts, type KeyLine, type Line, type SnapshotLine } from '../fact/line.ts';
import { isBefore, within, type Prefix } from '../follow/prefix.ts';
import { newState, Projection } from '../projection/projection.ts';
import { computeSnapshot, type Snapshot } from '../projection/snapshot.ts';
import { MemoryTallies } from '../projection/tallies.ts';
import { scoringPolicy } from '../score/model.ts';
import { Gate } from './gate.ts';

/** The input of a replay. */
interface ReplaySource {
  /** All shards in order with their sizes. */
  readonly logs: Prefix;
  /** Snapshots to compute on the way: their days and prefixes. */
  readonly snapshots: readonly Pick<SnapshotRef, 'day' | 'logs' | 'profile'>[];
  /** The lines of the log, in any order; read again from the start after a key was revoked. */
  lines(): AsyncIterable<Line> | Iterable<Line>;
}

/** The result of a replay. */
interface ReplayReport {
  readonly entries: number;
  /** Digests of the recomputed snapshots, by day. */
  readonly digests: ReadonlyMap<string, string>;
  /** Differences from the log; look at the first one first. */
  readonly differences: readonly string[];
  /** The snapshot of the whole source, after its last entry, when requested. */
  readonly last?: Snapshot;
}

/** Recomputes a log from its first entry and compares each snapshot in it, bit for bit, with the recomputed one. */
export async function replay(source: ReplaySource, last?: Pick<SnapshotRef, 'day' | 'profile'>): Promise<ReplayReport> {
  const work = new Replay(source);
  const gate = new Gate<Line>(source.logs);
  for await (const line of source.lines()) for (const ready of gate.take(line)) await work.fold(ready);
  const { missing } = gate;
  if (missing !== undefined) work.differences.push(`the entry ${missing.origin} ${missing.index} is missing`);
  work.end();
  const logs = source.logs.map((log) => ({ root_hash: '', ...log }));
  const final =
    last === undefined ? {} : { last: await computeSnapshot(work.projection, work.tallies, { ...last, logs }) };
  const { entries, digests, differences } = work;
  return { entries, digests, differences, ...final };
}

class Replay {
  readonly tallies = new MemoryTallies();
  readonly projection = new Projection(newState(), this.tallies, this.tallies);
  readonly digests = new Map<string, string>();
  readonly differences: string[] = [];
  entries = 0;
  readonly #source: ReplaySource;
  readonly #attested = new Map<string, SnapshotLine>();
  /** Snapshots still to compute, oldest first; each is compared when its attested entry is read. */
  #due: ReplaySource['snapshots'];

  constructor(source: ReplaySource) {
    this.#source = source;
    this.#due = source.snapshots;
  }

  async fold(line: Line): Promise<void> {
    while (this.#due[0] !== undefined && !within(line, this.#due[0].logs)) await this.#compute(this.#due[0]);
    this.entries += 1;
    if (isSnapshot(line)) return this.#compare(line);
    if (line.kind === 'key' && revokesReceipts(line)) await this.#revise(line);
    const before = this.projection.state.refused.size;
    this.projection.apply(line);
    if (this.projection.state.refused.size > before) {
      const reason = this.projection.state.refused.get(line.receipt_id)?.reason ?? 'refused';
      this.differences.push(`the entry ${line.origin} ${line.index} (${line.receipt_id}) is refused: ${reason}`);
    }
  }

  end(): void {
    for (const { day } of this.#source.snapshots)
      if (!this.#attested.has(day)) this.differences.push(`the snapshot of ${day} is not in the log`);
  }

  async #compute({ day, logs, profile }: ReplaySource['snapshots'][number]): Promise<void> {
    this.#due = this.#due.slice(1);
    const snapshot = await computeSnapshot(this.projection, this.tallies, { day, logs, profile });
    for (const { orb, events } of snapshot.moved) this.projection.put(orb, events);
    this.projection.take();
    this.digests.set(day, snapshot.digest);
  }

  #compare(line: SnapshotLine): void {
    // When a day has two snapshots, the first counts.
    if (this.#attested.has(line.day)) return;
    this.#attested.set(line.day, line);
    const where = `the snapshot of ${line.day} (entry ${line.origin} ${line.index})`;
    if (line.scoring_policy.digest !== scoringPolicy.digest)
      this.differences.push(`${where} names another scoring document: ${line.scoring_policy.digest}`);
    const computed = this.digests.get(line.day);
    if (computed === undefined) this.differences.push(`${where} was not among those to be computed`);
    else if (computed !== line.digest)
      this.differences.push(`${where} is ${line.digest}, its prefix yields ${computed}`);
  }

  async #revise(revoked: KeyLine): Promise<void> {
    const { from } = revoked;
    if (from === undefined) return;
    const origins = this.#source.logs.map(({ origin }) => origin);
    const gate = new Gate<Line>(this.#source.logs);
    for await (const line of this.#source.lines())
      for (const ready of gate.take(line)) {
        if (!isBefore(ready, revoked, origins)) return;
        if (!isBefore(ready, from, origins)) this.projection.revise(ready, revoked.kid);
      }
  }
}
