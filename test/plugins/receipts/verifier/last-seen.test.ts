import { expect } from 'chai';
import type { Checkpoint } from '../../../../plugins/receipts/log/pure/note.ts';
import { Frontier } from '../../../../plugins/receipts/log/pure/frontier.ts';
import { consistencyProof, hashLeaf } from '../../../../plugins/receipts/log/pure/tree.ts';
import {
  checkLastSeen,
  ordered,
  provedBefore,
  type KnownTrees,
} from '../../../../plugins/receipts/verifier/last-seen.ts';
import type { Growth } from '../../../../plugins/receipts/verifier/log-artefact.ts';

const leaves = Array.from({ length: 8 }, (_, at) => hashLeaf(Uint8Array.of(at)));
const over = (hashes: readonly Uint8Array[]): Uint8Array => Frontier.empty().append(hashes).root();
const tree = (size: number, origin = 'log'): Checkpoint => ({
  ...{ origin, size: BigInt(size), root: over(leaves.slice(0, size)) },
});
const forked = (size: number): Checkpoint => ({ ...tree(size), root: over(leaves.slice(0, size).reverse()) });
const path = (from: number | bigint, to: number | bigint) =>
  consistencyProof(Number(from), Number(to), (height, index) =>
    over(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)),
  );
const proof = (from: bigint, to: bigint) => path(from, to);
const from3 = (from: bigint, to: bigint) => (from === 3n ? path(from, to) : undefined);
const grown = (from: number, to: number, root = tree(from).root): Growth => ({
  ...{ from: BigInt(from), root, hashes: path(from, to) },
});
const claimOf = (checkpoint: Checkpoint) => ({ ...{ index: 0n, hashes: [], checkpoint }, note: {} as never });
const found = (size: number, known: KnownTrees, growth: readonly Growth[] = []) => {
  const [check] = checkLastSeen(claimOf(tree(size)), () => known, growth);
  return check?.result;
};

describe('a checkpoint beside the trees that are known', () => {
  for (const [what, size, known, result] of [
    ['no tree', 4, { seen: [] }, undefined],
    ['trees of another log alone', 4, { seen: [tree(2, 'other')] }, undefined],
    ['the empty tree alone', 4, { seen: [tree(0)] }, undefined],
    ['itself', 4, { seen: [tree(4)] }, 'pass'],
    ['another tree of its size', 4, { seen: [forked(4)] }, 'fail'],
    ['a smaller tree, proved', 5, { seen: [tree(3)], proof }, 'pass'],
    ['a smaller tree, not proved', 5, { seen: [tree(3)] }, 'not_checked'],
    ['a smaller tree that nobody can prove', 5, { seen: [tree(3)], proof: () => undefined }, 'not_checked'],
    ['a smaller tree with another root', 5, { seen: [forked(3)], proof }, 'fail'],
    ['two smaller trees, proved to each other before', 6, { seen: [tree(2), forked(3)], proof }, 'fail'],
    ['two smaller trees; the log proves the larger one', 5, { seen: [tree(2), tree(3)], proof: from3 }, 'pass'],
    ['a larger tree, proved', 3, { seen: [tree(5)], proof }, 'pass'],
    ['a larger tree with another root', 3, { seen: [forked(5)], proof }, 'fail'],
    ['the current tree, proved', 3, { seen: [], live: tree(8), proof }, 'pass'],
    ['a current tree of its size', 3, { seen: [], live: tree(3), proof }, 'pass'],
    ['a current tree that is smaller', 5, { seen: [], live: tree(3), proof }, 'fail'],
    ['a current tree that is smaller than one seen', 2, { seen: [tree(5)], live: tree(3), proof }, 'fail'],
    ['a log that does not answer, and nothing else', 4, { seen: [], unanswered: 'x' }, 'not_checked'],
    ['a log that does not answer, and itself', 4, { seen: [tree(4)], unanswered: 'x' }, 'not_checked'],
    ['a log that does not answer, and another tree', 4, { seen: [forked(4)], unanswered: 'x' }, 'fail'],
  ] as readonly (readonly [string, number, KnownTrees, string | undefined])[])
    it(`${result ?? 'has no verdict'}: ${what}`, () => {
      expect(found(size, known)).to.equal(result);
    });

  it('fails for the one step that is wrong, also when another is not proved', () => {
    const partly = (from: bigint, to: bigint) => (from === 2n ? undefined : path(from, to));
    expect(found(4, { seen: [tree(2)], live: forked(6), proof: partly })).to.equal('fail');
    expect(found(4, { seen: [tree(2)], live: tree(6), proof: partly })).to.equal('not_checked');
  });

  it('is not checked without a claim, or without anybody who knows', () => {
    expect(checkLastSeen(undefined, () => ({ seen: [forked(4)] }))).to.deep.equal([]);
    expect(checkLastSeen(claimOf(tree(4)), undefined)).to.deep.equal([]);
  });

  it('is proved by what was saved beside it, from the size that was saved and to its own tree alone', () => {
    expect(found(5, { seen: [tree(3)] }, [grown(2, 5), grown(3, 5)])).to.equal('pass');
    expect(found(5, { seen: [tree(3)] }, [grown(2, 5)])).to.equal('not_checked');
    expect(found(3, { seen: [tree(5)] }, [grown(3, 5)])).to.equal('not_checked');
    expect(found(5, { seen: [tree(3)], proof: () => [] }, [grown(3, 5)]), 'the log comes first').to.equal('fail');
  });
});

describe('the trees before that of a claim', () => {
  const before = (...growth: Growth[]) => provedBefore(claimOf(tree(5)), growth).map(({ size }) => Number(size));

  it('are those that are proved, and smaller', () => {
    expect(before(grown(2, 5), grown(3, 5))).to.deep.equal([2, 3]);
    expect(before(grown(3, 5, forked(3).root), grown(2, 5))).to.deep.equal([2]);
    expect(before({ ...grown(5, 5), hashes: [] })).to.deep.equal([]);
  });

  it('are of its log, with the root that was proved', () => {
    expect(provedBefore(claimOf(tree(5)), [grown(2, 5)])).to.deep.equal([tree(2)]);
  });
});

describe('the order of trees', () => {
  it('is that of their sizes, and of one log', () => {
    const seen = [tree(7), tree(2), tree(3, 'other'), tree(0)];
    const sizes = (known: KnownTrees) => ordered(tree(5), known).map(({ size }) => Number(size));
    expect([sizes({ seen }), sizes({ seen, live: tree(6) })]).to.deep.equal([
      [2, 5, 7],
      [2, 5, 6, 7],
    ]);
  });
});
