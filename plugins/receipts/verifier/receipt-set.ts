import type { Checkpoint } from '../log/pure/note.ts';
import { Frontier } from '../log/pure/frontier.ts';
import { equalBytes } from '../log/pure/tree.ts';
import { installationOf } from './position.ts';
import { conclude, fail, pass, unchecked, type Check, type Place, type Report } from './report.ts';

/** What a set of receipts claims to be. */
export interface SetClaim {
  /** The receipts of each Orbiset are consecutive: a missing one is a failure, not a limit. */
  readonly unbroken?: boolean;
  /** The set contains every entry of its logs; a missing one is a failure. */
  readonly complete?: boolean;
  /** Names of its logs. */
  readonly origins?: readonly string[];
  /** Names of the logs whose keys are pinned: they reveal a log that the set omits. */
  readonly pinned?: readonly string[];
  /** Trees verified before, by the name of their log, each proved to begin with the smaller ones before it. */
  readonly seen?: ReadonlyMap<string, readonly Checkpoint[]>;
}

type ChainHead = Pick<NonNullable<Place['link']>, 'sequence' | 'digest'>;

interface LogState {
  readonly checkpoint: Checkpoint;
  /** Index after the last entry taken. */
  next: bigint;
  whole: boolean;
  revoked: number;
  /** Every tree that was shown, by size. */
  readonly roots: Map<bigint, Uint8Array>;
  /** The tree of the entries, as long as they are consecutive from the first. */
  tree: Frontier;
  /** Proved to extend the newest tree seen before. */
  proved: boolean;
}

/**
 * Verifies the relations between receipts, in constant memory per Orbiset: take each verified receipt in the order of
 * the log, then call `report`.
 */
export class ReceiptSet {
  readonly #claim: SetClaim;
  readonly #heads = new Map<string, ChainHead>();
  readonly #logs = new Map<string, LogState>();
  #receipts = 0;
  #broken: string | undefined;
  #gap: string | undefined;
  #forked: string | undefined;

  constructor(claim: SetClaim = {}) {
    this.#claim = claim;
  }

  /** Takes the report of the next receipt; one that was not verified counts as missing, one of a revoked key does not. */
  take({ place }: Report): void {
    this.#receipts++;
    if (place === undefined) return;
    this.#takeEntry(place);
    if (place.link !== undefined) this.#takeLink(place.link, place.checkpoint.origin);
  }

