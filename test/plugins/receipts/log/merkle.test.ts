import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Frontier } from '../../../../plugins/receipts/log/pure/frontier.ts';
import {
  type Subtrees,
  consistencyProof,
  emptyRoot,
  hashLeaf,
  inclusionProof,
  rootOf,
} from '../../../../plugins/receipts/log/pure/tree.ts';
import { nativeSha256 } from '../../../../plugins/receipts/log/stored/tables.ts';
import { verifyConsistency, verifyInclusion } from '../../../../plugins/receipts/log/pure/verify-proof.ts';
import { vectors } from '../sample.ts';

const { rfc6962 } = vectors;
const base64 = (hash: Uint8Array) => Buffer.from(hash).toString('base64');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const sha = (...parts: Uint8Array[]) => new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());

/** The tree by the letter of RFC 6962 §2.1, nothing remembered. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return sha();
  if (leaves.length === 1) return only;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha(Uint8Array.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** PATH of RFC 6962 §2.1.1. */
function naivePath(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return index < k
    ? [...naivePath(index, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(index - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** SUBPROOF of RFC 6962 §2.1.2. */
function naiveSubproof(from: number, leaves: readonly Uint8Array[], whole: boolean): Uint8Array[] {
  if (from === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return from <= k
    ? [...naiveSubproof(from, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
    : [...naiveSubproof(from - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

const leafOf = (index: number): Uint8Array => hashLeaf(Buffer.from(`leaf ${index}`));
const leavesUpTo = (size: number): Uint8Array[] => Array.from({ length: size }, (_, index) => leafOf(index));

/** Full subtrees over a list of leaves, each computed once. */
function subtreesOver(leaves: readonly Uint8Array[]): Subtrees {
  const known = new Map<string, Uint8Array>();
  return (height, index) => {
    const key = `${height}/${index}`;
    const found = known.get(key) ?? naiveRoot(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height));
    known.set(key, found);
    return found;
  };
}

describe('the tree of the log', () => {
  const leaves = rfc6962.leaf_inputs_hex.map((hex) => hashLeaf(Buffer.from(hex, 'hex')));
  const subtrees = subtreesOver(leaves);

  it('has the published hashes of leaves and roots, by size', () => {
    expect(leaves.map(base64)).to.deep.equal(rfc6962.leaf_hashes_b64);
    for (const [size, root] of Object.entries(rfc6962.roots_b64_by_size)) {
      expect(base64(rootOf(Number(size), subtrees))).to.equal(root);
      expect(
        base64(
          Frontier.empty()
            .append(leaves.slice(0, Number(size)))
            .root(),
        ),
      ).to.equal(root);
    }
    expect(base64(emptyRoot)).to.equal(rfc6962.roots_b64_by_size['0']);
  });

  it('has the published proofs, which verify', () => {
    for (const [name, published] of Object.entries(rfc6962.inclusion)) {
      const [index = 0, size = 0] = (name.match(/\d+/g) ?? []).map(Number);
      expect(inclusionProof(index, size, subtrees).map(base64)).to.deep.equal(published);
      const [leaf = emptyRoot, root] = [leaves[index], bytes(rfc6962.roots_b64_by_size[String(size)] ?? '')];
      const claim = { index: BigInt(index), size: BigInt(size), leaf, hashes: published.map(bytes), root };
      expect(verifyInclusion(claim)).to.equal(true);
    }
    for (const [name, published] of Object.entries(rfc6962.consistency)) {
      const [from = 0, to = 0] = (name.match(/\d+/g) ?? []).map(Number);
      expect(consistencyProof(from, to, subtrees).map(base64)).to.deep.equal(published);
      const [fromRoot, toRoot] = [from, to].map((size) => bytes(rfc6962.roots_b64_by_size[String(size)] ?? ''));
      const roots = { fromRoot: fromRoot ?? emptyRoot, toRoot: toRoot ?? emptyRoot };
      const claim = { from: BigInt(from), to: BigInt(to), ...roots, hashes: published.map(bytes) };
      expect(verifyConsistency(claim)).to.equal(true);
    }
  });

  const most = 128;
  const many = leavesUpTo(most);
  const of = subtreesOver(many);
  const roots = Array.from({ length: most + 1 }, (_, size) => rootOf(size, of, nativeSha256));

  it('yields the roots of the naive recursion and of the growing edge at every size up to 128', () => {
    let frontier = Frontier.empty();
    for (let size = 0; size <= most; size++) {
      expect(base64(roots[size] ?? emptyRoot)).to.equal(base64(naiveRoot(many.slice(0, size))));
      expect(base64(frontier.root())).to.equal(base64(roots[size] ?? emptyRoot));
      expect(base64(Frontier.of(size, of).root())).to.equal(base64(roots[size] ?? emptyRoot));
      frontier = frontier.append(many.slice(size, size + 1));
    }
  });

  it('proves the inclusion of every leaf in every size up to 128, as the naive recursion does', () => {
    for (let size = 1; size <= most; size++)
      for (let index = 0; index < size; index++) {
        const hashes = inclusionProof(index, size, of, nativeSha256);
        expect(hashes.map(base64)).to.deep.equal(naivePath(index, many.slice(0, size)).map(base64));
        const [leaf = emptyRoot, root = emptyRoot] = [many[index], roots[size]];
        const claim = { index: BigInt(index), size: BigInt(size), leaf, hashes, root };
        if (!verifyInclusion(claim)) expect.fail(`inclusion of ${index} in ${size}`);
        if (verifyInclusion({ ...claim, index: claim.index + 1n })) expect.fail(`${index} + 1 in ${size}`);
      }
  }).timeout(120_000);

  it('proves the consistency of every two sizes up to 128, as the naive recursion does', () => {
    for (let to = 1; to <= most; to++)
      for (let from = 1; from <= to; from++) {
        const hashes = consistencyProof(from, to, of, nativeSha256);
        expect(hashes.map(base64)).to.deep.equal(naiveSubproof(from, many.slice(0, to), true).map(base64));
        const [fromRoot = emptyRoot, toRoot = emptyRoot] = [roots[from], roots[to]];
        const claim = { from: BigInt(from), to: BigInt(to), fromRoot, toRoot, hashes };
        if (!verifyConsistency(claim)) expect.fail(`consistency of ${from} and ${to}`);
        if (from < to && verifyConsistency({ ...claim, fromRoot: toRoot })) expect.fail(`${from}, ${to}, wrong root`);
      }
  }).timeout(120_000);

  it('never proves anything from the empty tree, nor an index beyond the size', () => {
    const [one = emptyRoot] = many;
    const empty = { from: 0n, to: 1n, fromRoot: emptyRoot, toRoot: one, hashes: [] };
    expect(verifyConsistency(empty)).to.equal(false);
    expect(verifyConsistency({ ...empty, to: 0n, toRoot: emptyRoot })).to.equal(false);
    expect(verifyInclusion({ index: 1n, size: 1n, leaf: one, hashes: [], root: one })).to.equal(false);
    expect(verifyInclusion({ index: 0n, size: 0n, leaf: one, hashes: [], root: one })).to.equal(false);
    const [two = one] = [roots[2]];
    const short = { index: 0n, size: 4n, leaf: one, hashes: inclusionProof(0, 2, of), root: two };
    expect(verifyInclusion({ ...short, size: 2n })).to.equal(true);
    expect(verifyInclusion(short)).to.equal(false);
    const longer = { fromRoot: two, toRoot: roots[3] ?? one, hashes: consistencyProof(2, 3, of) };
    expect(verifyConsistency({ ...longer, from: 2n, to: 3n })).to.equal(true);
    expect(verifyConsistency({ ...longer, from: 2n, to: 6n })).to.equal(false);
    const huge = { index: 2n ** 64n - 1n, size: 1n, leaf: one, hashes: [], root: one };
    expect(verifyInclusion(huge)).to.equal(false);
    expect(() => inclusionProof(3, 3, of)).to.throw(RangeError);
    expect(() => consistencyProof(0, 3, of)).to.throw(RangeError);
  });

  it('rejects every mutated proof in random trees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat(), (size, pick, mutation) => {
        const index = pick % size;
        const trees = subtreesOver(leavesUpTo(size));
        const hashes = inclusionProof(index, size, trees);
        const claim = {
          ...{ index: BigInt(index), size: BigInt(size), leaf: leafOf(index), hashes },
          root: rootOf(size, trees),
        };
        expect(verifyInclusion(claim)).to.equal(true);
        for (const wrong of mutations(claim, hashes, mutation)) {
          const same = JSON.stringify(wrong.hashes.map(base64)) === JSON.stringify(hashes.map(base64));
          if (same && wrong.index === claim.index && wrong.size === claim.size) continue;
          // Some proofs do not depend on the size: the shape of the path is the same.
          if (same && wrong.index === claim.index && wrong.root === claim.root && wrong.leaf === claim.leaf) continue;
          expect(verifyInclusion(wrong)).to.equal(false);
        }
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it('proves in random larger trees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 129, max: 3000 }), fc.nat(), fc.nat(), (size, pick, older) => {
        const trees = subtreesOver(leavesUpTo(size));
        const [index, from] = [pick % size, 1 + (older % size)];
        const root = rootOf(size, trees);
        const hashes = inclusionProof(index, size, trees);
        const inclusion = { index: BigInt(index), size: BigInt(size), leaf: leafOf(index), hashes, root };
        expect(verifyInclusion(inclusion)).to.equal(true);
        const fromRoot = rootOf(from, trees);
        const path = consistencyProof(from, size, trees);
        const claim = { from: BigInt(from), to: BigInt(size), fromRoot, toRoot: root, hashes: path };
        expect(verifyConsistency(claim)).to.equal(true);
        const flipped = path.map((hash, at) => (at === 0 ? sha(hash) : hash));
        if (path.length > 0) expect(verifyConsistency({ ...claim, hashes: flipped })).to.equal(false);
        expect(verifyConsistency({ ...claim, hashes: [...path, root] })).to.equal(false);
        if (path.length > 0) expect(verifyConsistency({ ...claim, hashes: path.slice(1) })).to.equal(false);
      }),
      { numRuns: 15 },
    );
  }).timeout(60_000);
});

type Claim = Parameters<typeof verifyInclusion>[0];

function mutations(claim: Claim, hashes: readonly Uint8Array[], seed: number): Claim[] {
  const at = hashes.length === 0 ? 0 : seed % hashes.length;
  const changed = hashes.map((hash, position) => (position === at ? sha(hash) : hash));
  return [
    { ...claim, index: claim.index + 1n },
    { ...claim, index: claim.index ^ 2n },
    { ...claim, index: claim.index - 1n },
    { ...claim, size: claim.size * 2n },
    { ...claim, size: claim.size / 2n },
    { ...claim, hashes: [...hashes].reverse() },
    { ...claim, hashes: [...hashes, claim.root] },
    { ...claim, hashes: hashes.slice(0, -1) },
    { ...claim, hashes: changed },
    { ...claim, root: sha(claim.root) },
    { ...claim, leaf: sha(claim.leaf) },
    { ...claim, root: claim.root.subarray(1) },
  ];
}
