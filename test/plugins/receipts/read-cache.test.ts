import { expect } from 'chai';
import type { TransparencyLog } from '../../../plugins/receipts/contract.ts';
import { examiner, remembering } from '../../../plugins/receipts/read/document.ts';
import { proverOf } from '../../../plugins/receipts/log/stored/read-proof.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { trustOf } from '../../../plugins/receipts/verifier/trust.ts';
import { freshReceipts } from './fresh.ts';
import { newRun } from './harness.ts';
import { revoke } from './signing-keys.ts';
import { readsNow } from '../../helpers/reads.ts';

describe('what is remembered of a receipt that was read', () => {
  const receipts = freshReceipts();
  let id: string;
  beforeEach(async () => {
    id = (await receipts.attest(newRun())).receipt_id;
    await receipts.attest(newRun());
  });

  const read = () => receipts.read(id);

  for (const [name, edit, undo] of [
    [
      'payload',
      "payload = CAST(replace(payload, 'run_', 'ruN_') AS BLOB)",
      "payload = CAST(replace(payload, 'ruN_', 'run_') AS BLOB)",
    ],
    ['trust score', 'trust_score = 99', 'trust_score = 80'],
    ['risk level', "risk_level = 'low'", "risk_level = 'medium'"],
    ['time', "timestamp = '2026-11-20T20:00:00.343Z'", "timestamp = '2026-11-20T20:00:00.342Z'"],
    ['tenant', "tenant = 'other'", "tenant = 'default'"],
    ['Orbiset', "orbiset_id = 'other'", "orbiset_id = 'default'"],
    ['status', "status = 'failed'", "status = 'completed'"],
    ['digest', "digest = replace(digest, 'sha256:', 'sha256;')", "digest = replace(digest, 'sha256;', 'sha256:')"],
    ['place', 'idx = idx + 1', 'idx = idx - 1'],
  ] as const)
    it(`does not cover an edit of its ${name} behind it: not VERIFIED, and VERIFIED again once it is taken back`, async () => {
      expect((await read()).signature_valid).to.equal(true);
      expect((await read()).signature_valid).to.equal(true);
      receipts.edit(`UPDATE receipts_receipts SET ${edit} WHERE receipt_id = '${id}'`);
      const edited = await read();
      expect(edited.signature_valid).to.equal(false);
      expect(edited.effective).to.include({ trust_score: 0, risk_level: 'critical' });
      const log = receipts.services['transparencyLog'] as TransparencyLog;
      expect(await log.verifies(id)).to.equal(false);
      receipts.edit(`UPDATE receipts_receipts SET ${undo} WHERE receipt_id = '${id}'`);
      expect((await read()).signature_valid).to.equal(true);
    });

  for (const [name, edit] of [
    ['entry', "UPDATE receipts_entries SET entry = CAST(replace(entry, 'dsse', 'dssf') AS BLOB) WHERE idx = 3"],
    [
      'neighbour in the tree',
      "UPDATE receipts_entries SET entry = CAST(replace(entry, 'dsse', 'dssf') AS BLOB) WHERE idx = 4",
    ],
    [
      'checkpoint',
      "UPDATE receipts_checkpoints SET note = replace(note, char(10) || '5' || char(10), char(10) || '6' || char(10)) WHERE size = 5",
    ],
    ['checkpoint, which is gone', 'DELETE FROM receipts_checkpoints'],
  ] as const)
    it(`does not cover an edit of its ${name}`, async () => {
      expect((await read()).signature_valid).to.equal(true);
      receipts.edit(edit);
      expect((await read()).signature_valid).to.equal(false);
    });

  it('does not outlive the keys it was verified with', async () => {
    const { proof } = await read();
    const keys = readsNow(receipts.store, receiptsStore).keys();
    const kid = keys.find(({ role }) => role === 'receipt')?.kid ?? '';
    await revoke(receipts, kid, 'the seed was shown', { origin: proof?.origin, index: proof?.index });
    expect((await read()).signature_valid).to.equal(false);
  });

  it('saves verifying the same bytes twice, and nothing else', () => {
    const reads = readsNow(receipts.store, receiptsStore);
    const row = reads.findReceipt(id) ?? expect.fail('no row');
    const proof = proverOf(row.log, reads)(row.idx);
    let verified = 0;
    let keys = 'one';
    const examine = examiner(trustOf([]));
    const remembered = remembering(
      (...given) => {
        verified++;
        return examine(...given);
      },
      () => keys,
    );
    const first = remembered(row, proof);
    expect(remembered(reads.findReceipt(id) ?? row, proverOf(row.log, reads)(row.idx))).to.equal(first);
    expect(verified).to.equal(1);
    remembered({ ...row, signature: Buffer.from(row.signature).fill(0, 0, 1) }, proof);
    remembered({ ...row, payload: Buffer.from(row.payload).fill(0, 0, 1) }, proof);
    remembered(row, undefined);
    remembered(row, proof === undefined ? undefined : { ...proof, hashes: [] });
    expect(verified).to.equal(5);
    keys = 'two';
    remembered(row, proof);
    expect(verified).to.equal(6);
    for (let at = 0; at < 1100; at++) remembered({ ...row, receipt_id: `rec_${at}` }, proof);
    keys = 'one';
    remembered(row, proof);
    expect(verified).to.equal(1107);
  });
});
