import { expect } from 'chai';
import type { Answer } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { ask, startApproving, type Approving } from './started.ts';

const orb = 'demo.echo@1.0.0';
const echo = { adapter: 'echo/local' };

describe('a run that people are asked about again before it is dispatched', function () {
  this.timeout(60_000);
  let office: Approving;
  before(async () => (office = await startApproving({}, { settings: { providers: { echo, other: echo } } })));
  after(() => office.stop());

  const run = async (id: string) => (await office.call('GET', `/runs/${id}`)).body;

  /** Holds a run, and approves what is asked at first; answers it when it waits for the rest. */
  async function heldAgain(first: object): Promise<{ run_id: string; second: string; named: Named }> {
    office.asking.asks = [first];
    const { status, body } = await office.execute({ text: 'twice' });
    expect(status, JSON.stringify(body)).to.equal(202);
    const { run_id, approval } = body;
    office.asking.asks = [first, ask({ code: 'large_sum' })];
    const named = namedOf(await office.decide(approval.id, 'ada'));
    const again = await until(
      () => run(run_id),
      ({ approval: now }) => now !== undefined && now.id !== approval.id,
      'the second approval',
    );
    const { body: shown } = await office.call('GET', `/approvals/${again.approval.id}`);
    expect(shown.asks.map(({ code }: { code: string }) => code)).to.deep.equal(['large_sum']);
    return { run_id, second: again.approval.id, named };
  }

  /** Waits for the end of a run; answers its receipt, and what a stranger finds with the decisions at hand. */
  async function ending(run_id: string, named: readonly Named[]) {
    const { status, receipt_id } = await until(
      () => run(run_id),
      (now) => !['queued', 'held', 'running'].includes(now.status as string),
      `the end of ${run_id}`,
    );
    const { body: receipt } = await office.call('GET', `/receipts/${receipt_id}`);
    expect(receipt.checks).to.deep.include({ name: 'approval_matches', result: 'pass' });
    const decisions = [];
    for (const id of named.flatMap((one) => one.decisions))
      decisions.push((await office.call('GET', `/receipts/${id}`)).body);
    const { body } = await office.call('POST', '/receipts/verify', { ...receipt, decisions }, null);
    const { detail } = body.checks.find(({ name }: { name: string }) => name === 'approval_matches');
    return { approval: receipt.statement.predicate.facts.approval, verdict: [status, body.overall, detail] };
  }

  it('runs when both are approved, and its receipt names both in order', async () => {
    const { run_id, second, named } = await heldAgain(ask());
    const last = namedOf(await office.decide(second, 'bob'));
    const { approval, verdict } = await ending(run_id, [named, last]);
    expect(approval).to.deep.equal({ ...last, earlier: [named] });
    const { ada, bob } = office.ids;
    expect(verdict).to.deep.equal([
      ...['completed', 'VERIFIED', `approved by ${ada} (office) and ${bob} (office) for exactly these inputs`],
    ]);
  });

  it('is denied when the second is refused, and its receipt names both', async () => {
    const { run_id, second, named } = await heldAgain(ask());
    const last = namedOf(await office.decide(second, 'bob', 'refuse'));
    const { approval, verdict } = await ending(run_id, [named, last]);
    expect(approval).to.deep.equal({ ...last, earlier: [named] });
    expect(verdict).to.deep.equal([
      ...['denied', 'VERIFIED', `refused by ${office.ids.bob} (office); no provider was called`],
    ]);
  });

  // The policy of this test asks about any question.
  async function swap(provider: string): Promise<void> {
    const { asks } = office.asking;
    office.asking.asks = [];
    expect((await office.call('POST', `/providers/${orb}/swap`, { provider })).status).to.equal(200);
    office.asking.asks = asks;
  }

  it('does not name its only approval, which a swap has ended, when it goes ahead without one', async () => {
    office.asking.asks = [ask({ bind: 'provider' })];
    const { run_id, approval } = (await office.execute({ text: 'once' })).body;
    await swap('other');
    office.asking.asks = [];
    expect((await office.decide(approval.id, 'ada')).status).to.equal(200);
    const ended = await until(
      () => run(run_id),
      ({ status }) => status === 'completed',
      run_id,
    );
    const { body: receipt } = await office.call('GET', `/receipts/${ended.receipt_id}`);
    expect(receipt.statement.predicate.facts).not.to.have.property('approval');
    expect((await office.call('POST', '/receipts/verify', receipt, null)).body.overall).to.equal('VERIFIED');
    await swap('echo');
  });

  it('does not name, and has not, an earlier approval that a swap of the provider has ended', async () => {
    const { run_id, second, named } = await heldAgain(ask({ bind: 'provider' }));
    await swap('other');
    const last = namedOf(await office.decide(second, 'bob'));
    // The policy still asks what was approved for the other provider: a third time is too often.
    const { approval, verdict } = await ending(run_id, [named, last]);
    expect(approval).to.deep.equal({ ...last, earlier: [named] });
    expect(verdict.slice(0, 2)).to.deep.equal(['denied', 'VERIFIED']);
    const again = await heldAgain(ask({ bind: 'provider' }));
    await swap('echo');
    // It does not ask any more: the run goes ahead by its last approval alone.
    office.asking.asks = [ask({ code: 'large_sum' })];
    const only = namedOf(await office.decide(again.second, 'bob'));
    const ahead = await ending(again.run_id, [only]);
    expect(ahead.approval).to.deep.equal(only);
    expect(ahead.verdict).to.deep.equal([
      ...['completed', 'VERIFIED', `approved by ${office.ids.bob} (office) for exactly these inputs`],
    ]);
  });
});

interface Named {
  readonly approval_id: string;
  readonly digest: string;
  readonly decisions: readonly string[];
}

function namedOf({ body: { approval_id, digest, decisions } }: Answer): Named {
  return { approval_id, digest, decisions: decisions.map((one: { receipt_id: string }) => one.receipt_id) };
}
