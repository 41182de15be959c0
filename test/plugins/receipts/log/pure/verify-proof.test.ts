import { expect } from 'chai';
import {
  consistencyProof,
  fullRoot,
  hashLeaf,
  hashNode,
  inclusionProof,
  rootOf,
} from '../../../../../plugins/receipts/log/pure/tree.ts';
import { verifyConsistency, verifyInclusion } from '../../../../../plugins/receipts/log/pure/verify-proof.ts';

const [a, b, c] = ['a', 'b', 'c'].map((text) => hashLeaf(Buffer.from(text))) as [Uint8Array, Uint8Array, Uint8Array];
const two = hashNode(a, b);
const three = hashNode(two, c);
const longer = (hash: Uint8Array): Uint8Array => Uint8Array.of(...hash, 0);

describe('a proof of inclusion', () => {
  const claim = { index: 1n, size: 2n, leaf: b, hashes: [a], root: two };

  it('has hashes of 32 bytes: a byte more, which hashing would leave out, is not passed over', () => {
    expect(verifyInclusion(claim)).to.equal(true);
    expect(verifyInclusion({ ...claim, hashes: [longer(a)] })).to.equal(false);
    expect(verifyInclusion({ ...claim, index: 0n, leaf: longer(a), hashes: [b] })).to.equal(false);
    expect(verifyInclusion({ ...claim, index: 0n, leaf: a, hashes: [longer(b)] })).to.equal(false);
  });

  it('is of no negative index', () => {
    expect(verifyInclusion({ ...claim, index: -1n })).to.equal(false);
  });
});

describe('a proof of consistency', () => {
  const grown = { from: 2n, to: 3n, fromRoot: two, toRoot: three, hashes: [c] };

  it('has hashes of 32 bytes', () => {
    expect(verifyConsistency(grown)).to.equal(true);
    expect(verifyConsistency({ ...grown, hashes: [longer(c)] })).to.equal(false);
    expect(verifyConsistency({ ...grown, fromRoot: longer(two) })).to.equal(false);
  });

  it('proves nothing of a tree that is smaller than the one before it', () => {
    const shrunk = { from: 3n, to: 2n, fromRoot: a, toRoot: two, hashes: [a, b] };
    expect(verifyConsistency(shrunk)).to.equal(false);
  });

  it('of two trees of one size is empty, and their roots are the same', () => {
    const same = { from: 3n, to: 3n, fromRoot: three, toRoot: three, hashes: [] };
    expect(verifyConsistency(same)).to.equal(true);
    expect(verifyConsistency({ ...same, hashes: [c] })).to.equal(false);
    expect(verifyConsistency({ ...same, fromRoot: two })).to.equal(false);
  });
});

describe('building a proof', () => {
  const leaves = [a, b, c];
  const subtrees = (height: number, index: number): Uint8Array =>
    height === 0 ? (leaves[index] ?? expect.fail('no such leaf')) : two;

  it('fails, by name, for what the tree does not have', () => {
    for (const index of [-1, 3])
      expect(() => inclusionProof(index, 3, subtrees)).to.throw(`there is no leaf ${index} in a tree of 3`);
    for (const [from, to] of [
      [0, 3],
      [-1, 3],
      [3, 2],
    ] as const)
      expect(() => consistencyProof(from, to, subtrees)).to.throw(`no consistency proof from ${from} to ${to}`);
  });

  it('finds the full subtrees of a tree of more than 2^32 leaves', () => {
    const asked: string[] = [];
    const named = (height: number, index: number): Uint8Array => {
      asked.push(`${height}/${index}`);
      return a;
    };
    const size = 2 ** 32 + 3;
    rootOf(size, named);
    expect(asked.splice(0)).to.deep.equal(['32/0', '1/2147483648', '0/4294967298']);
    expect(inclusionProof(2 ** 32 + 2, size, named)).to.have.length(2);
    expect(asked).to.deep.equal(['32/0', '1/2147483648']);
  });

  it('takes a root over a power of two of whole hashes alone', () => {
    expect(fullRoot(Buffer.concat([a, b]))).to.deep.equal(two);
    for (const length of [0, 16, 48, 96, 160])
      expect(() => fullRoot(new Uint8Array(length)), `${length}`).to.throw('the hashes are no power of two');
  });
});
