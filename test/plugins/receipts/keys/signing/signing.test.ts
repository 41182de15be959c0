import crypto, { type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Connection, Value, WriterScope } from '../../../../../kernel/index.ts';
import type { KeyChanged } from '../../../../../plugins/receipts/keys/key-schema.ts';
import { Signing } from '../../../../../plugins/receipts/keys/signing/signing.ts';
import { readCheckpointFile } from '../../../../../plugins/receipts/log/stored/checkpoint-file.ts';
import { readTrust } from '../../../../../plugins/receipts/verifier/trust.ts';
import receiptsStore from '../../../../../plugins/receipts/store.ts';
import { rejection } from '../../../../helpers/stores/open.ts';
import { temporaryDir } from '../../harness.ts';

describe('the signing keys of a store', () => {
  let dirs: ReturnType<typeof temporaryDir>[];
  let made = 0;
  beforeEach(() => void (dirs = []));
  afterEach(() => {
    mock.reset();
    syncBuiltinESMExports();
    for (const dir of dirs) dir.remove();
  });

  /** Opens them on a store in memory, in a state dir of its own with these files. */
  async function open(driver: Driver.Database, files: Readonly<Record<string, string>> = {}) {
    const dir = temporaryDir();
    dirs.push(dir);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(dir.path, name), content);
    const connection: Connection = {
      prepare(sql) {
        const statement = driver.prepare<Value[], Record<string, Value>>(sql);
        if (!statement.reader)
          return {
            queue: (...values) => void statement.run(...values),
            must: (...values) => void statement.run(...values),
            run: (...values) => statement.run(...values).changes,
            get: none,
            all: () => [],
          };
        return {
          queue: none,
          must: none,
          run: () => 0,
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
        };
      },
    };
    const scope = {
      ...{ connection, stateDir: dir.path, installation: 'ins_01M6B1YQ000000000000000001', version: '1.0.0' },
      node: { name: 'node-1', incarnation: '0123456789abcdef' },
      sealer: {
        seal: (_: string, plain: Uint8Array) => Buffer.from(plain),
        open: (_: string, blob: Uint8Array) => Buffer.from(blob),
      },
      now: () => 1_700_000_000_000,
      ulid: () => `01M7X8PQG0${String(++made).padStart(16, '0')}`,
    } as unknown as WriterScope;
    const signing = new Signing(scope);
    driver.exec('BEGIN');
    try {
      await signing.open();
      driver.exec('COMMIT');
    } catch (error) {
      driver.exec('ROLLBACK');
      throw error;
    }
    signing.settle();
    return { signing, path: dir.path };
  }
  const none = () => undefined;
  function emptyStore(): Driver.Database {
    const driver = new Driver(':memory:');
    for (const migration of receiptsStore.migrations) driver.exec(migration);
    return driver;
  }
  const rotation = (role: KeyChanged['role']): Parameters<Signing['change']>[0] => ({
    change: { change: 'rotate', role },
    changed: { role, kid: '', receipt_id: '', position: { origin: '', index: 0 } },
  });
  const rotate = async (signing: Signing, role: KeyChanged['role']): Promise<void> => {
    await signing.change(rotation(role));
    signing.seal();
    signing.settle();
  };
  const noteOf = async ({ parts: { reads } }: Signing): Promise<string> => {
    const last = (await reads.logs()).at(-1);
    return (await reads.newestCheckpoint(last?.log ?? 0))?.note ?? expect.fail('no checkpoint');
  };
  /** The checkpoint that the first entry of the newest shard carries. */
  const carried = (driver: Driver.Database): unknown => {
    const row = driver.prepare("SELECT payload FROM receipts_receipts WHERE kind = 'key' ORDER BY rowid DESC LIMIT 1");
    const { payload } = row.get() as { payload: Uint8Array };
    const { predicate } = JSON.parse(Buffer.from(payload).toString()) as { predicate: { facts: object } };
    return (predicate.facts as { previous_checkpoint?: unknown }).previous_checkpoint;
  };

  it('are probed by a signature of the receipt key and one of the log’s: a probe fails with either', async () => {
    const { signing } = await open(emptyStore());
    const { sign } = crypto;
    for (const [failing, said] of [
      [1, 'failed verification'],
      [2, 'differ'],
      [3, 'differ'],
    ] as const) {
      let signed = 0;
      mock.method(crypto, 'sign', (_: null, message: Uint8Array, key: KeyObject) => {
        const made = sign(null, message, key);
        return ++signed === failing ? made.fill(0) : made;
      });
      syncBuiltinESMExports();
      expect(() => signing.probe(), `${failing}`).to.throw(said);
      expect(signed, 'the log’s is made twice').to.equal(failing === 1 ? 1 : 3);
      mock.reset();
      syncBuiltinESMExports();
    }
    expect(() => signing.probe()).not.to.throw();
  });

  it('let a statement name the receipt key, or an earlier one, and no other key', async () => {
    const { signing } = await open(emptyStore());
    const { certificate, signer } = signing.keys;
    await rotate(signing, 'receipt');
    const kids = [signer.kid, signing.keys.signer.kid, certificate.kid, 'unknown'];
    expect(kids.map((kid) => signing.isOurs(kid))).to.deep.equal([true, true, false, false]);
  });

  it('sign from the next batch on once they are changed, and are published then', async () => {
    const { path, signing } = await open(emptyStore());
    const before = signing.keys.signer.kid;
    const published = () => readTrust(readFileSync(join(path, 'jwks.json'), 'utf8'))?.keys.map(({ kid }) => kid);
    expect(published()).to.have.length(3);
    await signing.change(rotation('receipt'));
    signing.seal();
    expect([signing.keys.signer.kid, published()?.length]).to.deep.equal([before, 3]);
    signing.settle();
    expect(signing.keys.signer.kid).not.to.equal(before);
    expect(published()).to.have.length(4).and.to.include(signing.keys.signer.kid);
  });

  it('are the stored ones again when a batch was not written', async () => {
    const driver = emptyStore();
    const { signing } = await open(driver);
    const before = signing.keys.signer.kid;
    driver.exec('BEGIN');
    await signing.change(rotation('receipt'));
    driver.exec('ROLLBACK');
    await signing.reload();
    signing.settle();
    expect(signing.keys.signer.kid).to.equal(before);
    await rotate(signing, 'certificate');
    expect(signing.keys.signer.kid).to.equal(before);
  });

  it('get a certificate key where an older version made none, and tell the log of it once', async () => {
    const driver = emptyStore();
    const size = async ({ signing }: { signing: Signing }) => (await signing.parts.reads.logs())[0]?.size;
    const first = (await size(await open(driver))) ?? 0;
    expect(await size(await open(driver))).to.equal(first);
    driver.exec("DELETE FROM receipts_signing_keys WHERE role = 'certificate'");
    const { signing } = await open(driver);
    expect([await size({ signing }), signing.keys.certificate.kid.length]).to.deep.equal([first + 1, 43]);
    expect(await size(await open(driver))).to.equal(first + 1);
  });

  it('are not made in part: a start that fails leaves the store as it was', async () => {
    const driver = emptyStore();
    driver.exec("CREATE TRIGGER refuses BEFORE INSERT ON receipts_checkpoints BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(String(await rejection(open(driver)))).to.contain('full');
    expect(driver.inTransaction).to.equal(false);
    for (const table of ['receipts_signing_keys', 'receipts_logs', 'receipts_entries'])
      expect(driver.prepare(`SELECT count(*) AS count FROM ${table}`).get(), table).to.deep.equal({ count: 0 });
  });

  describe('after a backup was put back', () => {
    it('carry the checkpoint of the state dir over when that has seen more of the last shard', async () => {
      const driver = emptyStore();
      const { signing } = await open(driver);
      const backup = new Driver(driver.serialize());
      await rotate(signing, 'certificate');
      const seen = await noteOf(signing);
      const { path } = await open(backup, { checkpoint: seen, restored: '' });
      expect(carried(backup)).to.equal(seen);
      expect(readCheckpointFile(path)).to.not.equal(seen);
    });

    it('carry the checkpoint of the store over when the state dir has seen less', async () => {
      const driver = emptyStore();
      const { signing } = await open(driver);
      const seen = await noteOf(signing);
      await rotate(signing, 'certificate');
      const newest = await noteOf(signing);
      await open(driver, { checkpoint: seen, restored: '' });
      expect(carried(driver)).to.equal(newest);
    });

    it('carry the checkpoint of the store over when the state dir has seen another shard', async () => {
      const driver = emptyStore();
      const { signing } = await open(driver);
      const backup = new Driver(driver.serialize());
      const newest = await noteOf(signing);
      await rotate(signing, 'log');
      for (let n = 0; n < 5; n++) await rotate(signing, 'certificate');
      await open(backup, { checkpoint: await noteOf(signing), restored: '' });
      expect(carried(backup)).to.equal(newest);
    });
  });
});
