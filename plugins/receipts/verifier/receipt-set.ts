import type { Checkpoint } from '../log/checkpoint.ts';
import { equalBytes } from '../log/hashing.ts';
import { conclude, type Check, type Place, type Report } from './report.ts';

/** What a set of receipts claims to be. */
export interface SetClaim {
  /** The receipts of every Orbiset in it follow each other: one that is missing is a failure, not a limit. */
  readonly unbroken?: boolean;
  /** It holds every entry of its logs; each must then be there. */
  readonly complete?: boolean;
  /** Names of the logs it is of. */
  readonly origins?: readonly string[];
  /** Names of the logs whose keys are pinned: a log that the set does not speak of shows here. */
  readonly pinned?: readonly string[];
  /** Checkpoints that were verified before, by the name of their log: a tree of the same size has the same root. */
  readonly seen?: ReadonlyMap<string, Checkpoint>;
}

/** What verifying a set of receipts found. */
export interface SetReport {
  readonly receipts: number;
  /** The checkpoints of their logs, verified. */
  readonly checkpoints: readonly Checkpoint[];
  /** Of the verdicts on the set: orbiset_chain, completeness. */
  readonly set: Report;
}

interface ChainHead {
  readonly sequence: number;
  readonly digest: string;
}

interface LogState {
  readonly checkpoint: Checkpoint;
  /** Entries that follow each other from the first. */
  next: bigint;
  whole: boolean;
  /** Every tree that was shown, by its size. */
  readonly roots: Map<bigint, Uint8Array>;
}

/**
 * Verifies what holds between receipts, in constant memory per Orbiset: take each verified one in the order of the log,
 * then ask for the report.
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

  /** Takes the next receipt, by its report; one that was not verified counts as missing. */
  take({ place }: Report): void {
    this.#receipts++;
    if (place === undefined) return;
    this.#takeEntry(place);
    if (place.link !== undefined) this.#takeLink(place.link, place.checkpoint.origin);
  }

  /** Sums up what holds between the receipts. */
  report(): SetReport {
    const set = conclude([...this.#fork(), this.#chain(), this.#completeness()], undefined, { required: [] });
    return { receipts: this.#receipts, checkpoints: [...this.#logs.values()].map(({ checkpoint }) => checkpoint), set };
  }

  #takeEntry({ checkpoint, index }: Place): void {
    const { origin, root, size } = checkpoint;
    const state = this.#logs.get(origin) ?? { checkpoint, next: 0n, whole: true, roots: new Map<bigint, Uint8Array>() };
    this.#logs.set(origin, state);
    const known = state.roots.get(size) ?? this.#seenRoot(checkpoint);
    state.roots.set(size, root);
    if (known !== undefined && !equalBytes(known, root))
      this.#forked ??= `${origin} is shown with two different trees of the size ${size}`;
    if (index !== state.next) state.whole = false;
    state.next = index + 1n;
  }

  #seenRoot({ origin, size }: Checkpoint): Uint8Array | undefined {
    const seen = this.#claim.seen?.get(origin);
    return seen?.size === size ? seen.root : undefined;
  }

  #takeLink(
    { digest, orbiset_id: orbiset, previous_digest: previous, sequence }: NonNullable<Place['link']>,
    origin: string,
  ): void {
    const key = `${origin} ${orbiset}`;
    const head = this.#heads.get(key);
    this.#heads.set(key, { sequence, digest });
    if (head !== undefined && sequence <= head.sequence)
      this.#broken ??= `${orbiset} has the place ${sequence} ${sequence === head.sequence ? 'twice' : 'out of order'}`;
    else if (sequence > (head?.sequence ?? 0) + 1) {
      // A set may begin anywhere unless it says that it does not.
      if (head !== undefined || this.#claim.unbroken === true)
        this.#gap ??= `${orbiset} has nothing between the places ${head?.sequence ?? 0} and ${sequence}`;
    } else if (head !== undefined && previous !== head.digest)
      this.#broken ??= `the place ${sequence} of ${orbiset} does not follow the receipt before it`;
  }

  #chain(): Check {
    const name = 'orbiset_chain';
    if (this.#broken !== undefined) return { name, result: 'fail', detail: this.#broken };
    if (this.#gap === undefined) return { name, result: 'pass' };
    return { name, result: this.#claim.unbroken === true ? 'fail' : 'not_checked', detail: this.#gap };
  }

  #fork(): Check[] {
    if (this.#forked === undefined) return [];
    return [{ name: 'consistency_with_last_seen', result: 'fail', detail: this.#forked }];
  }

  // Only the size of a signed checkpoint says how many there are.
  #completeness(): Check {
    const name = 'completeness';
    const { complete = false, origins = [] } = this.#claim;
    const missing = this.#missing(origins);
    if (missing !== undefined) return { name, result: complete ? 'fail' : 'not_checked', detail: missing };
    const other = this.#unspokenOf();
    if (other === undefined) return { name, result: 'pass' };
    return { name, result: 'not_checked', detail: `nothing of ${other}, whose key is pinned, is among the receipts` };
  }

  #missing(origins: readonly string[]): string | undefined {
    if (this.#logs.size === 0) return 'no receipt is verified';
    const absent = origins.find((origin) => !this.#logs.has(origin));
    if (absent !== undefined) return `nothing of ${absent} is among the receipts`;
    for (const [origin, { checkpoint, next, roots, whole }] of this.#logs) {
      if (roots.size > 1) return `the receipts of ${origin} are shown under several checkpoints`;
      if (!whole || next !== checkpoint.size)
        return `not all of the ${checkpoint.size} entries of ${origin} are among the receipts`;
    }
    return undefined;
  }

  // Another shard of the same installation.
  #unspokenOf(): string | undefined {
    const installations = new Set([...this.#logs.keys()].map(installationOf));
    return this.#claim.pinned?.find((name) => installations.has(installationOf(name)) && !this.#logs.has(name));
  }
}

function installationOf(origin: string): string {
  return origin.slice(0, origin.lastIndexOf('/'));
}
