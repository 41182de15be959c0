import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startAuditThread, type News } from '../../../../plugins/receipts/audit/thread.ts';
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

describe('the thread of the auditor of a server that is not busy', () => {
  const receipts = freshReceipts();

  it('verifies what came within a fifth of a second in one round', async () => {
    const heard: News[] = [];
    const { store } = receipts;
    const thread = startAuditThread(
      { facts: [], places: [], store: store.place },
      {
        heard: (message) => void heard.push(message),
        ended: (error) => expect.fail(String(error)),
      },
    );
    const rounds = () => heard.flatMap((one) => (one.kind === 'round' ? one.verified : []));
    await until(
      () => heard.at(-1)?.kind,
      (kind) => kind === 'idle',
    );
    const [before, began] = [rounds().length, performance.now()];
    for (let n = 0; n < 40; n += 1) {
      await receipts.attestRuns(1);
      thread.say({ kind: 'look' });
      await delay(15);
    }
    const tookMs = performance.now() - began;
    await until(
      () => rounds().reduce((sum, verified) => sum + verified, 0),
      (all) => all >= 41,
    );
    await thread.close();
    expect(rounds().length - before).to.be.within(2, 2 + tookMs / 200);
  }).timeout(60_000);
});
