import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import type { Envelope, LogProofDocument } from '../../../../plugins/receipts/contract.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../../plugins/receipts/format/ed25519.ts';
import { bundleOf } from '../../../../plugins/receipts/read/export-formats.ts';
import { cosigned, parseNote, signatureLine, noteKey } from '../../../../plugins/receipts/log/pure/note.ts';
import { parsePolicy } from '../../../../plugins/receipts/log/pure/policy-file.ts';
import { isBefore } from '../../../../plugins/receipts/verifier/position.ts';
import type { CheckName, Report } from '../../../../plugins/receipts/verifier/report.ts';
import { trustOf, type Trust } from '../../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { provedIn, signedEnvelope, vectorKeys, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const { run_receipt: run, keys } = vectors;
const { entry, envelope } = signedEnvelope(run.payload);
const others = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')];
/** The vector run as entry 2 of a log of 4. */
const entries = [others[0] ?? entry, others[1] ?? entry, entry, others[2] ?? entry];
const proof = provedIn(entries, 2);
const { origin } = run.position;

const report = (change: Partial<LogProofDocument> = {}, trust: Trust = vectorTrust, more: object = {}): Report =>
  verify(JSON.stringify({ envelope, proof: { ...proof, ...change }, ...more }), trust);
const failed = ({ checks }: Report) => checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Expects exactly one verdict to fail. */
function onlyFails(found: Report, name: CheckName, exit: number): void {
  expect(failed(found)).to.deep.equal([name]);
  expect([found.overall, found.exit]).to.deep.equal(['REJECTED', exit]);
}

