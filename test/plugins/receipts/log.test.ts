import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { ConfigError, type PlatformError, type Principal, type Reply } from '../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { readCheckpointFile } from '../../../plugins/receipts/checkpoint-file.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/kind.ts';
import { parseCheckpoint } from '../../../plugins/receipts/log/checkpoint.ts';
import { Frontier } from '../../../plugins/receipts/log/frontier.ts';
import { hashLeaf } from '../../../plugins/receipts/log/hashing.ts';
import { parseNote } from '../../../plugins/receipts/log/note.ts';
import { parsePolicy } from '../../../plugins/receipts/log/policy-file.ts';
import { entriesOf } from '../../../plugins/receipts/log/tile.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { newRun, openReceiptsStore, startReceipts, temporaryDir, type Harness } from './harness.ts';

const admin: Partial<Principal> = { tenant: 'default', scopes: ['*'] };

describe('the log of receipts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  beforeEach(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
  });
  afterEach(async () => {
    await receipts.stop();
    dir.remove();
  });

  const sql = (text: string, ...values: unknown[]): unknown[] => {
    const database = new Driver(join(dir.path, 'store.db'));
    const statement = database.prepare(text);
    const rows = statement.reader ? statement.all(...values) : [statement.run(...values)];
    database.close();
    return rows;
  };
  const attest = async (count: number): Promise<string[]> => {
    const made = await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())));
    expect(made.every(({ signature_valid: valid }) => valid)).to.equal(true);
    return made.map(({ receipt_id: id }) => id);
  };
  const read = async (id: string, query = {}): Promise<ReceiptDocument> =>
    (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin, query)) as ReceiptDocument;
  const trust = () => readTrust(readFileSync(join(dir.path, 'jwks.json'), 'utf8')) ?? { keys: [] };
  const body = async (path: string, params = {}, query = {}): Promise<string | Uint8Array> =>
    ((await receipts.call(path, params, {}, query)) as Reply).body as string | Uint8Array;
  const json = async (path: string, query: object): Promise<Record<string, unknown>> =>
    ((await receipts.call(path, {}, {}, query)) as Reply).body as Record<string, unknown>;
  const checkpoint = async () => parseCheckpoint(parseNote(String(await body('/log/checkpoint')))?.text ?? '');

  describe('in the store', () => {
    it('begins with the facts that its keys were made, the log key with its vkey', async () => {
      const rows = sql('SELECT receipt_id, idx FROM receipts_receipts ORDER BY rowid') as {
        receipt_id: string;
        idx: number;
      }[];
      expect(rows.map(({ idx }) => idx)).to.deep.equal([0, 1, 2]);
      const documents = await Promise.all(rows.map(({ receipt_id: id }) => read(id)));
      const facts = documents.map(({ statement }) => (statement as OtherStatement).predicate.facts);
      expect(facts.map(({ role, change }) => `${String(role)} ${String(change)}`)).to.deep.equal([
        'receipt created',
        'log created',
        'certificate created',
      ]);
      expect(`${String(facts[1]?.['vkey'])}\n`).to.equal(await body('/log/vkey'));
      for (const document of documents) expect(verify(JSON.stringify(document), trust()).exit).to.equal(0);
    });

    it('holds every receipt once, without a gap, in the order of the commits, and proves each', async () => {
      const ids = [...(await attest(3)), ...(await attest(300))];
      const rows = sql('SELECT idx FROM receipts_receipts ORDER BY rowid') as { idx: number }[];
      expect(rows.map(({ idx }) => idx)).to.deep.equal(Array.from({ length: 306 }, (_, index) => index));
      expect((await checkpoint())?.size).to.equal(306n);
      for (const id of [ids[0], ids[150], ids.at(-1)]) {
        const document = await read(id ?? '');
        expect(document.signature_valid).to.equal(true);
        expect(verify(JSON.stringify(document), trust()).overall).to.equal('VERIFIED');
      }
    });

    it('takes in what was signed before it existed, first and in the order of the commits', async () => {
      const ids = await attest(300);
      await receipts.stop();
      const back = new Driver(join(dir.path, 'store.db'));
      back.exec(`DELETE FROM receipts_receipts WHERE kind = 'key'; UPDATE receipts_receipts SET log = NULL, idx = NULL;
        DELETE FROM receipts_logs; DELETE FROM receipts_entries; DELETE FROM receipts_tiles;
        DELETE FROM receipts_checkpoints; DELETE FROM receipts_signing_keys WHERE role <> 'receipt'`);
      back.close();
      rmSync(join(dir.path, 'checkpoint'));
      receipts = await startReceipts(dir.path);
      const rows = sql('SELECT receipt_id, kind, idx FROM receipts_receipts ORDER BY idx') as {
        receipt_id: string;
        kind: string;
      }[];
      expect(rows.slice(0, 300).map(({ receipt_id: id }) => id)).to.deep.equal(ids);
      expect(rows.slice(300).map(({ kind }) => kind)).to.deep.equal(['key', 'key', 'key']);
      expect((await read(ids[7] ?? '')).signature_valid).to.equal(true);
      await attest(1);
      expect((await checkpoint())?.size).to.equal(304n);
    });

    it('signs nothing over a row that changed in between, and goes on when the cause is gone', async () => {
      await attest(2);
      const before = await checkpoint();
      const database = new Driver(join(dir.path, 'store.db'));
      database.exec(`CREATE TRIGGER flip AFTER INSERT ON receipts_entries BEGIN
        UPDATE receipts_entries SET entry = CAST(replace(entry, 'dsse', 'dssf') AS BLOB) WHERE idx = NEW.idx; END`);
      const error = await receipts.attest(newRun()).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'storage_unavailable');
      expect(await checkpoint()).to.deep.equal(before);
      database.exec('DROP TRIGGER flip');
      database.close();
      await attest(1);
      expect((await checkpoint())?.size).to.equal((before?.size ?? 0n) + 1n);
    });
  });

  describe('at the start', () => {
    /** Starts again after `change` and answers why that was refused. */
    async function refusal(change: () => void): Promise<string> {
      await receipts.stop();
      change();
      const error = await openReceiptsStore(dir.path).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ConfigError);
      return (error as ConfigError).faults.join();
    }
    const path = (name: string) => join(dir.path, name);

    it('refuses a store that was put back to an older state', async () => {
      await attest(1);
      await receipts.stop();
      copyFileSync(path('store.db'), path('old.db'));
      receipts = await startReceipts(dir.path);
      await attest(2);
      const reason = await refusal(
        () => copyFileSync(path('store.db'), path('new.db')) ?? copyFileSync(path('old.db'), path('store.db')),
      );
      expect(reason).to.include('put back to an older state').and.include('6 were signed');
      copyFileSync(path('new.db'), path('store.db'));
      receipts = await startReceipts(dir.path);
    });

    it('refuses a store of the same size that diverged after a copy was taken', async () => {
      await attest(1);
      await receipts.stop();
      copyFileSync(path('store.db'), path('old.db'));
      receipts = await startReceipts(dir.path);
      await attest(2);
      await receipts.stop();
      const seen = readCheckpointFile(dir.path) ?? '';
      copyFileSync(path('old.db'), path('store.db'));
      rmSync(path('checkpoint'));
      receipts = await startReceipts(dir.path);
      await attest(2);
      expect(await refusal(() => writeFileSync(path('checkpoint'), seen))).to.include('diverged');
      rmSync(path('checkpoint'));
      receipts = await startReceipts(dir.path);
    });

    it('refuses to begin anew when the store is missing, though this state dir has signed', async () => {
      const reason = await refusal(() => rmSync(path('store.db')));
      expect(reason).to.include('holds no log');
      rmSync(path('checkpoint'));
      rmSync(path('store.db'), { force: true });
      receipts = await startReceipts(dir.path);
    });

    it('refuses the store of another installation, and a checkpoint by another key', async () => {
      const own = () => readFileSync(path('checkpoint'), 'utf8');
      const other = temporaryDir();
      const elsewhere = await startReceipts(other.path);
      await elsewhere.stop();
      const foreign = readCheckpointFile(other.path) ?? '';
      other.remove();
      expect(await refusal(() => writeFileSync(path('checkpoint'), foreign))).to.include('belongs to');
      rmSync(path('checkpoint'));
      receipts = await startReceipts(dir.path);
      await receipts.stop();
      const note = own();
      const forged = note.replace(/( [A-Za-z0-9+/]{6})[A-Za-z0-9+/]{4}/, '$1AAAA');
      expect(await refusal(() => writeFileSync(path('checkpoint'), forged))).to.include('not signed by the log key');
      writeFileSync(path('checkpoint'), note);
      receipts = await startReceipts(dir.path);
    });

    it('refuses entries, heads and checkpoints that were edited', async () => {
      await attest(3);
      for (const edit of [
        "UPDATE receipts_entries SET entry = CAST('x' AS BLOB) WHERE idx = 1",
        'DELETE FROM receipts_entries WHERE idx = 5',
        "INSERT INTO receipts_entries VALUES (1, 6, CAST('x' AS BLOB))",
        'UPDATE receipts_logs SET size = 4',
        'UPDATE receipts_logs SET root = zeroblob(32)',
        'DELETE FROM receipts_checkpoints WHERE size = 6',
      ]) {
        const copy = path('whole.db');
        await receipts.stop();
        copyFileSync(path('store.db'), copy);
        expect(await refusal(() => void sql(edit)), edit).to.include('receipts: the ');
        copyFileSync(copy, path('store.db'));
        receipts = await startReceipts(dir.path);
      }
      await attest(1);
    });

    it('accepts a copy of the checkpoint that is behind: the process may have been killed', async () => {
      await receipts.stop();
      const behind = readCheckpointFile(dir.path) ?? '';
      receipts = await startReceipts(dir.path);
      await attest(2);
      await receipts.stop();
      expect(readCheckpointFile(dir.path)).to.not.equal(behind);
      writeFileSync(path('checkpoint'), behind);
      receipts = await startReceipts(dir.path);
      expect(existsSync(path('checkpoint'))).to.equal(true);
    });
  });

  describe('over its routes', () => {
    it('is rebuilt by a stranger from its entry bundles, its tiles and its checkpoint', async () => {
      await attest(260);
      const { size = 0n, root } = (await checkpoint()) ?? {};
      expect(size).to.equal(263n);
      const bundles = [
        await body('/log/tile/{level}/{a}', { level: 'entries', a: '000' }),
        await body('/log/tile/{level}/{a}/{b}', { level: 'entries', a: '001.p', b: '7' }),
      ];
      const entries = bundles.flatMap((bundle) => entriesOf(bundle as Uint8Array) ?? []);
      const levels: Uint8Array[][] = [[], []];
      const leaves = entries.map((entry) => hashLeaf(entry));
      const frontier = Frontier.empty().append(leaves, (height, hash) => {
        if (height % 8 === 0) levels[height / 8]?.push(hash);
      });
      expect(Buffer.from(frontier.root())).to.deep.equal(Buffer.from(root ?? []));
      const tile = async (params: object, path: string) => Buffer.from((await body(path, params)) as Uint8Array);
      const full = await tile({ level: '0', a: '000' }, '/log/tile/{level}/{a}');
      const rest = await tile({ level: '0', a: '001.p', b: '7' }, '/log/tile/{level}/{a}/{b}');
      expect(Buffer.concat([full, rest]).equals(Buffer.concat(levels[0] ?? []))).to.equal(true);
      const above = await tile({ level: '1', a: '000.p', b: '1' }, '/log/tile/{level}/{a}/{b}');
      expect(above.equals(Buffer.concat(levels[1] ?? []))).to.equal(true);
    });

    const missing = async (path: string, params: object, query = {}) =>
      ((await receipts.call(path, params, {}, query).catch((thrown: unknown) => thrown)) as PlatformError).code;

    it('serves no tile beyond its size, and none under another spelling', async () => {
      for (const params of [{ a: '001' }, { a: '000' }, { a: '0' }, { a: 'x000' }])
        expect(await missing('/log/tile/{level}/{a}', { level: '0', ...params })).to.equal('route_not_found');
      for (const b of ['4', '0', '256', '02'])
        expect(await missing('/log/tile/{level}/{a}/{b}', { level: '0', a: '000.p', b })).to.equal('route_not_found');
      expect(await missing('/log/tile/{level}/{a}', { level: '64', a: '000' })).to.equal('route_not_found');
      expect(await missing('/log/{shard}/checkpoint', { shard: '1' })).to.equal('route_not_found');
      expect(await body('/log/{shard}/checkpoint', { shard: '0' })).to.equal(await body('/log/checkpoint'));
    });

    it('proves inclusion and consistency at every size it ever had, and refuses others', async () => {
      await attest(5);
      const at4 = await json('/log/proof/inclusion', { index: 3, size: 4 });
      const change = await json('/log/proof/consistency', { from: 4, to: 8 });
      expect(change['from_root']).to.equal(at4['root']);
      expect(change['to_root']).to.equal(Buffer.from((await checkpoint())?.root ?? []).toString('base64'));
      for (const query of [{ index: 8 }, { index: 4, size: 4 }, { index: 0, size: 9 }])
        expect(await missing('/log/proof/inclusion', {}, query)).to.equal('invalid_parameter');
      for (const query of [
        { from: 5, to: 4 },
        { from: 1, to: 9 },
      ])
        expect(await missing('/log/proof/consistency', {}, query)).to.equal('invalid_parameter');
    });

    it('names its keys in a trust file, with which its receipts verify', async () => {
      const [id = ''] = await attest(1);
      const policy = parsePolicy(String(await body('/log/policy')));
      const { keys } = trust();
      expect(verify(JSON.stringify(await read(id)), policy === undefined ? { keys } : { keys, policy }).exit).to.equal(
        0,
      );
    });
  });

  describe('of a receipt', () => {
    it('gives it as a proof file and as a Sigstore bundle, which verify like the native form', async () => {
      await attest(3);
      const [id = ''] = await attest(1);
      const { envelope } = await read(id);
      const file = ((await read(id, { format: 'tlog-proof' })) as Reply).body as string;
      expect(verify(JSON.stringify(envelope), trust(), { proof: file }).overall).to.equal('VERIFIED');
      const bundle = ((await read(id, { format: 'sigstore' })) as Reply).body;
      expect(verify(JSON.stringify(bundle), trust()).overall).to.equal('VERIFIED');
    });

    it('proves it at any size since it was logged, and at none before', async () => {
      const [id = ''] = await attest(1);
      await attest(4);
      const proof = async (size?: number) =>
        receipts.call('/receipts/{receipt_id}/proof', { receipt_id: id }, admin, size === undefined ? {} : { size });
      expect(await proof(4)).to.include({ index: 3, size: 4 });
      expect(await proof()).to.include({ index: 3, size: 8 });
      for (const size of [3, 9])
        expect(await proof(size).catch((thrown: unknown) => thrown)).to.have.property('code', 'invalid_parameter');
    });

    it('is not proved when its entry, its place or its tile was edited', async () => {
      const [id = ''] = await attest(300);
      for (const [edit, undo] of [
        ["UPDATE receipts_entries SET entry = CAST('x' AS BLOB) WHERE idx = 3", undefined],
        ['UPDATE receipts_receipts SET idx = 4 WHERE idx = 3', 'UPDATE receipts_receipts SET idx = 3 WHERE idx = 4'],
        ['UPDATE receipts_tiles SET hashes = zeroblob(8192) WHERE level = 0', undefined],
      ] as const) {
        const whole = join(dir.path, 'whole.db');
        const database = new Driver(join(dir.path, 'store.db'));
        await database.backup(whole);
        database.close();
        sql(edit);
        const document = await read(id);
        expect(document.signature_valid, edit).to.equal(false);
        expect(document.effective).to.include({ trust_score: 0 });
        if (undo !== undefined) sql(undo);
        else await restore(whole);
      }
    });

    async function restore(whole: string): Promise<void> {
      const source = new Driver(whole, { readonly: true });
      const target = new Driver(join(dir.path, 'store.db'));
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
  });

  it('verifies what is sent to it, and says of each verdict what it found', async () => {
    const [id = ''] = await attest(1);
    const document = await read(id);
    const report = async (artefact: object) =>
      (await receipts.call('/receipts/verify', {}, {}, {}, artefact)) as { overall: string; exit: number };
    expect(await report(document)).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(await report({ ...document, trust_score: 99 })).to.include({ overall: 'REJECTED', exit: 1 });
    expect(await report({ ...document, proof: undefined })).to.include({ overall: 'REJECTED', exit: 3 });
    expect(await report({ receipt_id: id })).to.include({ overall: 'NOTHING-TO-VERIFY', exit: 3 });
    expect(await report({})).to.include({ overall: 'REJECTED', exit: 2 });
  });

  describe('in the list', () => {
    const listed = async (query: object, principal = admin) =>
      (await receipts.call('/receipts', {}, principal, query)) as {
        receipts: { receipt_id: string; kind: string; log: object }[];
        next_cursor?: string;
      };

    it('shows receipts newest first, by page, each with its place', async () => {
      const ids = await attest(5);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listed({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.receipts.map(({ receipt_id: id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(seen.slice(0, 5)).to.have.members(ids);
      expect([...seen].sort().reverse()).to.deep.equal(seen);
      expect(seen).to.have.length(8);
    });

    it('filters by Orbiset, Orb, status and time, and shows a tenant its own only', async () => {
      await receipts.attest(newRun('a', { finished_at: '2026-11-20T20:00:00.000Z' }));
      await receipts.attest(newRun('b', { finished_at: '2026-11-21T20:00:00.000Z', tenant: 'other' }));
      const count = async (query: object, principal = admin) => (await listed(query, principal)).receipts.length;
      expect(await count({ orbiset: 'a' })).to.equal(1);
      expect(await count({ orb: 'notify.email@1.0.0' })).to.equal(2);
      expect(await count({ orb: 'notify.other@1.0.0' })).to.equal(0);
      expect(await count({ status: 'completed' })).to.equal(2);
      expect(await count({ from: '2026-11-20T20:00:00Z', to: '2026-11-20T20:00:00.001Z' })).to.equal(1);
      expect(await count({ to: '2026-11-20T20:00:00Z' })).to.equal(0);
      expect(await count({})).to.equal(5);
      expect(await count({}, { tenant: 'other', scopes: ['receipts:read'] })).to.equal(1);
    });
  });
});
