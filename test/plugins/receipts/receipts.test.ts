import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { compile, operation, PlatformError, type Principal, type Reply } from '../../../kernel/index.ts';
import { receiptDocument, type ReceiptDocument, type RunStatement } from '../../../plugins/receipts/contract.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';

const fitsSchema = compile(receiptDocument);

describe('receipts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let now: number;

  beforeEach(async () => {
    dir = temporaryDir();
    now = Date.parse('2026-11-20T20:00:00Z');
    receipts = await startReceipts(dir.path, { now: () => now, monotonic: () => 0 });
  });
  afterEach(async () => {
    await receipts.stop();
    dir.remove();
  });

  const reader: Partial<Principal> = { tenant: 'default', scopes: ['receipts:read'] };
  const admin: Partial<Principal> = { tenant: 'default', scopes: ['*'] };

  async function read(id: string, principal = reader): Promise<ReceiptDocument> {
    const document = (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, principal)) as ReceiptDocument;
    expect(fitsSchema(structuredClone(document))).to.deep.equal([]);
    return document;
  }

  function edit(sql: string, ...values: unknown[]): void {
    const database = new Driver(join(dir.path, 'store.db'));
    database.prepare(sql).run(...values);
    database.close();
  }

  const query = (sql: string): unknown[] => {
    const database = new Driver(join(dir.path, 'store.db'), { readonly: true });
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  };

  describe('on issue', () => {
    it('answer the summary: score, risk, verified signature, and the time of the outcome', async () => {
      const run = newRun();
      const receipt = await receipts.attest(run);
      expect(receipt).to.deep.equal({
        receipt_id: receipt.receipt_id,
        trust_score: 80,
        risk_level: 'medium',
        signature_valid: true,
        timestamp: run.finished_at,
      });
      expect(receipt.receipt_id).to.match(/^rec_[0-9A-Z]{26}$/);
    });

    it('hand their id to the operations that commit with them', async () => {
      let given: string | undefined;
      const receipt = await receipts.hooks.attest({
        fact: newRun(),
        operations: (id) => {
          given = id;
          return [];
        },
      });
      expect(given).to.equal(receipt?.receipt_id);
    });

    it('keep nothing of inputs and outputs without a retention', async () => {
      await receipts.attest(newRun());
      expect(query('SELECT * FROM receipts_values')).to.deep.equal([]);
    });

    it('keep inputs and outputs sealed with their salts, and erase them when their time has come', async () => {
      const run = newRun('default', { retention_days: { inputs: 1, outputs: 2 } });
      const { receipt_id: id } = await receipts.attest(run);
      const { statement } = await read(id);
      const rows = query('SELECT name, sealed FROM receipts_values ORDER BY name') as {
        name: 'inputs';
        sealed: Buffer;
      }[];
      expect(rows.map(({ name }) => name)).to.deep.equal(['inputs', 'outputs']);
      for (const { name, sealed } of rows) {
        expect(sealed.includes('ada@example.com')).to.equal(false);
        const opened = receipts.store.sealer.open('inputs', sealed);
        const hash = createHash('sha256').update(opened).digest('hex');
        expect(`sha256:${hash}`).to.equal((statement as RunStatement).predicate.facts[name].commitment);
      }
      const erase = (before: number) =>
        receipts.store.write([operation(receiptsStore, 'eraseValues', { before, most: 9 })]);
      const dayMs = 86_400_000;
      expect(await erase(now + dayMs - 1)).to.deep.equal([0]);
      expect(await erase(now + dayMs)).to.deep.equal([1]);
      expect(query('SELECT name FROM receipts_values')).to.deep.equal([{ name: 'outputs' }]);
      expect((await read(id)).signature_valid).to.equal(true);
    });

    it('disclose what is kept to who may see it, as the verifier finds it committed to; and log that', async () => {
      const run = newRun('default', { retention_days: { inputs: 1, outputs: 1 } });
      const { receipt_id: id } = await receipts.attest(run);
      const ask = (principal: Partial<Principal>, disclose = 'inputs,outputs') =>
        receipts.call('/receipts/{receipt_id}', { receipt_id: id }, { ...reader, ...principal }, { disclose });
      const allowed = [{ scopes: ['receipts:read', 'receipts:disclose'] }, { id: run.facts.principal }, admin];
      for (const principal of allowed) {
        const document = (await ask(principal)) as ReceiptDocument;
        expect(fitsSchema(structuredClone(document))).to.deep.equal([]);
        expect(document.disclosed?.inputs?.value).to.deep.equal(JSON.parse(run.inputs));
        expect(document.disclosed?.outputs?.value).to.deep.equal(JSON.parse(run.outputs ?? ''));
        const trust = readTrust(readFileSync(join(dir.path, 'jwks.json'), 'utf8')) ?? { keys: [] };
        const report = verify(JSON.stringify(document), trust);
        expect(report.overall).to.equal('VERIFIED');
        expect(report.checks.at(-1)).to.include({ name: 'disclosure_matches_commitment', result: 'pass' });
      }
      const refused = await ask({ id: 'prn_other' }).catch((thrown: unknown) => thrown);
      expect(refused).to.have.property('code', 'insufficient_scope');
      await receipts.store.write([operation(receiptsStore, 'eraseValues', { before: now + 2 * 86_400_000, most: 9 })]);
      expect(((await ask(admin)) as ReceiptDocument).disclosed).to.deep.equal({});
      expect((await read(id)).signature_valid).to.equal(true);
    });

    it('erase what is due at the start', async () => {
      await receipts.attest(newRun('default', { retention_days: { inputs: 1, outputs: 0 } }));
      await receipts.stop();
      now += 86_400_000;
      receipts = await startReceipts(dir.path, { now: () => now, monotonic: () => 0 });
      await receipts.store.write([operation(receiptsStore, 'eraseValues', { before: 0, most: 9 })]);
      expect(query('SELECT name FROM receipts_values')).to.deep.equal([]);
    });
  });

  describe('on reading', () => {
    it('are valid, and verify offline with the mirrored keys', async () => {
      const { receipt_id: id } = await receipts.attest(newRun());
      const document = await read(id);
      expect(document.signature_valid).to.equal(true);
      expect(document).to.not.have.property('effective');
      expect(document.statement?.predicate.receipt_id).to.equal(id);
      const trust = readTrust(readFileSync(join(dir.path, 'jwks.json'), 'utf8'));
      const report = verify(JSON.stringify(document), trust ?? { keys: [] });
      expect([report.overall, report.exit]).to.deep.equal(['VERIFIED', 0]);
    });

    for (const [name, sql, check] of [
      ['payload', "UPDATE receipts_receipts SET payload = CAST(replace(payload, 'run_', 'ruN_') AS BLOB)", 'envelope'],
      ['shape', "UPDATE receipts_shapes SET text = replace(text, 'smtp-main', 'smtp-mein')", 'envelope'],
      ['name of the shape', "UPDATE receipts_receipts SET shape = 'other'", 'envelope'],
      ['shapes', 'DELETE FROM receipts_shapes', 'envelope'],
      ['payload beyond JSON', "UPDATE receipts_receipts SET payload = CAST('x' AS BLOB)", 'envelope'],
      ['signature', 'UPDATE receipts_receipts SET signature = zeroblob(64)', 'envelope'],
      ['key id', "UPDATE receipts_receipts SET kid = 'other'", 'key_trusted'],
      ['score', 'UPDATE receipts_receipts SET trust_score = 99', 'readable_copy_matches'],
      ['risk', "UPDATE receipts_receipts SET risk_level = 'low'", 'readable_copy_matches'],
      ['time', "UPDATE receipts_receipts SET timestamp = '2026-11-20T20:00:00.343Z'", 'readable_copy_matches'],
      ['status', "UPDATE receipts_receipts SET status = 'failed'", 'stored_row_matches'],
      ['run', "UPDATE receipts_receipts SET run_id = 'run_x'", 'stored_row_matches'],
      ['place in the chain', 'UPDATE receipts_receipts SET sequence = 7', 'stored_row_matches'],
      ['digest', "UPDATE receipts_receipts SET digest = 'sha256:0'", 'stored_row_matches'],
      ['Orbiset', "UPDATE receipts_receipts SET orbiset_id = 'other'", 'stored_row_matches'],
    ] as const)
      it(`find an edited ${name}: the signature is not valid and the receipt worth nothing`, async () => {
        const { receipt_id: id } = await receipts.attest(newRun());
        expect((await read(id)).signature_valid).to.equal(true);
        edit(sql);
        const document = await read(id);
        expect(document.signature_valid).to.equal(false);
        expect(document.effective).to.include({ trust_score: 0, risk_level: 'critical' });
        expect(document.effective?.reason).to.include(check);
        expect(document.checks.find(({ result }) => result === 'fail')?.name).to.equal(check);
      });

    const failure = async (promise: Promise<unknown>): Promise<string> => {
      const error = await promise.catch((thrown: unknown) => thrown);
      return error instanceof PlatformError ? error.code : 'none';
    };

    it('are there for their own tenant and for *, and for nobody else', async () => {
      const { receipt_id: id } = await receipts.attest(newRun());
      const other = { tenant: 'other', scopes: ['receipts:read'] };
      expect(await failure(read(id, other))).to.equal('receipt_not_found');
      expect((await read(id, { ...admin, tenant: 'other' })).receipt_id).to.equal(id);
      expect(await failure(read('rec_00000000000000000000000000'))).to.equal('receipt_not_found');
    });

    it('move to no other tenant by an edited row', async () => {
      const { receipt_id: id } = await receipts.attest(newRun());
      edit("UPDATE receipts_receipts SET tenant = 'other'");
      expect(await failure(read(id, { tenant: 'other', scopes: ['receipts:read'] }))).to.equal('receipt_not_found');
      expect((await read(id, admin)).signature_valid).to.equal(false);
    });
  });

  it('publish the same keys as the file in the state dir', async () => {
    const { body } = (await receipts.call('/.well-known/jwks.json', {})) as Reply;
    expect(body).to.deep.equal(JSON.parse(readFileSync(join(dir.path, 'jwks.json'), 'utf8')));
  });

  it('are healthy, and down when the last one could not be issued', async () => {
    expect(receipts.health()).to.deep.equal({ health: 'up' });
    await receipts.attest(newRun('default', { tenant: 'x'.repeat(20_000) })).catch(() => undefined);
    expect(receipts.health().health).to.equal('down');
    await receipts.attest(newRun());
    expect(receipts.health()).to.deep.equal({ health: 'up' });
  });
});
