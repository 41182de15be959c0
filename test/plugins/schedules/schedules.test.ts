import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { path, startTimed, type Timed } from './started.ts';

describe('schedules', () => {
  let timed: Timed;
  const start = async (...given: Parameters<typeof startTimed>): Promise<Timed> => (timed = await startTimed(...given));
  afterEach(() => timed.platform.stop());

  it('run an Orb at each slot, once, over the queue, with the channel in the receipt', async () => {
    const { clock, make, slots, platform } = await start('2026-11-23T10:59:30Z');
    const id = await make();
    const { body } = await platform.call('GET', `${path}/${id}`);
    expect(body).to.include({ state: 'active', next_at: '2026-11-23T11:00:00.000Z', cron: '0 * * * *' });
    expect(JSON.stringify(body)).not.to.include('tick');
    clock.set('2026-11-23T11:00:00.500Z');
    const [first] = await slots(id, 1);
    expect(first).to.include({ planned_at: '2026-11-23T11:00:00.000Z', outcome: 'run', status: 'completed' });
    const run = (await platform.call('GET', `/runs/${first?.run_id ?? ''}`)).body;
    const receipt = (await platform.call('GET', `/receipts/${run.receipt_id}`)).body;
    expect(receipt.statement.predicate.facts.channel).to.deep.equal({ kind: 'schedule' });
    clock.set('2026-11-23T12:00:10Z');
    const two = await slots(id, 2);
    expect(two.map(({ planned_at }) => planned_at)).to.deep.equal([
      '2026-11-23T12:00:00.000Z',
      '2026-11-23T11:00:00.000Z',
    ]);
    const after = (await platform.call('GET', `${path}/${id}`)).body;
    expect(after).to.include({ next_at: '2026-11-23T13:00:00.000Z', last_run_id: two[0]?.run_id });
  });

  it('name the times of their next slots where one is read, in their time zone and up to their end', async () => {
    const { make, platform } = await start('2026-11-23T10:59:30Z');
    const upcoming = async (id: string) => (await platform.call('GET', `${path}/${id}`)).body.upcoming as string[];
    const id = await make({ cron: '30 8 * * MON-FRI', timezone: 'Europe/Berlin' });
    const days = ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-30'];
    expect(await upcoming(id)).to.deep.equal(days.map((day) => `${day}T07:30:00.000Z`));
    const ending = await make({ until: '2026-11-23T12:00:00Z' });
    expect(await upcoming(ending)).to.deep.equal(['2026-11-23T11:00:00.000Z', '2026-11-23T12:00:00.000Z']);
    await platform.call('POST', `${path}/${ending}/pause`);
    expect(await upcoming(ending)).to.deep.equal([]);
    const { schedules } = (await platform.call('GET', path)).body;
    for (const one of schedules) expect(one).not.to.have.property('upcoming');
  });

  it('need a pattern and an Orb alone; the rest has the defaults of the command', async () => {
    const { platform } = await start('2026-11-23T10:59:30Z');
    const bare = { orb_id: 'demo.echo@1.0.0', cron: '0 9 * * *', inputs: { text: 'tick' } };
    const made = await platform.call('POST', path, bare);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.body).to.include({ timezone: 'UTC', overlap: 'skip', catch_up: 'none' });
    const { status, body } = await platform.call('POST', path, { orb_id: bare.orb_id, cron: bare.cron });
    expect([status, body.code]).to.deep.equal([422, 'invalid_inputs']);
  });

  it('pause with an incident when their key is revoked; resuming goes on by another key and ends the incident', async () => {
    const { clock, make, slots, platform } = await start('2026-11-23T10:59:30Z');
    const made = (await platform.call('POST', '/keys', { scopes: ['orbs:execute', 'schedules:manage'] })).body;
    const id = await make({}, made.key);
    await platform.call('DELETE', `/keys/${made.key_id}`);
    clock.set('2026-11-23T11:00:00.500Z');
    const shown = async () => (await platform.call('GET', `${path}/${id}`)).body;
    const paused = await until(shown, ({ state }) => state === 'paused', 'the pause');
    expect(paused).to.include({ reason: 'credential_revoked' }).and.not.to.have.property('next_at');
    const open = async () => (await platform.call('GET', '/incidents?state=open')).body.incidents as object[];
    const [incident] = await until(open, (found) => found.length === 1, 'the incident');
    expect(JSON.stringify(incident)).to.include('info');
    expect((await platform.call('GET', '/status', undefined, null)).body.status).to.equal('operational');
    expect((await platform.call('POST', `${path}/${id}/resume`)).body).to.include({ state: 'active' });
    expect(await shown())
      .to.include({ next_at: '2026-11-23T12:00:00.000Z' })
      .and.not.to.include({ key_id: made.key_id });
    await until(open, (found) => found.length === 0, 'the end of the incident');
    clock.set('2026-11-23T12:00:01Z');
    expect(await slots(id, 1)).to.have.length(1);
  });
});
