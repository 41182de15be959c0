import { expect } from 'chai';
import { manifestOf } from '../../../../plugins/receipts/export/manifest.ts';
import { receiptPath } from '../../../../plugins/receipts/verifier/archive/exported.ts';
import type { ReceiptFilter } from '../../../../plugins/receipts/log/rows/filter.ts';

describe('what an export says of itself', () => {
  const rows: readonly (readonly [filter: ReceiptFilter, complete: boolean, unbroken: boolean])[] = [
    [{}, true, true],
    [{ tenant: 't' }, false, true],
    [{ orbiset_id: 'o' }, false, true],
    [{ tenant: 't', orbiset_id: 'o' }, false, true],
    [{ orb_id: 'a.b@1.0.0' }, false, false],
    [{ status: 'failed' }, false, false],
    [{ from: '2026-11-20T20:00:00.000Z' }, false, false],
    [{ to: '2026-11-20T20:00:00.000Z' }, false, false],
    [{ orbiset_id: 'o', status: 'failed' }, false, false],
  ];
  for (const [filter, complete, unbroken] of rows)
    it(`by ${Object.keys(filter).join(', ') || 'nothing'}: ${complete ? '' : 'not '}complete, ${unbroken ? 'unbroken' : 'with gaps'}`, () => {
      const said = manifestOf({ installation: 'ins_1', at: '', filter, tiles: false }, []);
      expect(said).to.deep.include({ complete, unbroken, filter });
    });

  it('names the files of receipts so that their names are in the order of the log', () => {
    const paths = [0, 999, 1000, 123_456_789].map((idx) => receiptPath('1-0badcafe', { idx, receipt_id: 'rec_1' }));
    expect(paths).to.deep.equal([
      'receipts/1-0badcafe/000000000/000000000000-rec_1.json',
      'receipts/1-0badcafe/000000000/000000000999-rec_1.json',
      'receipts/1-0badcafe/000000001/000000001000-rec_1.json',
      'receipts/1-0badcafe/000123456/000123456789-rec_1.json',
    ]);
  });
});
