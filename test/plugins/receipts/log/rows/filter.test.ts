import { expect } from 'chai';
import type { ReceiptFilter } from '../../../../../plugins/receipts/log/rows/filter.ts';
import receiptsStore, { type Reads } from '../../../../../plugins/receipts/store.ts';
import { freshReceipts } from '../../fresh.ts';
import { newRun } from '../../harness.ts';
import { rotate } from '../../signing-keys.ts';
import { readsNow } from '../../../../helpers/reads.ts';

const time = (ms: number): string => `2026-11-20T20:00:00.${ms}Z`;

describe('the rows of an export', () => {
  const receipts = freshReceipts('describe');
  let reads: Reads;
  let first: number;
  before(async () => {
    reads = readsNow(receipts.store, receiptsStore);
    first = reads.logs()[0]?.size ?? 0;
    for (const ms of [100, 200, 300]) await receipts.attest(newRun('o', { finished_at: time(ms) }));
    await rotate(receipts, 'log');
    await receipts.attest(newRun('o', { finished_at: time(200) }));
  });
  const rows = (filter: ReceiptFilter, window: Partial<Parameters<Reads['exportRows']>[2]> = {}, log = 1): number[] =>
    reads
      .exportRows(log, filter, { from: 0, to: 1000, limit: 100, ...window })
      .map(({ idx }) => idx - (log === 1 ? first : 0));

  it('are those from one index up to another, in order, no more than asked for', () => {
    expect(rows({}, { from: first + 1, to: first + 3 })).to.deep.equal([1, 2]);
    expect(rows({}, { from: first, limit: 2 })).to.deep.equal([0, 1]);
  });

  it('are of one log alone', () => {
    const [old, fresh] = [rows({ orbiset_id: 'o' }), rows({ orbiset_id: 'o' }, {}, 2)];
    expect(old).to.deep.equal([0, 1, 2]);
    expect(fresh).to.have.length(1);
  });

  it('begin at a time, and end before another', () => {
    expect(rows({ orbiset_id: 'o', from: time(200) })).to.deep.equal([1, 2]);
    expect(rows({ orbiset_id: 'o', to: time(200) })).to.deep.equal([0]);
    expect(rows({ orbiset_id: 'o', from: time(200), to: time(201) })).to.deep.equal([1]);
  });
});
