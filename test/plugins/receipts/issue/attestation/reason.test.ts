import { expect } from 'chai';
import { operation } from '../../../../../kernel/index.ts';
import { reasonToKeep } from '../../../../../plugins/receipts/issue/attestation/reason.ts';
import receiptsStore from '../../../../../plugins/receipts/store.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../../harness.ts';
import type { RunFact, RunFailure } from '../../../../../plugins/runtime/contract.ts';

const dayMs = 86_400_000;
const failure = {
  ...{ code: 'provider_rejected', message: 'address 1 of `to` is unknown' },
  provider_reason: 'recipient_unknown' as const,
};

describe('the reason of a failed run, as receipts keep it', () => {
  const dir = temporaryDir();
  let receipts: Harness;
  let now = 1_800_000_000_000;
  before(async () => void (receipts = await startReceipts(dir.path, { now: () => now, monotonic: () => 0 })));
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  const failed = (): RunFact => ({ ...newRun(), status: 'failed', reason: failure.code, failure });
  const find = (run: RunFact, receipt_id: string): Promise<RunFailure | undefined> => {
    const port = receipts.services['runFailure'] as (run: object) => Promise<RunFailure | undefined>;
    return port({ run_id: run.run_id, receipt_id });
  };

  it('is no part of the statement, is found again after a restart, and goes by the time of the setting', async () => {
    const run = failed();
    const { receipt_id } = await receipts.attest(run);
    const document = await receipts.call('/receipts/{receipt_id}', { receipt_id }, { scopes: ['*'] });
    expect(JSON.stringify(document)).to.not.include('is unknown');
    await receipts.stop();
    receipts = await startReceipts(dir.path, { now: () => now, monotonic: () => 0 });
    expect(await find(run, receipt_id)).to.deep.equal(failure);
    const erase = (before: number) =>
      receipts.store.write([operation(receiptsStore, 'eraseValues', { before, most: 9 })]);
    expect(await erase(now + 30 * dayMs - 1)).to.deep.equal([0]);
    expect(await erase(now + 30 * dayMs)).to.deep.equal([1]);
    expect(await find(run, receipt_id)).to.equal(undefined);
  });

  it('is erased at the start when its time has come while the server was away', async () => {
    const run = failed();
    const { receipt_id } = await receipts.attest(run);
    await receipts.stop();
    now += 31 * dayMs;
    receipts = await startReceipts(dir.path, { now: () => now, monotonic: () => 0 });
    await receipts.store.write([operation(receiptsStore, 'eraseValues', { before: 0, most: 9 })]);
    expect(await find(run, receipt_id)).to.equal(undefined);
  });

  it('is not kept with 0 days, nor of a run without one', () => {
    const keeping = { days: 30, now };
    expect(reasonToKeep(failed(), 'rec_1', { ...keeping, days: 0 })).to.equal(undefined);
    expect(reasonToKeep(newRun(), 'rec_1', keeping)).to.equal(undefined);
    expect(reasonToKeep(failed(), 'rec_1', keeping)).to.include({ name: 'reason', erase_at: now + 30 * dayMs });
  });
});
