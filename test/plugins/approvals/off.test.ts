import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { ask, startApproving, type Approving } from './started.ts';

describe('held runs of a server whose plugin of approvals was turned off', function () {
  this.timeout(60_000);
  let office: Approving;
  before(async () => (office = await startApproving()));
  after(() => office.stop());

  const hold = async (expires_s: number) => {
    office.asking.asks = [ask({ expires_s })];
    const { body } = await office.execute({ text: 'x' });
    return body as { readonly run_id: string; readonly approval: { readonly id: string } };
  };
  const run = async (id: string) => (await office.call('GET', `/runs/${id}`)).body;

  it('are denied with a receipt when their time is over, and decided once it is back before that', async () => {
    const [short, long] = [await hold(3600), await hold(7200)];
    await office.restart({ off: true });
    expect((await run(short.run_id)).status).to.equal('held');
    office.clock.set('2026-11-23T11:30:00Z');
    const ended = await until(
      () => run(short.run_id),
      ({ status }) => status === 'denied',
    );
    expect(ended).to.include({ status: 'denied', reason: 'approval_expired' });
    const { body: receipt } = await office.call('GET', `/receipts/${ended.receipt_id}`);
    expect(receipt.signature_valid).to.equal(true);
    expect((await run(long.run_id)).status).to.equal('held');
    // What asks people denies while nobody can be asked.
    expect((await office.execute({ text: 'now' })).status).to.equal(403);
    await office.restart();
    const approval = await until(
      async () => (await office.call('GET', `/approvals/${short.approval.id}`)).body,
      ({ state }) => state !== 'open',
    );
    expect(approval.state).to.equal('expired');
    expect((await office.decide(long.approval.id, 'ada')).body.state).to.equal('approved');
    await until(
      () => run(long.run_id),
      ({ status }) => status === 'completed',
    );
  });

  it('are denied although they were approved and then held once more', async () => {
    const { run_id, approval } = await hold(3600);
    office.asking.asks = [ask({ code: 'large_sum', expires_s: 600 })];
    await office.decide(approval.id, 'ada');
    await until(
      () => run(run_id),
      ({ approval: now }) => now !== undefined && now.id !== approval.id,
    );
    await office.restart({ off: true });
    office.clock.set('2026-11-23T11:55:00Z');
    await until(
      () => run(run_id),
      ({ status }) => status === 'denied',
    );
    await office.restart();
  });
});
