import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { rawPublicKey, signWith, verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { isSignedBy, noteKey, readCheckpoint } from '../../../../plugins/receipts/log/pure/note.ts';
import { hashLeaf } from '../../../../plugins/receipts/log/pure/tree.ts';
import { verifyConsistency, verifyInclusion } from '../../../../plugins/receipts/log/pure/verify-proof.ts';
import { appendStatic, readStaticLog, type LogSigner } from '../../../../plugins/receipts/log/static/static-log.ts';
import { temporaryDir } from '../harness.ts';

const origin = 'example.org/static';
const entryOf = (index: number): Uint8Array => Buffer.from(`entry ${index}`);

function signerOf(privateKey: KeyObject): LogSigner {
  return { origin, publicKey: rawPublicKey(privateKey), sign: (message) => signWith(privateKey, message) };
}

describe('a log in static files', function () {
  const signer = signerOf(generateKeyPairSync('ed25519').privateKey);
  let dir: ReturnType<typeof temporaryDir>;
  before(() => {
    dir = temporaryDir();
  });
  after(() => dir.remove());

  const log = () => readStaticLog(dir.path) ?? expect.fail('there is no log');

  it('is none without a checkpoint', () => {
    expect(readStaticLog(dir.path)).to.equal(undefined);
  });

  it('proves each entry, and that it only grew, across the edge of a tile', () => {
    const key = noteKey(origin, signer.publicKey);
    const trees = [];
    for (let index = 0; index < 258; index++) {
      const { checkpoint, hashes, index: at } = appendStatic(dir.path, entryOf(index), signer);
      const read = readCheckpoint(checkpoint) ?? expect.fail(checkpoint);
      expect(isSignedBy(read.note, [key], verifySignature)).to.equal(true);
      const claim = { ...read.checkpoint, index: at, hashes, leaf: hashLeaf(entryOf(index)) };
      expect([at, verifyInclusion(claim)]).to.deep.equal([BigInt(index), true]);
      trees.push(read.checkpoint);
    }
    const { proof } = log();
    const last = trees.at(-1) ?? expect.fail();
    for (const from of [1, 2, 255, 256, 257, 258]) {
      const tree = trees[from - 1] ?? expect.fail();
      const hashes = proof(tree.size, last.size) ?? expect.fail(`${from}`);
      const claim = { from: tree.size, to: last.size, fromRoot: tree.root, toRoot: last.root, hashes };
      expect(verifyConsistency(claim), `${from}`).to.equal(true);
    }
    for (const [from, to] of [
      [0n, 3n],
      [3n, 2n],
      [3n, 259n],
    ] as const)
      expect(proof(from, to)).to.equal(undefined);
  });

  it('has the files of C2SP tlog-tiles', () => {
    const tile = (path: string): number => readFileSync(join(dir.path, 'tile', path)).length;
    expect(['0/000', '0/001.p/2', '1/000.p/1'].map(tile)).to.deep.equal([256 * 32, 2 * 32, 32]);
    expect(tile('entries/001.p/2')).to.equal(2 * 2 + 'entry 256'.length + 'entry 257'.length);
  });

  it('does not add an entry that it has', () => {
    expect(appendStatic(dir.path, entryOf(7), signer).index).to.equal(7n);
    expect(log().checkpoint.size).to.equal(258n);
  });

  it('is not of another name, and refuses entries and checkpoints that do not fit', () => {
    expect(() => appendStatic(dir.path, entryOf(999), { ...signer, origin: 'other' })).to.throw(`the log ${origin}`);
    const entries = join(dir.path, 'tile/entries/001.p/2');
    const bytes = readFileSync(entries);
    writeFileSync(entries, Buffer.from(bytes).fill('x', bytes.length - 1));
    expect(() => log()).to.throw('do not have the root of its checkpoint');
    writeFileSync(entries, bytes.subarray(1));
    expect(() => log()).to.throw('does not hold the entries');
    writeFileSync(join(dir.path, 'checkpoint'), 'none');
    expect(() => log()).to.throw('is not a checkpoint');
  });
});
