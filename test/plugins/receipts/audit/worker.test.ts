import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { freshReceipts } from '../fresh.ts';

describe('the thread of the auditor over a log whose rows are gone in part', () => {
  const receipts = freshReceipts();

  it('comes to the end, though a whole round finds none of its receipts', async () => {
    await receipts.attestRuns(110);
    receipts.edit('DELETE FROM receipts_receipts WHERE idx >= 32 AND idx < 96');
    const { text } = await until(
      () => receipts.metrics.show(),
      (shown) => /^orb_receipts_audit_behind 0$/m.test(shown.text),
    );
    expect(text).to.match(/^orb_receipts_audited_total 49$/m);
    expect(receipts.health().reason).to.match(/@32$/);
  }).timeout(60_000);
});
