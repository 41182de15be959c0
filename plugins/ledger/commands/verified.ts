import { canonical, digest } from '../../../kernel/index.ts';
import { ShownLog, type KnownLogs, type Trust } from '../../receipts/contract.ts';
import type { Line } from '../fact/line.ts';
import { readLine } from '../fact/line.ts';
import { factLine } from '../replay/export-lines.ts';
import { scoringPolicy } from '../score/model.ts';
import { readableOf, type Contents, type Derived, type EntryText, type Exported } from './contents.ts';

const mostDifferences = 100;

/** An exported ledger whose entries are verified as they are read. */
export class VerifiedExport {
  /** Differences from the pinned keys, the entries and this program's own results. */
  readonly differences: string[] = [];
  /** Logs that are missing, and those that do not go on from what was seen of them before. */
  readonly forks: string[] = [];
  readonly #exported: Exported;
  readonly #known: KnownLogs;
  readonly #log: ShownLog;
  #read = false;

  constructor(exported: Exported, trust: Trust, known: KnownLogs) {
    const { checkpoints, logs, snapshots } = exported.contents;
    const shards = logs.map((log, at) => ({ ...log, checkpoint: checkpoints[at] }));
    this.#exported = exported;
    this.#known = known;
    const seen = known.seen.map(({ origin, size }) => ({ origin, tree_size: Number(size) }));
    this.#log = new ShownLog(shards, trust, [...snapshots.flatMap((snapshot) => snapshot.logs), ...seen]);
  }

  /** Reads the ledger's line of each entry; a second reading must give the same. */
  async *lines(): AsyncGenerator<Line> {
    const first = !this.#read;
    this.#read = true;
    const facts = first ? this.#exported.derived?.facts()[Symbol.asyncIterator]() : undefined;
    try {
      for await (const entry of this.#exported.entries()) {
        const wrong = this.#log.take(entry);
        if (wrong !== undefined) this.#differ(`${nameOf(entry)} ${wrong}`);
        const line = this.#readLine(entry);
        if (facts !== undefined && (await facts.next()).value !== factOf(entry))
          this.#differ(`the fact of ${nameOf(entry)} differs from its payload`);
        if (line !== undefined) yield line;
      }
      if (facts !== undefined && (await facts.next()).done !== true) this.#differ('there are more facts than entries');
    } finally {
      // It holds the file open until it has been read to its end.
      await facts?.return?.(undefined);
    }
  }

  /** Reports faults of the shards and of the derived files, after all entries were read. */
  finish(digests: ReadonlyMap<string, string>): void {
    const { contents, derived } = this.#exported;
    const found = [
      ...this.#log.faults(),
      ...documentFaults(contents),
      ...twice(contents.snapshots.map(({ day }) => day)).map((day) => `the list of snapshots names ${day} twice`),
      ...(derived === undefined ? [] : derivedFaults(contents, derived)),
      ...contents.snapshots.flatMap((snapshot) => this.#snapshotFaults(snapshot, digests)),
    ];
    for (const fault of found) this.#differ(fault);
    const { missing, seen } = this.#known;
    this.forks.push(...missing(contents.logs.map(({ origin }) => origin)), ...this.#log.forks(seen));
  }

  /** Remembers the logs, in which no fault was found. */
  remember(): Promise<void> {
    return this.#known.remember(this.#log.trees);
  }

  #snapshotFaults({ day, digest: said, logs }: Contents['snapshots'][number], digests: ReadonlyMap<string, string>) {
    const other = logs.filter(({ origin, root_hash, tree_size }) => {
      if (tree_size === 0) return false;
      const root = this.#log.rootAt(origin, tree_size);
      return root === undefined || Buffer.from(root).toString('base64') !== root_hash;
    });
    const faults = other.map(({ origin }) => `the snapshot of ${day} names another root of ${origin}`);
    return digests.get(day) === said ? faults : [...faults, `the list of snapshots names another digest of ${day}`];
  }

  #readLine(entry: EntryText): Line | undefined {
    try {
      return readLine(readableOf(entry));
    } catch (error) {
      this.#differ(`${nameOf(entry)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  #differ(what: string): void {
    if (this.differences.length < mostDifferences) this.differences.push(what);
  }
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

function nameOf({ index, origin }: EntryText): string {
  return `the entry ${origin} ${index}`;
}

function factOf(entry: EntryText): string | undefined {
  try {
    return factLine({ ...readableOf(entry), leaf: Buffer.from(entry.leaf, 'base64') });
  } catch {
    return undefined;
  }
}

function documentFaults({ scoring, scoring_policy: policy }: Contents): string[] {
  const said = policy.id === scoringPolicy.id && policy.digest === scoringPolicy.digest;
  return [
    ...(said ? [] : [`the scoring document is ${policy.digest}, but this program uses ${scoringPolicy.digest}`]),
    ...(isScoring(scoring) ? [] : ['the scoring document of ledger.json does not match the digest that it names']),
  ];
}

function derivedFaults(contents: Contents, { checkpoints, scoring, snapshots }: Derived): string[] {
  const same = [
    [isScoring(scoring), 'scoring.json'],
    [isSame(snapshots, contents.snapshots), 'snapshots.json'],
    [isSame(checkpoints, contents.checkpoints), 'checkpoints'],
  ] as const;
  return same.flatMap(([holds, name]) => (holds ? [] : [`${name}: differs from ledger.json and the payloads`]));
}

function isScoring(document: unknown): boolean {
  return textOf(document) !== undefined && digest(textOf(document) ?? '') === scoringPolicy.digest;
}

function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) !== undefined && textOf(one) === textOf(other);
}

function textOf(value: unknown): string | undefined {
  try {
    return canonical(value);
  } catch {
    return undefined;
  }
}
