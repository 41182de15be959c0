import { emptyRoot, hashNode, portableSha256, type Sha256, type Subtrees } from './tree.ts';

interface Peak {
  readonly height: number;
  readonly hash: Uint8Array;
}

/** Receives every full subtree when it is completed: its height (0: the leaf itself) and its root. */
export type OnNode = (height: number, hash: Uint8Array) => void;

/** The right edge of a tree: the roots of its full subtrees, enough to append and to compute the root. Immutable. */
export class Frontier {
  readonly size: number;
  readonly #peaks: readonly Peak[];
  readonly #sha: Sha256;

  private constructor(size: number, peaks: readonly Peak[], sha: Sha256) {
    this.size = size;
    this.#peaks = peaks;
    this.#sha = sha;
  }

  /** Makes the edge of the empty tree. */
  static empty(sha: Sha256 = portableSha256): Frontier {
    return new Frontier(0, [], sha);
  }

  /** Makes the edge of a tree of `size` whose full subtrees are known. */
  static of(size: number, subtrees: Subtrees, sha: Sha256 = portableSha256): Frontier {
    const peaks: Peak[] = [];
    let low = 0;
    for (let height = 52; height >= 0; height--) {
      const full = 2 ** height;
      if (low + full > size) continue;
      peaks.push({ height, hash: subtrees(height, low / full) });
      low += full;
    }
    return new Frontier(size, peaks, sha);
  }

  /** Appends hashes of leaves and answers the new edge; calls `onNode` for each completed subtree, lowest first. */
  append(leaves: readonly Uint8Array[], onNode: OnNode = () => undefined): Frontier {
    const peaks = [...this.#peaks];
    for (const leaf of leaves) {
      let added: Peak = { height: 0, hash: leaf };
      onNode(0, leaf);
      for (let last = peaks.at(-1); last?.height === added.height; last = peaks.at(-1)) {
        peaks.pop();
        added = { height: added.height + 1, hash: hashNode(last.hash, added.hash, this.#sha) };
        onNode(added.height, added.hash);
      }
      peaks.push(added);
    }
    return new Frontier(this.size + leaves.length, peaks, this.#sha);
  }

  /** Computes the root. */
  root(): Uint8Array {
    const [last, ...above] = [...this.#peaks].reverse();
    let root = last?.hash ?? emptyRoot;
    for (const { hash } of above) root = hashNode(hash, root, this.#sha);
    return root;
  }
}