describe('the verdicts of the log', () => {
  it('all pass for a receipt among others', () => {
    expect([report().overall, failed(report())]).to.deep.equal(['VERIFIED', []]);
  });

  describe('leaf_matches_envelope alone fails', () => {
    it('when the entry shown is another', () => {
      for (const leaf of [base64('other'), '', base64(`${Buffer.from(entry).toString()} `)])
        onlyFails(report({ leaf }), 'leaf_matches_envelope', 1);
    });

    it('when the receipt names another log than the one it is shown in', () => {
      const statement = vectorStatement();
      for (const shard of ['1', '0-0123abcd']) {
        statement.predicate.log.origin = origin.replace(/0$/, shard);
        const moved = signedEnvelope(canonical(statement));
        const text = JSON.stringify({ envelope: moved.envelope, proof: provedIn([moved.entry]) });
        onlyFails(verify(text, vectorTrust), 'leaf_matches_envelope', 1);
      }
    });
  });

  describe('inclusion alone fails', () => {
    for (const [name, change] of [
      ['at another index', { index: 3 }],
      ['at an index beyond the tree', { index: 4 }],
      ['at another size than the checkpoint’s', { tree_size: 5 }],
      ['with a hash too few', { hashes: proof.hashes.slice(1) }],
      ['with a hash too many', { hashes: [...proof.hashes, proof.hashes[0] ?? ''] }],
      ['with another hash', { hashes: [...proof.hashes].reverse() }],
      ['under the checkpoint of another tree', { checkpoint: provedIn([...entries.slice(0, 3), entry], 0).checkpoint }],
    ] as [string, Partial<LogProofDocument>][])
      it(name, () => onlyFails(report(change), 'inclusion', 1));
  });

  describe('checkpoint_signature alone fails', () => {
    const { text = '' } = parseNote(proof.checkpoint) ?? {};
    const line = proof.checkpoint.slice(text.length + 1);

    it('when another key signed under the name of the log', () => {
      const stranger = privateKeyOf(Buffer.alloc(32, 5));
      const forged = signatureLine(noteKey(origin, rawPublicKey(stranger)), signWith(stranger, Buffer.from(text)));
      onlyFails(report({ checkpoint: `${text}\n${forged}` }), 'checkpoint_signature', 1);
    });

    it('when the signature is of another text, or flipped', () => {
      const logKey = privateKeyOf(Buffer.from(keys.log_seed_hex, 'hex'));
      const other = signatureLine(noteKey(origin, rawPublicKey(logKey)), signWith(logKey, Buffer.from('other\n')));
      onlyFails(report({ checkpoint: `${text}\n${other}` }), 'checkpoint_signature', 1);
      const flipped = line.replace(/(.{8})=\n$/, 'AAAAAAAA=\n');
      onlyFails(report({ checkpoint: `${text}\n${flipped}` }), 'checkpoint_signature', 1);
    });

    it('and is not made, so that nothing is verified, when no key of the log is pinned', () => {
      for (const trust of [{ keys: vectorTrust.keys }, trustOf([vectorKeys.keys[0]])]) {
        const found = report({}, trust);
        expect([failed(found), found.exit]).to.deep.equal([[], 3]);
      }
    });
  });

  describe('key_status_at_index', () => {
    const revokedAt = (revoked_at?: object): Trust =>
      trustOf([{ ...vectorKeys.keys[0], status: 'revoked', revoked_at }, vectorKeys.keys[1]]);

    it('passes before the revocation, and alone fails from it on', () => {
      for (const index of [3, 4, 100]) expect(report({}, revokedAt({ origin, index })).overall).to.equal('VERIFIED');
      for (const index of [0, 1, 2]) onlyFails(report({}, revokedAt({ origin, index })), 'key_status_at_index', 4);
    });

    it('alone fails when either position is unknown', () => {
      for (const position of [undefined, {}, { origin }, { origin, index: -1 }, { origin: 'elsewhere', index: 9 }])
        onlyFails(report({}, revokedAt(position)), 'key_status_at_index', 4);
      const stripped = verify(JSON.stringify({ envelope }), revokedAt({ origin, index: 100 }), { unlogged: true });
      onlyFails(stripped, 'key_status_at_index', 4);
    });

    it('is not that of a position that was not proved', () => {
      const later = revokedAt({ origin, index: 100 });
      expect(failed(report({ index: 1 }, later))).to.deep.equal(['inclusion', 'key_status_at_index']);
    });

    it('orders positions by shard, then index; shards of a backup restored twice have no order', () => {
      const at = (shard: string, index: number) => ({ origin: `ins_X.orb/receipts/${shard}`, index: BigInt(index) });
      for (const [one, other, before] of [
        [at('0', 1), at('0', 2), true],
        [at('0', 2), at('0', 2), false],
        [at('0', 9), at('1', 0), true],
        [at('2', 0), at('10', 0), true],
        [at('1', 0), at('0', 9), false],
        [at('1', 0), at('1-0123abcd', 9), false],
        [at('1-01234567', 0), at('1-0123abcd', 9), false],
        [at('0', 0), at('1-0123abcd', 0), true],
        [{ origin: 'ins_Y.orb/receipts/0', index: 0n }, at('1', 0), false],
      ] as const)
        expect(isBefore(one, other), `${one.origin} ${one.index} < ${other.origin} ${other.index}`).to.equal(before);
    });
  });

  describe('witness_quorum', () => {
    const witness = privateKeyOf(Buffer.from(keys.witness_seed_hex, 'hex'));
    const key = noteKey(keys.witness_name, rawPublicKey(witness), 'cosignature');
    const policy = parsePolicy(`log ${run.log_vkey}\nwitness w ${keys.witness_vkey}\nquorum w\n`);
    const trust: Trust = { keys: vectorTrust.keys, ...(policy === undefined ? {} : { policy }) };
    const { text = '' } = parseNote(proof.checkpoint) ?? {};
    const cosign = (seconds: bigint, signed = seconds): string => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(seconds);
      return signatureLine(key, Buffer.concat([time, signWith(witness, cosigned(text, signed))]));
    };

    it('passes when the witness that is asked for has cosigned, and alone fails when it has not', () => {
      const report4 = report({ checkpoint: proof.checkpoint + cosign(1_763_670_000n) }, trust);
      expect([report4.overall, failed(report4)]).to.deep.equal(['VERIFIED', []]);
      onlyFails(report({}, trust), 'witness_quorum', 1);
      const grease = signatureLine(noteKey('grease.example', new Uint8Array(32)), new Uint8Array(72));
      onlyFails(report({ checkpoint: proof.checkpoint + grease }, trust), 'witness_quorum', 1);
    });

    it('fails with a forged line of the trusted witness, and so does the checkpoint', () => {
      const forged = report({ checkpoint: proof.checkpoint + cosign(1_763_670_000n, 1n) }, trust);
      expect(failed(forged)).to.deep.equal(['checkpoint_signature', 'witness_quorum']);
    });
  });

  describe('disclosure_matches_commitment', () => {
    const salt = (name: 'inputs' | 'outputs') => Buffer.from(run.salts_hex[name], 'hex').toString('base64');
    const inputs = { salt: salt('inputs'), value: run.values.inputs };
    const outputs = { salt: salt('outputs'), value: run.values.outputs };

    it('passes for the values that were committed to', () => {
      for (const disclosed of [{ inputs }, { outputs }, { inputs, outputs }])
        expect(report({}, vectorTrust, { disclosed }).overall).to.equal('VERIFIED');
    });

    it('alone fails for another value, another salt, the other’s, or anything else', () => {
      for (const disclosed of [
        { inputs: { ...inputs, value: { ...inputs.value, subject: 'other' } } },
        { inputs: { ...inputs, salt: salt('outputs') } },
        { inputs: outputs, outputs: inputs },
        { inputs: { value: inputs.value } },
        { policy: inputs },
        [],
      ])
        onlyFails(report({}, vectorTrust, { disclosed }), 'disclosure_matches_commitment', 1);
    });
  });

  describe('of a Sigstore bundle', () => {
    const logKey = rawPublicKey(privateKeyOf(Buffer.from(keys.log_seed_hex, 'hex')));
    const bundle = () => structuredClone(bundleOf(envelope as Envelope, proof, logKey)) as Record<string, unknown>;
    const entryIn = (value: Record<string, unknown>) =>
      (value['verificationMaterial'] as { tlogEntries: Record<string, Record<string, unknown>>[] }).tlogEntries[0];

    it('are those of the native form', () => {
      expect(verify(JSON.stringify(bundle()), vectorTrust).overall).to.equal('VERIFIED');
    });

    it('fail for another root or size beside the checkpoint, and it is malformed without its one entry', () => {
      for (const change of [{ rootHash: proof.hashes[0] }, { treeSize: '5' }]) {
        const changed = bundle();
        Object.assign(entryIn(changed)?.['inclusionProof'] ?? {}, change);
        onlyFails(verify(JSON.stringify(changed), vectorTrust), 'inclusion', 1);
      }
      for (const change of [{ tlogEntries: [] }, { tlogEntries: undefined }]) {
        const changed = bundle();
        Object.assign(changed['verificationMaterial'] ?? {}, change);
        expect(verify(JSON.stringify(changed), vectorTrust).exit).to.equal(2);
      }
      const numbers = bundle();
      Object.assign(entryIn(numbers) ?? {}, { logIndex: 2 });
      expect(verify(JSON.stringify(numbers), vectorTrust).exit).to.equal(2);
    });
  });
});
