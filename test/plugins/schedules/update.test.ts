import { expect } from 'chai';
import type { Answer } from '../../helpers/platform.ts';
import { path, startTimed, type Timed } from './started.ts';

describe('a schedule', function () {
  let timed: Timed;
  let id: string;
  const call = (method: string, below = '', body?: object, key?: string): Promise<Answer> =>
    timed.platform.call(method, `${path}/${id}${below}`, body, key);
  const change = (body: object, key?: string) => call('PATCH', '', body, key);
  before(async () => (timed = await startTimed('2026-11-23T10:59:30Z')));
  beforeEach(async () => (id = await timed.make({ until: '2026-11-30T00:00:00Z' })));
  after(() => timed.platform.stop());

  it('stays paused when it is changed, and goes on with its new times', async () => {
    await call('POST', '/pause');
    expect((await change({ cron: '15 * * * *' })).body)
      .to.include({ state: 'paused', cron: '15 * * * *' })
      .and.not.to.have.property('next_at');
    expect((await call('POST', '/resume')).body.next_at).to.equal('2026-11-23T11:15:00.000Z');
  });

  for (const [name, body, code, pointer] of [
    ['a pattern that is none', { cron: '61 * * * *' }, 'invalid_body', '#/cron'],
    ['a pattern without a time', { cron: '0 0 30 2 *', until: null }, 'invalid_body', '#/cron'],
    ['a time zone that is none', { timezone: 'Europe/Berlon' }, 'invalid_body', '#/timezone'],
    ['an end in the past', { until: '2026-11-01T00:00:00Z' }, 'invalid_body', '#/until'],
    ['inputs that do not fit the Orb', { inputs: { text: 7 } }, 'invalid_inputs', '#/inputs/text'],
    ['another Orb', { orb_id: 'demo.other@1.0.0' }, 'invalid_body', '#/orb_id'],
  ] as const)
    it(`refuses ${name}, and stays as it was`, async () => {
      const before = (await call('GET')).body;
      const refused = await change(body);
      expect([refused.status, refused.body.code]).to.deep.equal([422, code]);
      expect(refused.body.errors.map((error: { pointer: string }) => error.pointer)).to.include(pointer);
      expect((await call('GET')).body).to.deep.equal(before);
    });

  it('takes the key of who gives it new inputs, and of nobody else who changes it', async () => {
    const { platform } = timed;
    const other = (await platform.call('POST', '/keys', { scopes: ['orbs:execute', 'schedules:manage'] })).body;
    const { key_id } = (await call('GET')).body;
    expect((await change({ cron: '5 * * * *' }, other.key)).body.key_id).to.equal(key_id);
    expect((await change({ inputs: { text: 'new' } }, other.key)).body.key_id).to.equal(other.key_id);
    const { run_id } = (await call('POST', '/run')).body;
    const run = (await platform.call('GET', `/runs/${run_id}`)).body;
    expect(run.key_id ?? other.key_id).to.equal(other.key_id);
  });

  it('is changed and run by none without the scopes, and not by a test key when its runs are live', async () => {
    const { platform } = timed;
    for (const [scopes, mode] of [
      [['schedules:manage'], 'live'],
      [['orbs:execute'], 'live'],
      [['schedules:manage', 'orbs:execute'], 'test'],
    ] as const) {
      const { body } = await platform.call('POST', '/keys', { scopes, mode });
      for (const answer of [
        await change({ overlap: 'queue' }, body.key),
        await call('POST', '/run', undefined, body.key),
      ])
        expect([answer.status, answer.body.code]).to.deep.equal([403, 'insufficient_scope']);
    }
  });

  it('runs now with its own inputs and key, also while it is paused; its times stay', async () => {
    const before = (await call('GET')).body;
    const { body, headers, status } = await call('POST', '/run');
    expect([status, headers.get('location')]).to.deep.equal([202, `/runs/${body.run_id}`]);
    const [slot] = await timed.slots(id, 1);
    expect(slot).to.include({ outcome: 'started', run_id: body.run_id, status: 'completed' });
    const run = (await timed.platform.call('GET', `/runs/${body.run_id}`)).body;
    const receipt = (await timed.platform.call('GET', `/receipts/${run.receipt_id}`)).body;
    expect(receipt.statement.predicate.facts.channel).to.deep.equal({ kind: 'schedule' });
    expect((await call('GET')).body).to.include({ next_at: before.next_at, last_run_id: body.run_id });
    await call('POST', '/pause');
    expect((await call('POST', '/run')).status).to.equal(202);
    expect(await timed.slots(id, 2)).to.have.length(2);
    expect((await call('GET')).body.state).to.equal('paused');
  });

  it('runs once for an Idempotency-Key, however often it is sent', async () => {
    const { platform } = timed;
    const run = (key: string) =>
      fetch(`${platform.url}${path}/${id}/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${platform.adminKey}`, 'idempotency-key': key },
      });
    const [first, second, third] = [await run('one'), await run('one'), await run('two')];
    const ids = await Promise.all(
      [first, second, third].map(async (answer) => ((await answer.json()) as { run_id: string }).run_id),
    );
    expect(ids[0]).to.equal(ids[1]).and.not.to.equal(ids[2]);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
    const slots = await timed.slots(id, 2);
    expect(slots.map(({ run_id }) => run_id)).to.have.members([ids[0], ids[2]]);
  });

  it('is not run once it is deleted', async () => {
    await call('DELETE');
    for (const answer of [await call('POST', '/run'), await change({ overlap: 'queue' })])
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'schedule_not_found']);
  });

  it('that has ended is active again with times in the future', async () => {
    id = await timed.make({ until: '2026-11-23T11:00:00Z' });
    timed.clock.set('2026-11-23T11:00:00.500Z');
    await timed.slots(id, 1);
    expect((await call('GET')).body.state).to.equal('ended');
    expect((await change({ overlap: 'queue' })).body.state).to.equal('ended');
    expect((await change({ until: '2026-11-23T12:00:00Z' })).body).to.include({
      state: 'active',
      next_at: '2026-11-23T12:00:00.000Z',
    });
  });

  it('gets new times, which count from now on; what is absent stays', async () => {
    const { body, status } = await change({ cron: '30 8 * * *', timezone: 'Europe/Berlin' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({
      ...{ cron: '30 8 * * *', timezone: 'Europe/Berlin', overlap: 'skip', catch_up: 'none', state: 'active' },
      ...{ next_at: '2026-11-24T07:30:00.000Z', until: '2026-11-30T00:00:00.000Z' },
    });
    expect((await change({ overlap: 'queue', until: null })).body)
      .to.include({ overlap: 'queue', cron: '30 8 * * *', next_at: '2026-11-24T07:30:00.000Z' })
      .and.not.to.have.property('until');
    timed.clock.set('2026-11-24T07:30:00.500Z');
    const [slot] = await timed.slots(id, 1);
    expect(slot).to.include({ planned_at: '2026-11-24T07:30:00.000Z', outcome: 'run', status: 'completed' });
  });
});