  /** Reports the relations between the receipts. */
  report() {
    const set = conclude([...this.#consistency(), this.#chain(), this.#completeness()], undefined, { required: [] });
    const logs = [...this.#logs.values()];
    const consistent = logs.filter((log) => this.#newest(log.checkpoint) === undefined || isProved(log));
    return {
      receipts: this.#receipts,
      /** The checkpoints of their logs, verified. */
      checkpoints: logs.map(({ checkpoint }) => checkpoint),
      /** Checkpoints whose log was not seen before, or that are proved consistent with its newest seen checkpoint. */
      consistent: this.#forked === undefined ? consistent.map(({ checkpoint }) => checkpoint) : [],
      /** By the name of the log: how many receipts are whole, and count for nothing because their key was revoked. */
      revoked: new Map(logs.map(({ checkpoint, revoked }) => [checkpoint.origin, revoked])),
      /** Of the verdicts on the set: consistency_with_last_seen, orbiset_chain, completeness. */
      set,
    };
  }

  #takeEntry({ before, checkpoint, index, leaf, revoked }: Place): void {
    const { origin, root, size } = checkpoint;
    const state = this.#logs.get(origin) ?? newState(checkpoint);
    this.#logs.set(origin, state);
    if (revoked === true) state.revoked++;
    const known = state.roots.get(size);
    state.roots.set(size, root);
    if (known !== undefined && !equalBytes(known, root))
      this.#forked ??= `${origin} is shown with two different trees of size ${size}`;
    for (const tree of [...before, checkpoint]) this.#compare(tree, state);
    if (index !== state.next) state.whole = false;
    state.next = index + 1n;
    if (!state.whole) return;
    state.tree = state.tree.append([leaf]);
    const reached = BigInt(state.tree.size);
    // Entries shown in several trees do not form one tree.
    if (state.roots.size === 1 && this.#seen(checkpoint).some((seen) => seen.size === reached))
      this.#compare({ origin, size: reached, root: state.tree.root() }, state);
  }

  /** Compares the shown tree, or a smaller tree that it extends, with the trees seen before. */
  #compare({ origin, root, size }: Checkpoint, state: LogState): void {
    const seen = this.#seen(state.checkpoint).find((tree) => tree.size === size);
    if (seen === undefined) return;
    if (!equalBytes(seen.root, root))
      this.#forked ??= `the first ${size} entries of ${origin} differ from those that were seen before`;
    else if (seen === this.#newest(state.checkpoint) || size === state.checkpoint.size) state.proved = true;
  }

  #seen({ origin }: Checkpoint): readonly Checkpoint[] {
    return this.#claim.seen?.get(origin) ?? [];
  }

  #newest(checkpoint: Checkpoint): Checkpoint | undefined {
    return this.#seen(checkpoint).at(-1);
  }

  #takeLink(
    { digest, orbiset_id: orbiset, previous_digest: previous, sequence }: NonNullable<Place['link']>,
    origin: string,
  ): void {
    const key = `${origin} ${orbiset}`;
    const head = this.#heads.get(key);
    this.#heads.set(key, { sequence, digest });
    if (head !== undefined && sequence <= head.sequence)
      this.#broken ??= `${orbiset} has the sequence number ${sequence} ${sequence === head.sequence ? 'twice' : 'out of order'}`;
    else if (sequence > (head?.sequence ?? 0) + 1) {
      // A set may begin at any position unless it claims to be unbroken.
      if (head !== undefined || this.#claim.unbroken === true)
        this.#gap ??= `${orbiset} has no receipts between the sequence numbers ${head?.sequence ?? 0} and ${sequence}`;
    } else if (head !== undefined && previous !== head.digest)
      this.#broken ??= `the receipt ${sequence} of ${orbiset} does not follow the previous one`;
  }

  #chain(): Check {
    const name = 'orbiset_chain';
    if (this.#broken !== undefined) return fail(name, this.#broken);
    if (this.#gap === undefined) return pass(name);
    return (this.#claim.unbroken === true ? fail : unchecked)(name, this.#gap);
  }

  #consistency(): Check[] {
    const name = 'consistency_with_last_seen';
    if (this.#forked !== undefined) return [fail(name, this.#forked)];
    const known = [...this.#logs.values()].filter(({ checkpoint }) => this.#newest(checkpoint) !== undefined);
    if (known.length === 0) return [];
    const open = known.find((log) => !isProved(log))?.checkpoint;
    if (open === undefined) return [pass(name)];
    const before = `the ${this.#newest(open)?.size} entries seen before`;
    return [unchecked(name, `there is no proof that ${open.origin} continues from ${before}`)];
  }

  // Only the size of a signed checkpoint shows the number of entries.
  #completeness(): Check {
    const name = 'completeness';
    const { complete = false, origins = [] } = this.#claim;
    const missing = this.#missing(origins);
    if (missing !== undefined) return (complete ? fail : unchecked)(name, missing);
    const other = this.#unspokenOf();
    if (other === undefined) return pass(name);
    return unchecked(name, `the key of ${other} is pinned, but no receipt is from this log`);
  }

  #missing(origins: readonly string[]): string | undefined {
    if (this.#logs.size === 0) return 'there is no verified receipt';
    const absent = origins.find((origin) => !this.#logs.has(origin));
    if (absent !== undefined) return `no receipt is from the log ${absent}`;
    for (const [origin, { checkpoint, next, roots, whole }] of this.#logs) {
      if (roots.size > 1) return `the receipts of ${origin} come with several checkpoints`;
      if (!whole || next !== checkpoint.size)
        return `not all of the ${checkpoint.size} entries of ${origin} are among the receipts`;
    }
    return undefined;
  }

  // Finds another shard of the same installation that the set omits.
  #unspokenOf(): string | undefined {
    const installations = new Set([...this.#logs.keys()].map(installationOf));
    return this.#claim.pinned?.find((name) => installations.has(installationOf(name)) && !this.#logs.has(name));
  }
}

function newState(checkpoint: Checkpoint): LogState {
  return { checkpoint, next: 0n, whole: true, revoked: 0, roots: new Map(), tree: Frontier.empty(), proved: false };
}

// With several trees, a proof for one does not hold for the others.
function isProved({ proved, roots }: LogState): boolean {
  return proved && roots.size === 1;
}
