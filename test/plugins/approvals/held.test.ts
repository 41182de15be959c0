import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../../kernel/index.ts';
import { getCommand } from '../../../plugins/receipts/commands/get.ts';
import { verifyCommand } from '../../../plugins/receipts/commands/verify.ts';
import { runCommand } from '../../helpers/command.ts';
import { until } from '../../helpers/until.ts';
import type { Answer } from '../../helpers/platform.ts';
import { ask, startApproving, type Approving } from './started.ts';

describe('a run that people must approve', function () {
  this.timeout(60_000);
  let office: Approving;
  before(async () => (office = await startApproving()));
  after(() => office.stop());
  beforeEach(() => Object.assign(office.asking, { asks: [ask()], denies: false }));

  const run = async (id: string) => (await office.call('GET', `/runs/${id}`)).body;
  const ended = (id: string) =>
    until(
      () => run(id),
      ({ status }) => !['queued', 'held', 'running'].includes(status as string),
      `the end of ${id}`,
    );
  const held = async (inputs: object = { text: 'hello' }, more: object = {}) => {
    const { status, body } = await office.execute(inputs, more);
    expect(status, JSON.stringify(body)).to.equal(202);
    return body as { run_id: string; approval: { id: string; expires_at: string; url: string } };
  };

  it('is listed by GET /runs as held until it is decided on, and a run that only waits as queued', async () => {
    const listed = async (status: string, key?: string): Promise<readonly string[]> =>
      (await office.call('GET', `/runs?status=${status}`, undefined, key)).body.runs.map(
        (one: { run_id: string }) => one.run_id,
      );
    const { run_id, approval } = await held({ text: 'listed' });
    office.asking.asks = [];
    const later = { mode: 'async', run_at: new Date(office.clock.now() + 3_600_000).toISOString() };
    const { body: waiting } = await office.execute({ text: 'later' }, later);
    expect(await listed('held')).to.deep.equal([run_id]);
    expect(await listed('held', office.keys.agent)).to.deep.equal([run_id]);
    expect(await listed('queued')).to.deep.equal([waiting.run_id]);
    expect(await listed('held,queued')).to.deep.equal([waiting.run_id, run_id]);
    await office.decide(approval.id, 'ada', 'refuse');
    await ended(run_id);
    expect(await listed('held')).to.deep.equal([]);
    expect(await listed('denied')).to.include(run_id);
    await office.call('POST', `/runs/${String(waiting.run_id)}/cancel`);
  });

  it('is held, shows its true inputs to those who are asked, and runs once it is approved', async () => {
    const { run_id, approval } = await held({ text: 'to the outside' });
    expect(await run(run_id)).to.deep.include({ status: 'held', approval });
    const { body: shown } = await office.call('GET', `/approvals/${approval.id}`, undefined, office.keys.ada);
    expect(shown).to.deep.include({ state: 'open', run_id, inputs: { text: 'to the outside' } });
    expect(shown.asks).to.have.length(1);
    const { status, body } = await office.decide(approval.id, 'ada', 'approve', { comment: 'known to us' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.include({ state: 'approved' });
    expect(body.decisions).to.have.length(1);
    expect(body.decisions[0]).to.include({ principal: office.ids.ada, auth: 'key', comment: 'known to us' });
    const done = await ended(run_id);
    expect(done).to.include({ status: 'completed' });
    const { body: receipt } = await office.call('GET', `/receipts/${done.receipt_id}`);
    const { facts } = receipt.statement.predicate;
    expect(facts.approval).to.deep.equal({
      ...{ approval_id: approval.id, digest: shown.digest, decisions: [body.decisions[0].receipt_id] },
    });
    // What was approved and what was executed have the same commitment: a stranger sees it without the inputs.
    expect(facts.inputs).to.deep.equal(shown.bound.inputs);
    const { body: decision } = await office.call('GET', `/receipts/${body.decisions[0].receipt_id}`);
    expect(decision.statement.predicate.facts).to.deep.include({ decision: 'approve', digest: shown.digest });
    expect(JSON.stringify(decision)).not.to.contain('known to us');
    // The server compares them at every read; a stranger, offline or by the public route, with both at hand.
    expect(receipt.checks).to.deep.include({ name: 'approval_matches', result: 'pass' });
    const verify = (artefact: object) => office.call('POST', '/receipts/verify', artefact, null);
    const verdict = ({ body: { checks } }: Answer) =>
      (checks as { name: string }[]).find(({ name }) => name === 'approval_matches');
    const both = await verify({ ...receipt, decisions: [decision] });
    expect(both.body.overall, JSON.stringify(both.body)).to.equal('VERIFIED');
    expect(verdict(both)).to.deep.include({
      result: 'pass',
      detail: `approved by ${office.ids.ada} (office) for exactly these inputs`,
    });
    const alone = await verify(receipt);
    expect([alone.body.overall, verdict(alone)]).to.deep.include('VERIFIED-WITH-LIMITS');
    expect(verdict(alone)).to.include({ result: 'not_checked' });
  });

  it('is listed by its status, alone and among others, until it is decided', async () => {
    const { run_id, approval } = await held();
    const listed = async (status: string): Promise<boolean> => {
      const { body } = await office.call('GET', `/runs?limit=100&status=${status}`);
      return (body.runs as { run_id: string }[]).some((one) => one.run_id === run_id);
    };
    expect([await listed('held'), await listed('failed,held'), await listed('queued,running')]).to.deep.equal([
      ...[true, true, false],
    ]);
    await office.decide(approval.id, 'ada', 'approve');
    await ended(run_id);
    expect([await listed('held'), await listed('completed')]).to.deep.equal([false, true]);
  });

  it('is saved with the decisions on it, in one tree of the log, and verifies offline', async () => {
    const { run_id, approval } = await held();
    await office.decide(approval.id, 'ada');
    const { receipt_id } = await ended(run_id);
    const dir = mkdtempSync(join(tmpdir(), 'orb-held-'));
    const keys = (await office.call('GET', '/.well-known/jwks.json', undefined, null)).body;
    writeFileSync(join(dir, 'jwks.json'), JSON.stringify(keys));
    // The log has grown since the decision was read, so that its proof is asked for again.
    let grown = false;
    const request = async (method: string, path: string) => {
      const { body } = await office.call(method, path);
      if (!grown && path === `/receipts/${receipt_id}`) await office.execute({ text: 'x' }, { hold: 'refuse' });
      grown = true;
      return body as never;
    };
    const { text } = await runCommand(getCommand, dir, [receipt_id], {
      client: () => ({ request }) as unknown as Client,
    });
    const { proof, decisions } = JSON.parse(text);
    expect(decisions).to.have.length(1);
    expect(decisions[0].proof.checkpoint).to.equal(proof.checkpoint);
    writeFileSync(join(dir, 'receipt.json'), text);
    const shown = await runCommand(verifyCommand, dir, [join(dir, 'receipt.json')]);
    expect(shown.text).to.match(/^approval_matches +pass: approved by prn_\w+ \(office\) for exactly these inputs$/m);
    expect(shown.text.split('\n').at(-1)).to.equal('VERIFIED');
    rmSync(dir, { recursive: true });
  });

  it('is denied with its receipt when one refuses, when the time is over, and when its requester cancels it', async () => {
    const refused = await held();
    expect((await office.decide(refused.approval.id, 'bob', 'refuse')).body.state).to.equal('refused');
    expect(await ended(refused.run_id)).to.include({ status: 'denied', reason: 'approval_refused' });
    const late = await held();
    office.clock.set('2026-11-23T11:30:00Z');
    expect(await ended(late.run_id)).to.include({ status: 'denied', reason: 'approval_expired' });
    expect((await office.decide(late.approval.id, 'ada')).body).to.include({ code: 'approval_decided' });
    const gone = await held();
    await office.call('POST', `/runs/${gone.run_id}/cancel`, undefined, office.keys.agent);
    expect(await ended(gone.run_id)).to.include({ status: 'cancelled' });
    expect((await office.decide(gone.approval.id, 'ada')).body).to.include({ code: 'approval_decided' });
    for (const { run_id } of [refused, late, gone]) {
      const { body } = await office.call('GET', `/receipts/${(await run(run_id)).receipt_id}`);
      expect(body.signature_valid).to.equal(true);
    }
  });

  it('is not held for a caller that wants none', async () => {
    const { status, body } = await office.execute({ text: 'x' }, { hold: 'refuse' });
    expect([status, body.code]).to.deep.equal([403, 'approval_required']);
    expect(body.receipt.receipt_id).to.match(/^rec_/);
  });

  it('is not held later either for a caller that wants none', async () => {
    office.asking.asks = [];
    const run_at = new Date(office.clock.now() + 3_600_000).toISOString();
    const { status, body } = await office.execute({ text: 'later' }, { hold: 'refuse', mode: 'async', run_at });
    expect(status).to.equal(202);
    office.asking.asks = [ask()];
    office.clock.set(run_at);
    expect(await ended(body.run_id)).to.include({ status: 'denied', reason: 'approval_required' });
  });

  it('is the same run for a repetition with its key', async () => {
    const send = () =>
      fetch(`${office.url()}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': '"held-1"',
          authorization: `Bearer ${office.keys.agent}`,
        },
        body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'once' } }),
      }).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as { run_id: string } }));
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).to.deep.equal([202, 202]);
    expect(second.body.run_id).to.equal(first.body.run_id);
  });

  const refusals: readonly (readonly [string, 'agent' | 'eve', string])[] = [
    ['who asked for it', 'agent', 'approval_own'],
    ['who is not asked', 'eve', 'approval_not_found'],
  ];
  for (const [who, name, code] of refusals)
    it(`is not decided by one ${who}`, async () => {
      const { approval, run_id } = await held();
      expect((await office.decide(approval.id, name)).body.code).to.equal(code);
      expect((await run(run_id)).status).to.equal('held');
    });

  it('is decided for exactly what was shown', async () => {
    const { approval } = await held();
    const digest = `sha256:${'0'.repeat(64)}`;
    expect((await office.decide(approval.id, 'ada', 'approve', { digest })).body.code).to.equal('approval_differs');
    const path = `/approvals/${approval.id}/decision`;
    for (const body of [{}, { decision: 'approve' }, { decision: '', digest }, { decision: 'yes', digest }])
      expect((await office.call('POST', path, body, office.keys.ada)).body.code).to.equal('invalid_body');
  });

  it('needs as many people as are asked, each once', async () => {
    office.asking.asks = [ask({ of: 2 })];
    const { approval, run_id } = await held();
    expect((await office.decide(approval.id, 'ada')).body.state).to.equal('open');
    expect((await office.decide(approval.id, 'ada')).body.code).to.equal('approval_decided');
    expect((await run(run_id)).status).to.equal('held');
    expect((await office.decide(approval.id, 'bob')).body.state).to.equal('approved');
    expect(await ended(run_id)).to.include({ status: 'completed' });
  });

  it('is denied although it was approved when the policy denies it by then', async () => {
    const { approval, run_id } = await held();
    office.asking.denies = true;
    await office.decide(approval.id, 'ada');
    expect(await ended(run_id)).to.include({ status: 'denied', reason: 'access_denied' });
  });

  it('is held once more when the policy asks something else by then, and not for ever', async () => {
    const { approval, run_id } = await held();
    office.asking.asks = [ask({ code: 'large_sum' })];
    await office.decide(approval.id, 'ada');
    const again = await until(
      () => run(run_id),
      ({ approval: now }) => now !== undefined && now.id !== approval.id,
      'the second approval',
    );
    office.asking.asks = [ask({ code: 'a_third_thing' })];
    await office.decide(again.approval.id, 'bob');
    expect(await ended(run_id)).to.include({ status: 'denied', reason: 'approval_required' });
  });

  it('waits over a restart, and runs when it is approved after it; what was decided before is carried out', async () => {
    const [later, now] = [await held({ text: 'later' }), await held({ text: 'now' })];
    expect((await office.decide(now.approval.id, 'ada')).body.state).to.equal('approved');
    await office.restart();
    expect((await run(later.run_id)).status).to.equal('held');
    expect(await ended(now.run_id)).to.include({ status: 'completed' });
    expect((await office.decide(later.approval.id, 'bob')).body.state).to.equal('approved');
    expect(await ended(later.run_id)).to.include({ status: 'completed' });
  });

  it('is decided once when two decide at the same moment', async () => {
    const { approval, run_id } = await held();
    const answers = await Promise.all([
      office.decide(approval.id, 'ada'),
      office.decide(approval.id, 'bob', 'refuse'),
      office.decide(approval.id, 'ada'),
    ]);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(answers.every(({ status }) => [200, 409, 503].includes(status))).to.equal(true);
    expect(['completed', 'denied']).to.include((await ended(run_id)).status);
    expect((await office.call('GET', `/approvals/${approval.id}`)).body.decisions).to.have.length(1);
  });

  it('counts once against the rate of its key', async () => {
    const limited = await startApproving({}, { settings: { limits: { key: { rate: { count: 1, window_s: 600 } } } } });
    try {
      const answers = [await limited.execute({ text: 'one' }), await limited.execute({ text: 'two' })];
      expect(answers.map(({ status }) => status)).to.deep.equal([202, 429]);
    } finally {
      await limited.stop();
    }
  });

  it('is denied when too many wait for the same people', async () => {
    const crowded = await startApproving({ open_per_group: 2 });
    try {
      const answers = [];
      for (const text of ['one', 'two', 'three']) answers.push(await crowded.execute({ text }));
      expect(answers.map(({ status, body }) => [status, body.code ?? body.status])).to.deep.equal([
        ...[
          [202, 'held'],
          [202, 'held'],
        ],
        [403, 'approval_backlog'],
      ]);
      expect(answers[2]?.body.receipt.signature_valid).to.equal(true);
    } finally {
      await crowded.stop();
    }
  });
});
