import { existsSync, readdirSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { ConfigError, type Reply } from '../../../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../../../plugins/receipts/contract.ts';
import type { OtherStatement } from '../../../../../plugins/receipts/kinds/predicate.ts';
import { parseCheckpoint, parseNote } from '../../../../../plugins/receipts/log/pure/note.ts';
import { parsePolicy } from '../../../../../plugins/receipts/log/pure/policy-file.ts';
import { readTrust } from '../../../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../../../plugins/receipts/verifier/verify.ts';
import { newRun, openReceiptsStore, startReceipts, temporaryDir, type Harness } from '../../harness.ts';
import { logOf } from '../../log-at-once.ts';
import { rotate } from '../../signing-keys.ts';

const admin = { tenant: 'default', scopes: ['*'] };
const shardOf = (origin = ''): string => origin.split('/').at(-1) ?? '';

describe('a store that was put back from a backup', () => {
  let dirs: ReturnType<typeof temporaryDir>[];
  let running: Harness[];
  beforeEach(() => {
    dirs = [];
    running = [];
  });
  afterEach(async () => {
    for (const receipts of running) await receipts.stop();
    for (const dir of dirs) dir.remove();
  });

  const newDir = (): string => {
    const dir = temporaryDir();
    dirs.push(dir);
    return dir.path;
  };
  const start = async (path: string): Promise<Harness> => {
    const receipts = await startReceipts(path);
    running.push(receipts);
    return receipts;
  };
  const stop = async (receipts: Harness): Promise<void> => {
    running = running.filter((one) => one !== receipts);
    await receipts.stop();
  };
  const runs = (receipts: Harness, count = 10): Promise<ReceiptDocument[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { receipt_id: id } = await receipts.attest(newRun());
        return (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;
      }),
    );
  /** Copies the live store, with the master key, as a backup does. */
  const backUp = async (from: string): Promise<string> => {
    const to = newDir();
    const database = new Driver(join(from, 'store.db'), { readonly: true });
    await database.backup(join(to, 'store.db'));
    database.close();
    copyFileSync(join(from, 'master.key'), join(to, 'master.key'));
    return to;
  };
  const restore = (backup: string, { marked }: { marked: boolean } = { marked: true }): string => {
    const to = newDir();
    for (const name of readdirSync(backup)) copyFileSync(join(backup, name), join(to, name));
    if (marked) writeFileSync(join(to, 'restored'), '');
    return to;
  };
  const log = (receipts: Harness) => logOf(receipts);
  const origins = (receipts: Harness) =>
    log(receipts)
      .heads()
      .map(({ origin }) => origin);
  const keysAt = (path: string) => readFileSync(join(path, 'jwks.json'), 'utf8');

  it('goes on in a shard of its own, whose first entry carries the last checkpoint found; nothing is forked, twice', async () => {
    const home = newDir();
    const original = await start(home);
    const before = await runs(original);
    const backup = await backUp(home);
    const lost = await runs(original);
    const { checkpoint: final } = log(original).heads()[0] ?? expect.fail('no head');
    await stop(original);

    const places = new Map<string, string>();
    const note = (documents: readonly ReceiptDocument[]): void => {
      for (const { proof, receipt_id: id } of documents) {
        const place = `${proof?.origin ?? ''} ${proof?.index ?? ''}`;
        expect(places.get(place) ?? id, place).to.equal(id);
        places.set(place, id);
      }
    };
    note([...before, ...lost]);
    const trusts = [];
    const all = [...before, ...lost];
    const shards = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const path = restore(backup);
      const receipts = await start(path);
      expect(existsSync(join(path, 'restored'))).to.equal(false);
      const after = await runs(receipts);
      note(after);
      all.push(...after);
      const [old, fresh, ...more] = origins(receipts);
      expect(more).to.deep.equal([]);
      expect(shardOf(old)).to.equal('0');
      expect(shardOf(fresh)).to.match(/^1-[0-9a-f]{8}$/);
      shards.add(shardOf(fresh));
      const [first] = log(receipts).entriesAfter(new Map([[old ?? '', 13]]), 1);
      const { predicate } = JSON.parse(first?.statement ?? '') as OtherStatement;
      expect(first).to.include({ origin: fresh, index: 0 });
      expect(log(receipts).entryAt({ origin: fresh ?? '', index: 0 })?.receipt_id).to.equal(first?.receipt_id);
      expect(predicate.facts).to.include({ role: 'log', change: 'created', origin: fresh });
      const carried = parseCheckpoint(parseNote(String(predicate.facts['previous_checkpoint']))?.text ?? '');
      expect(carried).to.include({ origin: old, size: 13n });
      for (const { proof, statement } of after) {
        expect(proof?.origin).to.equal(fresh);
        expect((statement as OtherStatement).predicate.log.origin).to.equal(fresh);
      }
      const sequences = after.map(({ statement }) => (statement as OtherStatement).predicate['sequence']);
      expect([...sequences].sort((a, b) => Number(a) - Number(b))).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      trusts.push(readTrust(keysAt(path)) ?? expect.fail('no keys'));
      const policy = parsePolicy(String(((await receipts.call('/log/policy', {})) as Reply).body));
      expect(policy?.logs.map(({ name }) => name)).to.deep.equal([old, fresh]);
      // One trust file for what was before the backup, what was lost with it, and what came after.
      const trust = trusts.at(-1) ?? expect.fail();
      for (const document of [...before, ...lost, ...after])
        expect(verify(JSON.stringify(document), trust).overall).to.equal('VERIFIED');
      await stop(receipts);
    }
    expect(shards.size).to.equal(2);
    expect(places.size).to.equal(all.length);
    expect(parseCheckpoint(parseNote(final)?.text ?? '')?.size).to.equal(23n);
  }).timeout(60_000);

  it('is refused without the mark when the state dir has seen more, and says what to do', async () => {
    const home = newDir();
    const original = await start(home);
    const backup = await backUp(home);
    await runs(original, 3);
    await stop(original);
    const path = restore(backup, { marked: false });
    copyFileSync(join(home, 'checkpoint'), join(path, 'checkpoint'));
    const error = await openReceiptsStore(path).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as ConfigError).faults.join())
      .to.include('an older state was restored')
      .and.include('`restored`');
    writeFileSync(join(path, 'restored'), 'whatever this says\n');
    const receipts = await start(path);
    const [, fresh] = origins(receipts);
    expect(shardOf(fresh)).to.match(/^1-[0-9a-f]{8}$/);
    // What was signed after the backup is gone; that it was there is on record.
    const [first] = log(receipts).entriesAfter(new Map([[origins(receipts)[0] ?? '', 3]]), 1);
    const { predicate } = JSON.parse(first?.statement ?? '') as OtherStatement;
    const carried = parseCheckpoint(parseNote(String(predicate.facts['previous_checkpoint']))?.text ?? '');
    expect(carried?.size).to.equal(6n);
    await runs(receipts, 2);
    await stop(receipts);
    const again = await start(path);
    expect(origins(again)).to.have.length(2);
  });

  it('is refused even with the mark when the checkpoint is of another installation or key', async () => {
    const home = newDir();
    await stop(await start(home));
    const elsewhere = newDir();
    await stop(await start(elsewhere));
    const path = restore(home);
    copyFileSync(join(elsewhere, 'checkpoint'), join(path, 'checkpoint'));
    const error = await openReceiptsStore(path).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('belongs to');
    expect(existsSync(join(path, 'restored'))).to.equal(true);
    rmSync(join(path, 'checkpoint'));
    expect(origins(await start(path))).to.have.length(2);
  });

  it('opens one shard however often its first start is cut off', async () => {
    const home = newDir();
    const original = await start(home);
    const backup = await backUp(home);
    await runs(original, 3);
    await stop(original);
    const path = restore(backup);
    copyFileSync(join(home, 'checkpoint'), join(path, 'checkpoint'));
    await stop(await start(path));
    const { shard } = new Driver(join(path, 'store.db'), { readonly: true })
      .prepare('SELECT shard FROM receipts_logs ORDER BY log DESC')
      .get() as { shard: string };
    // As if killed after the commit: the mark is claimed, the copy of the checkpoint is still the old one.
    writeFileSync(join(path, 'restored'), `shard ${shard.slice(2)}\n`);
    copyFileSync(join(home, 'checkpoint'), join(path, 'checkpoint'));
    const receipts = await start(path);
    expect(origins(receipts).map(shardOf)).to.deep.equal(['0', shard]);
    expect(existsSync(join(path, 'restored'))).to.equal(false);
    expect(readFileSync(join(path, 'checkpoint'), 'utf8')).to.include(shard);
  });

  it('counts on beyond a shard that was opened after the backup, and keeps its branch apart when it is rotated', async () => {
    const home = newDir();
    const original = await start(home);
    const backup = await backUp(home);
    await rotate(original, 'log');
    await runs(original, 1);
    await stop(original);
    const path = restore(backup, { marked: false });
    copyFileSync(join(home, 'checkpoint'), join(path, 'checkpoint'));
    const error = await openReceiptsStore(path).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('an older state was restored').and.include('receipts/1');
    writeFileSync(join(path, 'restored'), '');
    const receipts = await start(path);
    expect(shardOf(origins(receipts).at(-1))).to.match(/^2-[0-9a-f]{8}$/);
    const made = await rotate(receipts, 'log');
    expect(shardOf(made.origin)).to.match(/^3-[0-9a-f]{8}$/);
    const [document] = await runs(receipts, 1);
    expect(verify(JSON.stringify(document), readTrust(keysAt(path)) ?? { keys: [] }).overall).to.equal('VERIFIED');
  });
});
