import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { ReceiptDocument } from '../../../../../plugins/receipts/contract.ts';
import type { Report } from '../../../../../plugins/receipts/verifier/report.ts';
import { admin } from '../../fresh.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../../harness.ts';
import { rotate } from '../../signing-keys.ts';

describe('POST /receipts/verify beside the log of the server', function () {
  this.timeout(60_000);
  let dirs: ReturnType<typeof temporaryDir>[];
  let running: Harness[];
  beforeEach(() => {
    [dirs, running] = [[], []];
  });
  afterEach(async () => {
    for (const receipts of running) await receipts.stop();
    for (const dir of dirs) dir.remove();
  });

  const start = async (path: string): Promise<Harness> => {
    const receipts = await startReceipts(path);
    running.push(receipts);
    return receipts;
  };
  const stop = async (receipts: Harness): Promise<void> => {
    running = running.filter((one) => one !== receipts);
    await receipts.stop();
  };
  const newDir = (): string => {
    const dir = temporaryDir();
    dirs.push(dir);
    return dir.path;
  };
  const read = async (receipts: Harness, id: string) =>
    (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;
  const runs = async (receipts: Harness, count: number): Promise<string[]> => {
    const made = await Promise.all(Array.from({ length: count }, () => receipts.attest(newRun())));
    return made.map(({ receipt_id: id }) => id);
  };
  const posted = async (receipts: Harness, document: object) => {
    const report = (await receipts.call('/receipts/verify', {}, {}, {}, document)) as Report;
    const { detail = '', result } = report.checks.find(({ name }) => name === 'in_this_log') ?? {};
    return { overall: report.overall, exit: report.exit, result, detail };
  };
  const verified = { overall: 'VERIFIED', exit: 0, result: 'pass', detail: '' };

  it('says of a receipt of a branch that it is not in this log, and of what both have that it is', async () => {
    const [home, copy] = [newDir(), newDir()];
    const before = await start(home);
    const [common = ''] = await runs(before, 300);
    const early = await read(before, common);
    await stop(before);
    cpSync(home, copy, { recursive: true });
    const [server, branch] = [await start(home), await start(copy)];
    const [own = ''] = await runs(server, 3);
    const [other = ''] = await runs(branch, 2);
    const [late = ''] = (await runs(branch, 9)).slice(-1);
    expect(await posted(server, await read(server, own))).to.deep.equal(verified);
    expect(await posted(server, early)).to.deep.equal(verified);
    expect(await posted(server, await read(branch, other))).to.deep.equal({
      ...{ overall: 'REJECTED', exit: 5, result: 'fail' },
      detail: 'not in this log: entry 303 is a different receipt',
    });
    expect((await posted(server, await read(branch, late))).detail).to.match(
      /^not in this log: the log has 306 entries/,
    );
    // The receipt stands in both; the checkpoint it is shown with, in the branch alone.
    await runs(server, 30);
    expect((await posted(server, await read(branch, common))).detail).to.equal(
      'not in this log: the checkpoint of 314 entries belongs to another branch of the log',
    );
  });

  it('says of a receipt that was lost when a backup was put back that it is not in this log', async () => {
    const [home, backup] = [newDir(), newDir()];
    const original = await start(home);
    const [kept = ''] = await runs(original, 3);
    await stop(original);
    cpSync(home, backup, { recursive: true });
    const again = await start(home);
    const [lost = ''] = await runs(again, 3);
    const [ofKept, ofLost] = [await read(again, kept), await read(again, lost)];
    await rotate(again, 'log');
    const [inLostShard = ''] = await runs(again, 1);
    const ofLostShard = await read(again, inLostShard);
    await stop(again);
    writeFileSync(join(backup, 'restored'), '');
    copyFileSync(join(home, 'checkpoint'), join(backup, 'checkpoint'));
    const restored = await start(backup);
    expect(await posted(restored, ofKept), 'was there before the backup').to.deep.equal(verified);
    const { detail, ...rest } = await posted(restored, ofLost);
    expect(rest).to.deep.equal({ overall: 'REJECTED', exit: 5, result: 'fail' });
    expect(detail).to.equal('not in this log: the log has 6 entries, but the receipt claims the position 6');
    const gone = await posted(restored, ofLostShard);
    expect([gone.result, gone.exit]).to.deep.equal(['fail', 5]);
    expect(gone.detail).to.match(/^not in this log: this server has no log ins_\w+\.orb\/receipts\/1$/);
    const [fresh = ''] = await runs(restored, 1);
    expect(await posted(restored, await read(restored, fresh))).to.deep.equal(verified);
  });

  it('says nothing of the log where nothing is signed by a key of the server, nor without a place', async () => {
    const [server, stranger] = [await start(newDir()), await start(newDir())];
    const [id = ''] = await runs(server, 1);
    const [foreign = ''] = await runs(stranger, 1);
    expect(await posted(server, await read(stranger, foreign))).to.include({ exit: 4, result: undefined });
    expect(await posted(server, {})).to.include({ exit: 2, result: undefined });
    const { envelope } = await read(server, id);
    expect(await posted(server, envelope)).to.include({ exit: 3, result: 'not_checked' });
  });

  it('does not say yes when the log of the server is damaged', async () => {
    const server = await start(newDir());
    const [id = ''] = await runs(server, 600);
    const document = await read(server, id);
    await runs(server, 1);
    const database = new Driver(join(server.stateDir, 'store.db'));
    database.exec('UPDATE receipts_tiles SET hashes = CAST(substr(hashes, 1, 32) AS BLOB) WHERE level = 1');
    database.close();
    expect(await posted(server, document)).to.deep.equal({
      ...{ overall: 'VERIFIED-WITH-LIMITS', exit: 0, result: 'not_checked' },
      detail: 'the log of the server is damaged',
    });
  });
});
