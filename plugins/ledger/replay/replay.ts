import { given } from '../../../kernel/index.ts';
import type { Position } from '../../receipts/contract.ts';
import { isSnapshot, revokesReceipts, type KeyLine, type Line, type SnapshotLine } from '../fact/line.ts';
import { isSince, type Prefix } from '../fact/prefix.ts';
import { Projection } from '../projection/projection.ts';
import { revocationOf } from '../projection/resolutions.ts';
import { computeSnapshot, type Snapshot, type SnapshotName } from '../projection/snapshot.ts';
import { stateOf } from '../projection/state.ts';
import { MemoryTallies } from '../projection/tallies.ts';
import { scoringPolicy } from '../score/model.ts';
import { Gate } from './gate.ts';

/** The input of a replay. */
interface ReplaySource {
  /** All shards in order with their sizes. */
  readonly logs: Prefix;
  /** Snapshots to compute on the way: their days and prefixes. */
  readonly snapshots: readonly SnapshotName[];
  /** The lines of the log, in any order; read again from the start after a key was revoked. */
  lines(): AsyncIterable<Line> | Iterable<Line>;
}

/** Recomputes a log from its first entry and compares each snapshot in it, bit for bit, with the recomputed one. */
export async function replay(source: ReplaySource, last?: Omit<SnapshotName, 'logs'>) {
  const work = new Replay(source);
  const gate = new Gate<Line>(source.logs, work.next);
  await work.computed(gate);
  for await (const line of source.lines())
    for (let ready = gate.take(line); ready.length > 0; ready = await work.computed(gate))
      for (const one of ready) await work.fold(one);
  const { missing } = gate;
  if (missing !== undefined) work.differences.push(`the entry ${missing.origin} ${missing.index} is missing`);
  work.end();
  const logs = source.logs.map((log) => ({ root_hash: '', ...log }));
  return {
    entries: work.entries,
    /** Digests of the recomputed snapshots, by day. */
    digests: work.digests,
    /** Differences from the log; look at the first one first. */
    differences: work.differences,
    /** The snapshot of the whole source, after its last entry, when requested. */
    ...given({ last: last && (await work.compute({ ...last, logs })) }),
  };
}

class Replay {
  readonly tallies = new MemoryTallies();
  readonly projection: Projection;
  readonly digests = new Map<string, string>();
  readonly differences: string[] = [];
  entries = 0;
  readonly #source: ReplaySource;
  readonly #attested = new Map<string, SnapshotLine>();
  /** Snapshots still to compute, oldest first; each is compared when its attested entry is read. */
  #due: ReplaySource['snapshots'];
  /** The lines since the last snapshot that are no runs. */
  #lines: Line[] = [];
  /** How many entries of each shard are folded. */
  readonly #sizes = new Map<string, number>();
  /** Receipts that were folded and that a resolution can name. */
  readonly #folded = new Set<string>();

  constructor(source: ReplaySource) {
    this.#source = source;
    this.#due = source.snapshots;
    const alone = source.logs.length < 2;
    this.projection = new Projection(
      stateOf({}),
      this.tallies,
      this.tallies,
      (receiptId) => alone || this.#folded.has(receiptId),
    );
  }

  /** The prefix of the next snapshot. */
  get next(): Prefix | undefined {
    return this.#due[0]?.logs;
  }

  /** Computes the snapshots whose prefixes are folded; answers the lines that come next. */
  async computed(gate: Gate<Line>): Promise<readonly Line[]> {
    for (let [due] = this.#due; due !== undefined && gate.isFirstOver; [due] = this.#due) {
      const { day, logs, profile } = due;
      this.#due = this.#due.slice(1);
      const snapshot = await this.compute({ day, logs, profile });
      for (const { orb, events } of snapshot.moved) this.projection.put(orb, events);
      this.projection.state.spans.clear();
      this.projection.take();
      this.#lines = [];
      this.digests.set(day, snapshot.digest);
      const ready = gate.goOn(this.next);
      if (ready.length > 0) return ready;
    }
    return [];
  }

  /** Computes a snapshot of what is folded. */
  compute(name: SnapshotName): Promise<Snapshot> {
    return computeSnapshot(this.projection, this.tallies, name, { lines: () => Promise.resolve(this.#lines) });
  }

  async fold(line: Line): Promise<void> {
    this.entries += 1;
    if (line.kind === 'key' && revokesReceipts(line)) await this.#revise(line);
    this.#sizes.set(line.origin, line.index + 1);
    if (line.kind !== 'run') this.#lines.push(line);
    // Only a run whose outcome is not known is resolved.
    if (line.kind === 'resolution' || (line.kind === 'run' && line.outcome !== 'accepted'))
      this.#folded.add(line.receipt_id);
    const { size } = this.projection.state.refused;
    const applied = this.projection.apply(line);
    if (applied instanceof Promise) await applied;
    if (this.projection.state.refused.size > size) {
      const reason = this.projection.state.refused.get(line.receipt_id)?.reason ?? 'refused';
      this.differences.push(`the entry ${line.origin} ${line.index} (${line.receipt_id}) is refused: ${reason}`);
    }
    if (isSnapshot(line)) this.#compare(line);
  }

  end(): void {
    for (const { day } of this.#source.snapshots)
      if (!this.#attested.has(day)) this.differences.push(`the snapshot of ${day} is not in the log`);
    for (const { receipt_id, resolves } of this.projection.state.waiting.all())
      this.differences.push(`the receipt ${resolves}, which ${receipt_id} resolves, is not in the log`);
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
    const revocation = revocationOf(revoked, await this.#receiptAt(from));
    if (revocation === undefined) return;
    this.projection.revoke(revocation);
    // The entries of each shard that are already folded.
    const gate = new Gate<Line>([...this.#sizes].map(([origin, tree_size]) => ({ origin, tree_size })));
    for await (const line of this.#source.lines())
      for (const ready of gate.take(line)) if (isSince(ready, revocation)) this.projection.revise(ready, revoked.kid);
  }

  async #receiptAt({ index, origin }: Position): Promise<string | undefined> {
    for await (const line of this.#source.lines())
      if (line.origin === origin && line.index === index) return line.receipt_id;
    return undefined;
  }
}
