import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/index.ts';
import { readCheckpointFile } from '../../../plugins/receipts/log/stored/checkpoint-file.ts';
import { freshReceipts, signedRuns } from './fresh.ts';
import { openReceiptsStore, startReceipts, temporaryDir } from './harness.ts';

describe('the log of receipts at the start', () => {
  const receipts = freshReceipts();
  const { path } = receipts;

  /** Starts again after `change` and answers why that was refused. */
  async function refusal(change: () => void): Promise<string> {
    await receipts.stop();
    change();
    const error = await openReceiptsStore(receipts.stateDir).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).faults.join();
  }

  it('refuses a store that was put back to an older state', async () => {
    await signedRuns(receipts, 1);
    await receipts.stop();
    copyFileSync(path('store.db'), path('old.db'));
    await receipts.start();
    await signedRuns(receipts, 2);
    const reason = await refusal(
      () => copyFileSync(path('store.db'), path('new.db')) ?? copyFileSync(path('old.db'), path('store.db')),
    );
    expect(reason).to.include('an older state was restored').and.include('6 were signed');
    copyFileSync(path('new.db'), path('store.db'));
    await receipts.start();
  });

  it('refuses a store that is one entry behind what was signed', async () => {
    await receipts.stop();
    copyFileSync(path('store.db'), path('old.db'));
    await receipts.start();
    await signedRuns(receipts, 1);
    const reason = await refusal(
      () => copyFileSync(path('store.db'), path('new.db')) ?? copyFileSync(path('old.db'), path('store.db')),
    );
    expect(reason).to.include('the store has 3 entries, but 4 were signed');
    copyFileSync(path('new.db'), path('store.db'));
    await receipts.start();
  });

  it('refuses a store of the same size that diverged after a copy was taken', async () => {
    await signedRuns(receipts, 1);
    await receipts.stop();
    copyFileSync(path('store.db'), path('old.db'));
    await receipts.start();
    await signedRuns(receipts, 2);
    await receipts.stop();
    const seen = readCheckpointFile(receipts.stateDir) ?? '';
    copyFileSync(path('old.db'), path('store.db'));
    rmSync(path('checkpoint'));
    await receipts.start();
    await signedRuns(receipts, 2);
    expect(await refusal(() => writeFileSync(path('checkpoint'), seen))).to.include('diverged');
    rmSync(path('checkpoint'));
    await receipts.start();
  });

  it('refuses to begin again when the store is missing, though this state dir has signed', async () => {
    const reason = await refusal(() => rmSync(path('store.db')));
    expect(reason).to.include('has no log');
    rmSync(path('checkpoint'));
    rmSync(path('store.db'), { force: true });
    await receipts.start();
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
    await receipts.start();
    await receipts.stop();
    const note = own();
    const forged = note.replace(/( [A-Za-z0-9+/]{6})[A-Za-z0-9+/]{4}/, '$1AAAA');
    expect(await refusal(() => writeFileSync(path('checkpoint'), forged))).to.include('not signed by the log key');
    writeFileSync(path('checkpoint'), note);
    await receipts.start();
  });

  it('refuses entries, heads and checkpoints that were edited', async () => {
    await signedRuns(receipts, 3);
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
      expect(await refusal(() => receipts.edit(edit)), edit).to.include('receipts: the ');
      copyFileSync(copy, path('store.db'));
      await receipts.start();
    }
    await signedRuns(receipts, 1);
  });

  it('accepts a copy of the checkpoint that is behind: the process may have been killed', async () => {
    await receipts.stop();
    const behind = readCheckpointFile(receipts.stateDir) ?? '';
    await receipts.start();
    await signedRuns(receipts, 2);
    await receipts.stop();
    expect(readCheckpointFile(receipts.stateDir)).to.not.equal(behind);
    writeFileSync(path('checkpoint'), behind);
    await receipts.start();
    expect(existsSync(path('checkpoint'))).to.equal(true);
  });
});
