import { expect } from 'chai';
import type { Envelope } from '../../../../plugins/receipts/contract.ts';
import { bundleOf } from '../../../../plugins/receipts/read/export-formats.ts';
import {
  agrees,
  bundleClaim,
  fileClaim,
  growthOf,
  nativeClaim,
} from '../../../../plugins/receipts/verifier/log-artefact.ts';
import { provedIn, signedEnvelope } from '../sample.ts';

const { entry, envelope } = signedEnvelope('{}');
const proof = provedIn([Buffer.from('x'), entry], 1);
const hash = Buffer.alloc(32, 1).toString('base64');
const short = Buffer.alloc(31, 1).toString('base64');
const list = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('what a receipt claims of the log', () => {
  it('is its place, its path, the entry and the tree', () => {
    const claim = nativeClaim({ ...proof, hashes: list(64, hash) });
    expect(claim).to.include({ index: 1n, size: 2n, origin: proof.origin });
    expect(claim?.hashes).to.have.length(64);
    expect(claim?.leaf).to.deep.equal(new Uint8Array(entry));
    expect(nativeClaim({ ...proof, index: 0 })?.index).to.equal(0n);
  });

  for (const [what, change] of [
    ['65 hashes', { hashes: list(65, hash) }],
    ['a hash of 31 bytes', { hashes: [short] }],
    ['a hash that is no base64', { hashes: ['?'] }],
    ['hashes that are no texts', { hashes: [1] }],
    ['hashes that are no list', { hashes: { length: 0 } }],
    ['no log', { origin: undefined }],
    ['a log that is no text', { origin: 1 }],
    ['a checkpoint that is no text', { checkpoint: 1 }],
    ['a checkpoint that is none', { checkpoint: 'x' }],
    ['an index below 0', { index: -1 }],
    ['an index that is no whole number', { index: 0.5 }],
    ['an index that is a text', { index: '1' }],
    ['no size', { tree_size: undefined }],
    ['no entry', { leaf: undefined }],
    ['an entry that is no base64', { leaf: '?' }],
  ] as const)
    it(`is malformed with ${what}`, () => {
      expect(nativeClaim({ ...proof, ...change })).to.equal(undefined);
    });

  it('is an object', () => {
    for (const value of [[], null, 'x']) expect(nativeClaim(value)).to.equal(undefined);
    expect(fileClaim('x')).to.equal(undefined);
  });
});

describe('what a bundle claims of the log', () => {
  type Json = Record<string, unknown>;
  const changed = (change: (at: { material: Json; entry: Json; inclusion: Json }) => void) => {
    const bundle = structuredClone(bundleOf(envelope as Envelope, proof, new Uint8Array(32))) as unknown as Json;
    const material = bundle['verificationMaterial'] as Json;
    const [one] = material['tlogEntries'] as [Json];
    change({ material, entry: one, inclusion: one['inclusionProof'] as Json });
    return bundleClaim(bundle);
  };

  it('is its place, its path, the entry and the tree', () => {
    expect(changed(() => undefined)).to.include({ index: 1n, size: 2n });
  });

  for (const [what, change] of [
    ['another place beside the proof', ({ entry: one }) => void (one['logIndex'] = '0')],
    ['a place that is a number', ({ entry: one, inclusion }) => void (one['logIndex'] = inclusion['logIndex'] = 1)],
    ['two entries', ({ material, entry: one }) => void (material['tlogEntries'] = [one, one])],
    ['an entry that is no object', ({ material }) => void (material['tlogEntries'] = ['x'])],
    ['entries that are no list', ({ material, entry: one }) => void (material['tlogEntries'] = { 0: one, length: 1 })],
    ['no proof', ({ entry: one }) => void delete one['inclusionProof']],
    ['no checkpoint', ({ inclusion }) => void delete inclusion['checkpoint']],
    ['a checkpoint that is no text', ({ inclusion }) => void (inclusion['checkpoint'] = { envelope: 1 })],
    ['no size', ({ inclusion }) => void delete inclusion['treeSize']],
    ['no root', ({ inclusion }) => void delete inclusion['rootHash']],
    ['no entry in it', ({ entry: one }) => void delete one['canonicalizedBody']],
    ['no hashes', ({ inclusion }) => void delete inclusion['hashes']],
  ] as readonly (readonly [string, Parameters<typeof changed>[0]])[])
    it(`is malformed with ${what}`, () => {
      expect(changed(change)).to.equal(undefined);
    });

  it('is malformed without anything to read', () => {
    expect([bundleClaim({}), bundleClaim({ verificationMaterial: [] })]).to.deep.equal([undefined, undefined]);
  });
});

describe('the values beside a checkpoint', () => {
  const claim = nativeClaim(proof) ?? expect.fail('not read');
  const { origin, root, size } = claim.checkpoint;
  const bare = { index: 0n, hashes: [], note: claim.note, checkpoint: claim.checkpoint };
  for (const [what, beside, expected] of [
    ['none', {}, true],
    ['the same', { origin, root, size }, true],
    ['another log', { origin: 'x', root, size }, false],
    ['another size', { origin, root, size: size + 1n }, false],
    ['another root', { origin, root: new Uint8Array(32), size }, false],
  ] as const)
    it(`${expected ? 'agree' : 'do not agree'} with it: ${what}`, () => {
      expect(agrees({ ...bare, ...beside })).to.equal(expected);
    });
});

describe('how a log has grown', () => {
  const step = { from: 1, root: hash, hashes: [hash] };

  it('is a list of at most 64 steps', () => {
    expect(growthOf([])).to.deep.equal([]);
    expect(growthOf(list(64, step))).to.have.length(64);
    expect(growthOf(list(65, step))).to.equal(undefined);
    expect(growthOf({ length: 0 })).to.equal(undefined);
  });

  for (const [what, change] of [
    ['no size', { from: undefined }],
    ['a size below 0', { from: -1 }],
    ['a root of 31 bytes', { root: short }],
    ['no root', { root: undefined }],
    ['no hashes', { hashes: undefined }],
  ] as const)
    it(`is malformed with a step that has ${what}`, () => {
      expect(growthOf([step, { ...step, ...change }])).to.equal(undefined);
    });

  it('is malformed with a step that is no object', () => {
    expect([growthOf([null]), growthOf(['x'])]).to.deep.equal([undefined, undefined]);
  });
});
