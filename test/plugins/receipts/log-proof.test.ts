import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Reply } from '../../../kernel/index.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { admin, freshReceipts, signedRuns } from './fresh.ts';

describe('the proof of a receipt', () => {
  const receipts = freshReceipts();

  it('gives it as a proof file and as a Sigstore bundle, which verify like the native form', async () => {
    await signedRuns(receipts, 3);
    const [id = ''] = await signedRuns(receipts, 1);
    const { envelope } = await receipts.read(id);
    const file = ((await receipts.read(id, { format: 'tlog-proof' })) as Reply).body as string;
    expect(verify(JSON.stringify(envelope), receipts.trust(), { proof: file }).overall).to.equal('VERIFIED');
    const bundle = ((await receipts.read(id, { format: 'sigstore' })) as Reply).body;
    expect(verify(JSON.stringify(bundle), receipts.trust()).overall).to.equal('VERIFIED');
  });

  it('proves it at any size since it was logged, and at none before', async () => {
    const [id = ''] = await signedRuns(receipts, 1);
    await signedRuns(receipts, 4);
    const proof = async (size?: number) =>
      receipts.call('/receipts/{receipt_id}/proof', { receipt_id: id }, admin, size === undefined ? {} : { size });
    expect(await proof(4)).to.include({ index: 3, size: 4 });
    expect(await proof()).to.include({ index: 3, size: 8 });
    for (const size of [3, 9])
      expect(await proof(size).catch((thrown: unknown) => thrown)).to.have.property('code', 'invalid_parameter');
  });

  it('is not proved when its entry, its place or its tile was edited', async () => {
    const [id = ''] = await signedRuns(receipts, 300);
    for (const [edit, undo] of [
      ["UPDATE receipts_entries SET entry = CAST('x' AS BLOB) WHERE idx = 3", undefined],
      ['UPDATE receipts_receipts SET idx = 4 WHERE idx = 3', 'UPDATE receipts_receipts SET idx = 3 WHERE idx = 4'],
      ['UPDATE receipts_tiles SET hashes = zeroblob(8192) WHERE level = 0', undefined],
    ] as const) {
      const whole = receipts.path('whole.db');
      const database = new Driver(receipts.path('store.db'));
      await database.backup(whole);
      database.close();
      receipts.edit(edit);
      const document = await receipts.read(id);
      expect(document.signature_valid, edit).to.equal(false);
      expect(document.effective).to.include({ trust_score: 0 });
      if (undo !== undefined) receipts.edit(undo);
      else await restore(whole);
    }
  });

  async function restore(whole: string): Promise<void> {
    const source = new Driver(whole, { readonly: true });
    const target = new Driver(receipts.path('store.db'));
    for (const table of ['receipts_entries', 'receipts_tiles']) {
      const rows = source.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
      target.exec(`DELETE FROM ${table}`);
      for (const row of rows)
        target
          .prepare(`INSERT INTO ${table} VALUES (${Array(Object.keys(row).length).fill('?').join()})`)
          .run(...Object.values(row));
    }
    source.close();
    target.close();
  }

  it('verifies what is sent to it, and says of each verdict what it found', async () => {
    const [id = ''] = await signedRuns(receipts, 1);
    const document = await receipts.read(id);
    const report = async (artefact: object) =>
      (await receipts.call('/receipts/verify', {}, {}, {}, artefact)) as { overall: string; exit: number };
    expect(await report(document)).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(await report({ ...document, trust_score: 99 })).to.include({ overall: 'REJECTED', exit: 1 });
    expect(await report({ ...document, proof: undefined })).to.include({ overall: 'REJECTED', exit: 3 });
    expect(await report({ receipt_id: id })).to.include({ overall: 'NOTHING-TO-VERIFY', exit: 3 });
    expect(await report({})).to.include({ overall: 'REJECTED', exit: 2 });
  });
});
