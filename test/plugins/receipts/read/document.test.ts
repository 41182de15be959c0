import { expect } from 'chai';
import type { LogProofDocument } from '../../../../plugins/receipts/contract.ts';
import { privateKeyOf, rawPublicKey } from '../../../../plugins/receipts/format/ed25519.ts';
import { examiner } from '../../../../plugins/receipts/read/document.ts';
import { noteOf, parseNote, signatureLine, noteKey } from '../../../../plugins/receipts/log/pure/note.ts';
import type { StoredReceipt } from '../../../../plugins/receipts/log/rows/stored-receipt.ts';
import type { Trust } from '../../../../plugins/receipts/verifier/trust.ts';
import { provedIn, signedEnvelope, vectors, vectorTrust } from '../sample.ts';

const payload = vectors.run_receipt.payload;
const { entry, envelope } = signedEnvelope(payload);
const [signature] = envelope.signatures;
const row: StoredReceipt = {
  ...{ receipt_id: '', kind: 'run', run_id: null, tenant: null, orbiset_id: null, orb_id: null, status: null },
  ...{ origin: '', sequence: null, digest: '', timestamp: '', trust_score: null, risk_level: null, log: 1, idx: 0 },
  ...{ payload: Buffer.from(payload), signature: Buffer.from(signature?.sig ?? '', 'base64') },
  kid: vectors.keys.receipt_kid_rfc7638,
};
const noteIn = ({ checkpoint }: LogProofDocument) => parseNote(checkpoint) ?? expect.fail('no note');

describe('the checkpoint that receipts share', () => {
  const checks = (examine: ReturnType<typeof examiner>, proof: LogProofDocument) =>
    Object.fromEntries(examine(row, proof).report.checks.map(({ name, result }) => [name, result]));
  const before = provedIn([entry]);
  const log = noteKey(before.origin, vectorTrust.policy?.logs[0]?.publicKey ?? expect.fail('no log'));
  const lineOf = (proof: LogProofDocument, key = log): string =>
    signatureLine(key, noteIn(proof).signatures[0]?.signature ?? expect.fail('no signature'));

  it('lends its signature to no other checkpoint, though that proves the receipt', () => {
    const examine = examiner(vectorTrust);
    expect(checks(examine, before)).to.include({ checkpoint_signature: 'pass', inclusion: 'pass' });
    const grown = provedIn([entry, Buffer.from('another entry')]);
    expect(checks(examine, grown)).to.include({ checkpoint_signature: 'pass', inclusion: 'pass' });
    expect(checks(examine, before)).to.include({ checkpoint_signature: 'pass', inclusion: 'pass' });
    const forged = { ...grown, checkpoint: noteOf(noteIn(grown).text, [lineOf(before)]) };
    // The second time, too: what did not verify is not remembered.
    for (let at = 0; at < 2; at++) expect(checks(examine, forged)['checkpoint_signature']).to.equal('fail');
  });

  it('is signed by the key that verified it, and by no other under the same signature', () => {
    const other = noteKey(before.origin, rawPublicKey(privateKeyOf(Buffer.alloc(32, 5))));
    let logs = [log];
    const trust: Trust = {
      ...vectorTrust,
      get policy() {
        return { logs, witnesses: new Map(), groups: new Map() };
      },
    };
    const examine = examiner(trust);
    expect(checks(examine, before)).to.include({ checkpoint_signature: 'pass' });
    logs = [other];
    const claimed = { ...before, checkpoint: noteOf(noteIn(before).text, [lineOf(before, other)]) };
    expect(checks(examine, claimed)['checkpoint_signature']).to.equal('fail');
  });

  it('is verified once for all of them', () => {
    let verified = 0;
    const examine = examiner(vectorTrust, () => {
      verified++;
      return true;
    });
    for (let at = 0; at < 3; at++) examine(row, before);
    // Each envelope, and the one checkpoint.
    expect(verified).to.equal(4);
  });
});
