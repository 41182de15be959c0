import { hash } from 'node:crypto';
import { decodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { readCheckpoint, type Checkpoint, isSignedBy } from '../log/pure/note.ts';
import { entryOf } from '../log/pure/entry.ts';
import { Frontier } from '../log/pure/frontier.ts';
import { equalBytes, hashLeaf, type Sha256 } from '../log/pure/tree.ts';
import { readArtefact } from './artefact.ts';
import { checkSignature } from './signature.ts';
import { readStatement } from './statement.ts';
import type { Trust } from './trust.ts';

// Faster than the portable one: a log has millions of entries.
const sha: Sha256 = (data) => hash('sha256', data, 'buffer');

/** The claimed state of a shard of a log. */
export interface ShownShard {
  readonly origin: string;
  readonly tree_size: number;
  /** base64 of 32 bytes. */
  readonly root_hash: string;
  /** C2SP signed note. */
  readonly checkpoint: string | undefined;
}

/** An entry of a log as it is shown. */
export interface ShownEntry {
  readonly origin: string;
  readonly index: number;
  /** base64 */
  readonly leaf: string;
  readonly envelope: unknown;
}

interface Shard extends ShownShard {
  tree: Frontier;
  /** Hash of each entry: a second reading of the log must show the same entries. */
  readonly leaves: Uint8Array[];
}

/**
 * Verifies a log shown entry by entry, in its order: each envelope and its statement with the pinned receipt keys, each
 * leaf against its envelope, the roots, and the checkpoints with the pinned log keys.
 */
export class ShownLog {
  readonly #shards: Map<string, Shard>;
  readonly #trust: Trust;
  readonly #roots: Map<string, Uint8Array | undefined>;
  readonly #twice: readonly string[];

  /** `sizes`: trees whose roots will be requested. */
  constructor(
    shards: readonly ShownShard[],
    trust: Trust,
    sizes: readonly { readonly origin: string; readonly tree_size: number }[] = [],
  ) {
    const empty = Frontier.empty(sha);
    this.#shards = new Map(shards.map((shard) => [shard.origin, { ...shard, tree: empty, leaves: [] }]));
    const names = shards.map(({ origin }) => origin);
    this.#twice = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} appears twice`);
    this.#trust = trust;
    this.#roots = new Map(sizes.map(({ origin, tree_size }) => [`${tree_size} ${origin}`, undefined]));
  }

  /** Takes the next entry, or one again; answers its fault, or undefined. */
  take({ envelope, index, leaf, origin }: ShownEntry): string | undefined {
    const shard = this.#shards.get(origin);
    if (shard === undefined || index >= shard.tree_size) return 'is not in any of the logs in the artefact';
    const bytes = decodeBase64(leaf);
    const hash = hashLeaf(bytes ?? new Uint8Array(), sha);
    const known = shard.leaves[index];
    if (known !== undefined) return equalBytes(known, hash) ? undefined : 'appears twice with different contents';
    if (index !== shard.leaves.length) return 'is not in log order';
    shard.leaves.push(hash);
    shard.tree = shard.tree.append([hash]);
    const name = `${shard.tree.size} ${origin}`;
    if (this.#roots.has(name)) this.#roots.set(name, shard.tree.root());
    return bytes === undefined ? 'has a leaf that is not base64' : this.#misfit(origin, bytes, envelope);
  }

  /** Answers the root of the entries at one of the sizes given to the constructor, once they were taken. */
  rootAt(origin: string, size: number): Uint8Array | undefined {
    return this.#roots.get(`${size} ${origin}`);
  }

  /** Compares the shards with trees of them that were verified before, whose sizes were given to the constructor. */
  forks(seen: readonly Checkpoint[]): string[] {
    return seen.flatMap(({ origin, root, size }) => {
      const shard = this.#shards.get(origin);
      if (shard === undefined) return [];
      if (size > BigInt(shard.tree.size)) return [`${origin} had ${size} entries when it was last seen`];
      const now = this.rootAt(origin, Number(size));
      return now !== undefined && equalBytes(now, root)
        ? []
        : [`the first ${size} entries of ${origin} differ from those that were seen before`];
    });
  }

  /** The trees of the entries, for remembering them when nothing has a fault. */
  get trees(): readonly Checkpoint[] {
    const shards = [...this.#shards.values()];
    return shards.map(({ origin, tree }) => ({ origin, size: BigInt(tree.size), root: tree.root() }));
  }

  /** Lists the faults of the shards, after their last entry. */
  faults(): string[] {
    return [...this.#twice, ...[...this.#shards.values()].flatMap((shard) => this.#faultsOf(shard))];
  }

  #misfit(origin: string, leaf: Uint8Array, envelope: unknown): string | undefined {
    const artefact = readArtefact(envelope);
    if (!('envelope' in artefact)) return 'has no envelope';
    const { payload } = artefact.envelope;
    const { checks, key, signature } = checkSignature(artefact.envelope, this.#trust, verifySignature);
    const failed = checks.find(({ result }) => result === 'fail');
    if (key === undefined || signature === undefined || failed !== undefined)
      return `is not signed: ${failed?.detail ?? 'no trusted key signed it'}`;
    const reading = readStatement(payload, this.#trust.facts);
    const known = 'statement' in reading ? reading : reading.unknown;
    if (known === undefined) return `has no statement: ${'fault' in reading ? reading.fault : ''}`;
    const { issuer, log } = known.statement.predicate;
    if (issuer.kid !== key.kid) return 'names a key other than the one that signed';
    if (log.origin !== origin) return `belongs in the log ${log.origin}`;
    const due = entryOf(payload, signature, key.publicKey, sha);
    return equalBytes(due, leaf) ? undefined : 'has a leaf that does not match its envelope';
  }

  #faultsOf({ checkpoint, origin, root_hash, tree, tree_size }: Shard): string[] {
    const faults: string[] = [];
    if (tree.size !== tree_size) faults.push(`of ${tree_size} entries shows ${tree.size}`);
    const root = tree.root();
    if (!equalBytes(decodeBase64(root_hash) ?? new Uint8Array(), root)) faults.push('has another root than is said');
    const read = readCheckpoint(checkpoint);
    if (read?.checkpoint.origin !== origin) return [...faults, 'has no checkpoint'].map((what) => `${origin} ${what}`);
    if (read.checkpoint.size !== BigInt(tree_size) || !equalBytes(read.checkpoint.root, root))
      faults.push('has a checkpoint of other entries');
    const keys = (this.#trust.policy?.logs ?? []).filter(({ name }) => name === origin);
    if (keys.length === 0) faults.push('has no pinned key');
    else if (!isSignedBy(read.note, keys, verifySignature))
      faults.push('has a checkpoint that its pinned key has not signed');
    return faults.map((what) => `${origin} ${what}`);
  }
}
