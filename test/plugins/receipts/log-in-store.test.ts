import { rmSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { OtherStatement } from '../../../plugins/receipts/kinds/predicate.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts, latestCheckpoint, signedRuns } from './fresh.ts';
import { newRun } from './harness.ts';

describe('the log of receipts in the store', () => {
  const receipts = freshReceipts();

  it('begins with the facts that its keys were made, the log key with its vkey', async () => {
    const rows = receipts.rows<{ receipt_id: string; idx: number }>(
      'SELECT receipt_id, idx FROM receipts_receipts ORDER BY rowid',
    );
    expect(rows.map(({ idx }) => idx)).to.deep.equal([0, 1, 2]);
    const documents = await Promise.all(rows.map(({ receipt_id: id }) => receipts.read(id)));
    const facts = documents.map(({ statement }) => (statement as OtherStatement).predicate.facts);
    expect(facts.map(({ role, change }) => `${String(role)} ${String(change)}`)).to.deep.equal([
      'receipt created',
      'log created',
      'certificate created',
    ]);
    expect(`${String(facts[1]?.['vkey'])}\n`).to.equal(await receipts.published('/log/vkey'));
    for (const document of documents) expect(verify(JSON.stringify(document), receipts.trust()).exit).to.equal(0);
  });

  it('holds every receipt once, without a gap, in the order of the commits, and proves each', async () => {
    const ids = [...(await signedRuns(receipts, 3)), ...(await signedRuns(receipts, 300))];
    const rows = receipts.rows<{ idx: number }>('SELECT idx FROM receipts_receipts ORDER BY rowid');
    expect(rows.map(({ idx }) => idx)).to.deep.equal(Array.from({ length: 306 }, (_, index) => index));
    expect((await latestCheckpoint(receipts))?.size).to.equal(306n);
    for (const id of [ids[0], ids[150], ids.at(-1)]) {
      const document = await receipts.read(id ?? '');
      expect(document.signature_valid).to.equal(true);
      expect(verify(JSON.stringify(document), receipts.trust()).overall).to.equal('VERIFIED');
    }
  });

  it('takes in what was signed before it existed, first and in the order of the commits', async () => {
    const ids = await signedRuns(receipts, 300);
    await receipts.stop();
    const back = new Driver(receipts.path('store.db'));
    back.exec(`DELETE FROM receipts_receipts WHERE kind = 'key'; UPDATE receipts_receipts SET log = NULL, idx = NULL;
      DELETE FROM receipts_logs; DELETE FROM receipts_entries; DELETE FROM receipts_tiles;
      DELETE FROM receipts_checkpoints; DELETE FROM receipts_signing_keys WHERE role <> 'receipt'`);
    back.close();
    rmSync(receipts.path('checkpoint'));
    await receipts.start();
    const rows = receipts.rows<{ receipt_id: string; kind: string }>(
      'SELECT receipt_id, kind, idx FROM receipts_receipts ORDER BY idx',
    );
    expect(rows.slice(0, 300).map(({ receipt_id: id }) => id)).to.deep.equal(ids);
    expect(rows.slice(300).map(({ kind }) => kind)).to.deep.equal(['key', 'key', 'key']);
    expect((await receipts.read(ids[7] ?? '')).signature_valid).to.equal(true);
    await signedRuns(receipts, 1);
    expect((await latestCheckpoint(receipts))?.size).to.equal(304n);
  });

  it('signs nothing over a row that changed in between, and goes on when the cause is gone', async () => {
    await signedRuns(receipts, 2);
    const before = await latestCheckpoint(receipts);
    const database = new Driver(receipts.path('store.db'));
    database.exec(`CREATE TRIGGER flip AFTER INSERT ON receipts_entries BEGIN
      UPDATE receipts_entries SET entry = CAST(replace(entry, 'dsse', 'dssf') AS BLOB) WHERE idx = NEW.idx; END`);
    const error = await receipts.attest(newRun()).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'storage_unavailable');
    expect(await latestCheckpoint(receipts)).to.deep.equal(before);
    database.exec('DROP TRIGGER flip');
    database.close();
    await signedRuns(receipts, 1);
    expect((await latestCheckpoint(receipts))?.size).to.equal((before?.size ?? 0n) + 1n);
  });
});
