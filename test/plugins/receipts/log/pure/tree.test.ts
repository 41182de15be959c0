import { expect } from 'chai';
import fc from 'fast-check';
import { Frontier } from '../../../../../plugins/receipts/log/pure/frontier.ts';
import {
  type Tile,
  bundleOf,
  consistencyProof,
  entriesOf,
  fullRoot,
  hashLeaf,
  inclusionProof,
  parseTileLevel,
  parseTileNumber,
  rootOf,
  subtreesOf,
  tilePath,
  tileWidth,
  widthAt,
} from '../../../../../plugins/receipts/log/pure/tree.ts';
import { partialTiles } from '../partial-tiles.ts';
import { verifyConsistency, verifyInclusion } from '../../../../../plugins/receipts/log/pure/verify-proof.ts';
import { nativeSha256 } from '../../../../../plugins/receipts/log/stored/tables.ts';
import { vectors } from '../../sample.ts';

const leafOf = (index: number): Uint8Array => hashLeaf(Buffer.from(`leaf ${index}`), nativeSha256);

/** All hashes of every level of a tree, as a log that grows leaf by leaf hears of them. */
function levelsOf(size: number): { readonly levels: Uint8Array[][]; readonly root: Uint8Array } {
  const levels: Uint8Array[][] = [];
  const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
  const frontier = Frontier.empty(nativeSha256).append(leaves, (height, hash) => {
    if (height % 8 === 0) (levels[height / 8] ??= []).push(hash);
  });
  return { levels, root: frontier.root() };
}

describe('tiles', () => {
  it('have the published paths', () => {
    for (const [n, path] of Object.entries(vectors.tile_paths)) {
      expect(tilePath({ level: 0, n: Number(n), width: 256 })).to.equal(`tile/0/${path}`);
      expect(parseTileNumber(path)).to.deep.equal({ n: Number(n), width: 256 });
      expect(parseTileNumber(`${path}.p/112`)).to.deep.equal({ n: Number(n), width: 112 });
    }
    expect(tilePath({ level: 'entries', n: 273, width: 112 })).to.equal('tile/entries/273.p/112');
  });

  it('end, at the published sizes, in the published partial tiles', () => {
    for (const [size, paths] of Object.entries(vectors.tiles_for_size)) {
      const expected = paths.filter((path) => path.includes('.p/'));
      expect(partialTiles(Number(size)).map(tilePath)).to.deep.equal(expected);
    }
  });

  it('have one spelling of their number and level', () => {
    for (const text of [
      '0',
      '00',
      '0000',
      'x000/001',
      'x01/000',
      '001.p/0',
      '001.p/256',
      '001.p/257',
      'x009/x007/x199/x254/x740/992',
      '001.p/01',
      '001.p/',
      'a',
      '',
    ])
      expect(parseTileNumber(text), text).to.equal(undefined);
    const largest = 'x009/x007/x199/x254/x740/991';
    expect(parseTileNumber(largest)).to.deep.equal({ n: Number.MAX_SAFE_INTEGER, width: 256 });
    for (const text of ['00', '64', '-1', '1.0', '', '1e1']) expect(parseTileLevel(text), text).to.equal(undefined);
    expect([parseTileLevel('0'), parseTileLevel('63')]).to.deep.equal([0, 63]);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 256 }), (n, width) => {
        const path = tilePath({ level: 3, n, width });
        expect(parseTileNumber(path.slice('tile/3/'.length))).to.deep.equal({ n, width });
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseTileNumber(text)));
  });

  const { levels } = levelsOf(65_537);
  for (const size of [255, 256, 257, 65_535, 65_536, 65_537])
    it(`of a tree of ${size} yield its root and proofs, and none is asked for beyond its width`, () => {
      const root = Frontier.empty(nativeSha256)
        .append((levels[0] ?? []).slice(0, size))
        .root();
      const tiles = ({ level, n, width }: Tile): Uint8Array => {
        expect(width)
          .to.equal(widthAt(level, n, size))
          .and.to.be.greaterThan(0);
        return Buffer.concat((levels[level] ?? []).slice(n * tileWidth, n * tileWidth + width));
      };
      const subtrees = subtreesOf(tiles, size);
      expect(Buffer.from(rootOf(size, subtrees)).equals(root)).to.equal(true);
      for (const index of [0, 1, 127, 254, size - 2, size - 1]) {
        const hashes = inclusionProof(index, size, subtrees);
        const claim = { index: BigInt(index), size: BigInt(size), leaf: leafOf(index), hashes, root };
        expect(verifyInclusion(claim)).to.equal(true);
      }
      for (const from of [1, 200, 255, Math.max(1, size - 256), size - 1, size]) {
        const fromRoot = rootOf(from, subtrees);
        const hashes = consistencyProof(from, size, subtrees);
        const claim = { from: BigInt(from), to: BigInt(size), fromRoot, toRoot: root, hashes };
        expect(verifyConsistency(claim)).to.equal(true);
      }
    });
});

