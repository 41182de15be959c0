import { expect } from 'chai';
import { decodeBase64 } from '../../../../plugins/receipts/format/base64.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { readCheckpoint } from '../../../../plugins/receipts/log/pure/note.ts';
import { formatProof } from '../../../../plugins/receipts/log/pure/proof-file.ts';
import type { LogProofDocument } from '../../../../plugins/receipts/contract.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { claimedCheckpoints, verify, type VerifyOptions } from '../../../../plugins/receipts/verifier/verify.ts';
import { inLog } from './fixtures/in-log.ts';
import { provedIn, signedEnvelope, vectors, vectorTrust } from '../sample.ts';

const { entry, envelope } = signedEnvelope(vectors.run_receipt.payload);
const other = signedEnvelope('{}').entry;
// The receipt in trees of one, two and three entries; in a tree that forks the second; at another place of the log.
const one = provedIn([entry]);
const two = provedIn([entry, other]);
const three = provedIn([entry, other, other]);
const fork = provedIn([entry, entry]);
const moved = provedIn([other, entry], 1);

const fileOf = ({ checkpoint, hashes, index }: LogProofDocument): string => {
  const decoded = hashes.map((hash) => decodeBase64(hash) ?? new Uint8Array());
  return formatProof({ index: BigInt(index), hashes: decoded, checkpoint });
};
const rootIn = ({ checkpoint }: LogProofDocument): string => checkpoint.split('\n')[2] ?? '';
const artefact = (proof: object | undefined, more: object = {}): string => JSON.stringify({ envelope, proof, ...more });
const verified = (proof: object | undefined, file: string, options: VerifyOptions = {}, more: object = {}): Report =>
  verify(artefact(proof, more), vectorTrust, { proof: file, verifySignature, ...options });
const failed = ({ checks }: Report): string[] =>
  checks.filter(({ result }) => result === 'fail').map(({ name }) => name);

describe('a receipt with a proof of its own, and a second proof beside it', () => {
  it('is verified when both hold, of one tree or of two', () => {
    for (const [own, file] of [
      [one, one],
      [one, three],
      [three, one],
    ] as const) {
      const report = verified(own, fileOf(file));
      expect([report.overall, report.checks.length]).to.deep.equal(['VERIFIED', 9]);
      expect(report.place?.checkpoint.size).to.equal(BigInt(file.tree_size));
    }
  });

  const forgeries: readonly (readonly [name: string, own: object, exit: number, failed: readonly string[]])[] = [
    ['has the entry of another', { ...two, leaf: Buffer.from(other).toString('base64') }, 1, ['leaf_matches_envelope']],
    ['does not lead to its root', { ...two, hashes: one.hashes }, 1, ['inclusion']],
    ['says another size', { ...two, tree_size: 3 }, 1, ['inclusion']],
    ['is of another place', moved, 1, ['inclusion', 'consistency_with_last_seen']],
    [
      'has a checkpoint that nobody signed',
      { ...two, checkpoint: three.checkpoint.replace('\n3\n', '\n2\n').replace(rootIn(three), rootIn(two)) },
      1,
      [],
    ],
    ['is of a fork', fork, 5, ['consistency_with_last_seen']],
    ['is of another log', { ...two, origin: 'ins_X.orb/receipts/0' }, 1, ['leaf_matches_envelope', 'inclusion']],
    ['is malformed', {}, 2, []],
  ];
  for (const [name, own, exit, checks] of forgeries)
    it(`is refused when its own ${name}, though the second one holds`, () => {
      const report = verified(own, fileOf(two));
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', exit]);
      if (checks.length > 0) expect(failed(report)).to.deep.equal(checks);
      expect(report.place).to.equal(undefined);
    });

  it('is refused when the second one does not hold, though its own does', () => {
    expect(verified(two, fileOf({ ...two, hashes: [] }))).to.deep.include({ overall: 'REJECTED', exit: 1 });
    expect(verified(two, fileOf(fork))).to.deep.include({ overall: 'REJECTED', exit: 5 });
    expect(verified(two, 'no proof')).to.deep.include({ overall: 'REJECTED', exit: 2 });
  });

  it('is compared in both trees with what was seen', () => {
    const treeOf = (proof: LogProofDocument) => readCheckpoint(proof.checkpoint)?.checkpoint ?? expect.fail();
    const seen = (...proofs: readonly LogProofDocument[]): VerifyOptions => ({
      lastSeen: () => ({ seen: proofs.map(treeOf) }),
    });
    expect(verified(two, fileOf(two), seen(two)).overall).to.equal('VERIFIED');
    expect(verified(fork, fileOf(three), seen(two))).to.deep.include({ overall: 'REJECTED', exit: 5 });
    expect(verified(three, fileOf(fork), seen(two))).to.deep.include({ overall: 'REJECTED', exit: 5 });
    const open = verified(two, fileOf(three), seen(two));
    expect([open.overall, open.limits.length]).to.deep.equal(['VERIFIED-WITH-LIMITS', 1]);
    const demanded = verified(two, fileOf(three), { ...seen(two), demands: ['consistency_with_last_seen'] });
    expect(demanded).to.deep.include({ overall: 'REJECTED', exit: 3 });
  });

  it('keeps the proofs of growth that were saved with its own proof for that one', () => {
    const tree = readCheckpoint(one.checkpoint)?.checkpoint ?? expect.fail();
    const consistency = [{ from: 1, root: Buffer.from(tree.root).toString('base64'), hashes: two.hashes }];
    const lastSeen = () => ({ seen: [tree] });
    expect(verify(artefact(two, { consistency }), vectorTrust, { lastSeen }).overall).to.equal('VERIFIED');
    const report = verified(two, fileOf(three), { lastSeen }, { consistency });
    expect([report.overall, failed(report)]).to.deep.equal(['VERIFIED-WITH-LIMITS', []]);
    expect(report.place?.before).to.deep.equal([]);
  });

  it('is looked up in the log of a server with both trees', () => {
    const held = (own: LogProofDocument) => inLog(verified(own, fileOf(one)), [entry, other], one.origin);
    expect(held(two).overall).to.equal('VERIFIED');
    expect(held(fork)).to.deep.include({ overall: 'REJECTED', exit: 5 });
  });

  it('asks the log of both trees', () => {
    const sizes = claimedCheckpoints(artefact(two), fileOf(three)).map(({ size }) => Number(size));
    expect(sizes).to.deep.equal([3, 2]);
  });
});
