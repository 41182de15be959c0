import { expect } from 'chai';
import { Frontier } from '../../../../plugins/receipts/log/pure/frontier.ts';
import type { Checkpoint } from '../../../../plugins/receipts/log/pure/note.ts';
import { hashLeaf } from '../../../../plugins/receipts/log/pure/tree.ts';
import { ReceiptSet } from '../../../../plugins/receipts/verifier/receipt-set.ts';
import type { Place, Report } from '../../../../plugins/receipts/verifier/report.ts';

const origin = 'ins_X.orb/receipts/0';
const leaves = Array.from({ length: 8 }, (_, at) => hashLeaf(Uint8Array.of(at)));
const other = hashLeaf(Uint8Array.of(99));
const treeOf = (hashes: readonly Uint8Array[]): Checkpoint => ({
  ...{ origin, size: BigInt(hashes.length) },
  root: Frontier.empty().append(hashes).root(),
});
/** The first entries of the log. */
const tree = (size: number): Checkpoint => treeOf(leaves.slice(0, size));

describe('a set of receipts beside what was seen of their log', () => {
  const entry = (index: number, checkpoint: Checkpoint, more: Partial<Place> = {}): Report => ({
    ...{ overall: 'VERIFIED', exit: 0, checks: [], limits: [] },
    place: { checkpoint, index: BigInt(index), leaf: leaves[index] ?? other, before: [], ...more },
  });
  const found = (seen: readonly Checkpoint[], reports: readonly Report[]) => {
    const set = new ReceiptSet({ seen: new Map([[origin, seen]]) });
    for (const report of reports) set.take(report);
    const { consistent, set: concluded } = set.report();
    const check = concluded.checks.find(({ name }) => name === 'consistency_with_last_seen');
    return [check?.result, consistent.map(({ size }) => Number(size))];
  };
  const all = (size: number, checkpoint = tree(size)): Report[] =>
    leaves.slice(0, size).map((_, index) => entry(index, checkpoint));

  it('may be remembered when nothing was seen before', () => {
    expect(found([], [entry(3, tree(8))])).to.deep.equal([undefined, [8]]);
  });

  it('goes on from it when its entries yield the remembered root', () => {
    for (const size of [1, 4, 5, 8]) expect(found([tree(size)], all(8)), `${size}`).to.deep.equal(['pass', [8]]);
    expect(found([tree(2), tree(5)], all(8))).to.deep.equal(['pass', [8]]);
  });

  it('is of a fork when its entries yield another root at a remembered size', () => {
    const forked = treeOf([...leaves.slice(0, 4), other]);
    expect(found([forked], all(8))).to.deep.equal(['fail', []]);
    expect(found([treeOf([other, other]), tree(5)], all(8))).to.deep.equal(['fail', []]);
  });

  it('proves nothing when entries are missing up to the remembered size, or all of them are of a smaller tree', () => {
    expect(found([tree(5)], all(8).slice(1))).to.deep.equal(['not_checked', []]);
    expect(found([tree(5)], all(8).toSpliced(2, 1))).to.deep.equal(['not_checked', []]);
    expect(found([tree(8)], all(5))).to.deep.equal(['not_checked', []]);
    expect(found([tree(2), tree(8)], all(5)), 'begins with the smaller one').to.deep.equal(['not_checked', []]);
  });

  it('is consistent when it is shown in a tree that was seen, or that is proved to begin with the newest one', () => {
    expect(found([tree(3), tree(5)], [entry(1, tree(3))])).to.deep.equal(['pass', [3]]);
    expect(found([tree(3), tree(5)], [entry(7, tree(8), { before: [tree(5)] })])).to.deep.equal(['pass', [8]]);
    expect(found([tree(3), tree(5)], [entry(7, tree(8), { before: [tree(3)] })])).to.deep.equal(['not_checked', []]);
    expect(found([tree(5)], [entry(7, tree(8), { before: [treeOf([...leaves.slice(0, 4), other])] })])).to.deep.equal([
      'fail',
      [],
    ]);
  });

  it('proves nothing of a tree by what is proved of another one', () => {
    const mixed = [...all(4, tree(8)), entry(4, tree(6)), ...all(8).slice(5)];
    expect(found([tree(8)], mixed)).to.deep.equal(['not_checked', []]);
    const forked = treeOf([...leaves.slice(0, 6), other]);
    expect(found([tree(5)], [...all(6), entry(6, forked, { leaf: other })])).to.deep.equal(['not_checked', []]);
    expect(found([tree(7)], [...all(6), entry(6, forked, { leaf: other })])).to.deep.equal(['fail', []]);
    // What is shown in several trees yields the root of none.
    const branch = treeOf([...leaves.slice(0, 6), other, other, other]);
    expect(found([tree(7)], [...all(6, tree(8)), entry(6, branch, { leaf: other })])).to.deep.equal([
      'not_checked',
      [],
    ]);
  });
});