describe('a tile of another length than its width', () => {
  const size = 300;
  const { levels } = levelsOf(size);
  const whole = ({ level, n, width }: Tile): Buffer =>
    Buffer.concat((levels[level] ?? []).slice(n * tileWidth, n * tileWidth + width));
  // 300 leaves: full tile 0 and 44 hashes of tile 1, and one hash of level 1.
  const damages: Readonly<Record<string, (tile: Buffer) => Buffer>> = {
    'is empty': () => Buffer.alloc(0),
    'lacks a byte': (tile) => tile.subarray(0, -1),
    'lacks a hash': (tile) => tile.subarray(0, -32),
    'is half as long': (tile) => tile.subarray(0, tile.length / 2),
    'has a byte more': (tile) => Buffer.concat([tile, Buffer.of(0)]),
    'has a hash more': (tile) => Buffer.concat([tile, Buffer.alloc(32)]),
    'is twice as long': (tile) => Buffer.concat([tile, tile]),
  };
  for (const [damage, damaged] of Object.entries(damages))
    for (const [level, n] of [
      [0, 0],
      [0, 1],
      [1, 0],
    ])
      it(`${damage}: tile ${level}/${n} yields no root and no proof`, () => {
        const tiles = (tile: Tile): Buffer =>
          tile.level === level && tile.n === n ? damaged(whole(tile)) : whole(tile);
        const subtrees = subtreesOf(tiles, size);
        expect(() => subtrees(level === 0 ? 0 : 8, n === 0 ? 0 : 256)).to.throw(
          RangeError,
          /holds \d+ bytes instead of/,
        );
        if (level === 0 && n === 0) expect(() => inclusionProof(1, size, subtrees)).to.throw(RangeError);
        else expect(() => rootOf(size, subtrees)).to.throw(RangeError);
      });

  it('is not read beyond its end, nor where the tree has none', () => {
    const subtrees = subtreesOf(whole, size);
    expect(() => subtrees(0, size)).to.throw(RangeError);
    expect(() => subtrees(0, 2 * tileWidth)).to.throw(RangeError);
    expect(() => subtrees(6, 4)).to.throw(RangeError);
  });

  it('has no root of its own unless it is a power of two of hashes', () => {
    for (const length of [0, 1, 31, 33, 63, 65, 66, 96, 130, 160, 192, 320])
      expect(() => fullRoot(Buffer.alloc(length)), `${length}`).to.throw(RangeError);
    for (const length of [32, 64, 128, 8192]) expect(fullRoot(Buffer.alloc(length))).to.have.length(32);
  });
});

describe('a bundle of entries', () => {
  it('gives back what was put in, and refuses one that is cut short', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), fc.nat(), (entries, cut) => {
        const bundle = bundleOf(entries);
        expect(entriesOf(bundle)?.map((entry) => [...entry])).to.deep.equal(entries.map((entry) => [...entry]));
        const last = entries.at(-1);
        if (last === undefined) return;
        expect(entriesOf(bundle.subarray(0, bundle.length - 1 - (cut % (last.length + 1))))).to.equal(undefined);
      }),
    );
    expect(() => bundleOf([new Uint8Array(65_536)])).to.throw(RangeError);
  });
});
