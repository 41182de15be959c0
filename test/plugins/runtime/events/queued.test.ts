import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { until } from '../../../helpers/until.ts';
import { harmlessOrb, orb, send, startQueueing, type Queueing } from '../queue/queueing.ts';
import { listen, type Client } from './client.ts';

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('GET /events of a run that waits', function () {
  this.timeout(60_000);
  let queueing: Queueing;
  const clients: Client[] = [];
  before(async () => (queueing = await startQueueing()));
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    Object.assign(queueing.recorder.behaviour, { a: undefined, b: undefined });
  });
  after(() => queueing.platform.stop());

  const follow = async (query = '?types=run.*', key = queueing.platform.adminKey, from?: string): Promise<Client> => {
    const client = listen(() => `${queueing.platform.url}/events${query}`, key, from);
    clients.push(client);
    await client.opened();
    return client;
  };
  const ask = async (token: string, more: object = {}): Promise<string> => {
    const { status, body } = await queueing.ask(token, more);
    expect(status, JSON.stringify(body)).to.equal(202);
    return body.run_id;
  };
  const toldOf = ({ heard }: Client, runId?: string): readonly string[] =>
    heard.filter(({ data }) => runId === undefined || data.data?.run_id === runId).map(({ type }) => type);
  const untilTold = (client: Client, type: string, runId: string) =>
    until(
      () => toldOf(client, runId),
      (types) => types.includes(type),
      `${type} of ${runId}`,
    );

  for (const orb_id of [orb, harmlessOrb])
    it(`${orb_id}: is queued, then started, then completed, in names and ids alone`, async () => {
      const client = await follow();
      const run_id = await ask('a secret word', { orb_id });
      await client.count(3);
      expect(toldOf(client)).to.deep.equal(['run.queued', 'run.started', 'run.completed']);
      const named = { run_id, orbiset_id: 'default', orb_id };
      const [queued, started] = client.heard.map(({ data }) => data);
      expect([queued.data, started.data]).to.deep.equal([
        { ...named, status: 'queued' },
        { ...named, status: 'running' },
      ]);
      expect(queued.id).to.match(/^evt_\w{26}$/);
      expect(JSON.stringify(client.heard)).not.to.include('secret word');
    });

  it('has no more than its end when its caller waits for it, and no second entry by its key', async () => {
    const client = await follow();
    const { platform } = queueing;
    const body = { orb_id: orb, inputs: { token: 'now' } };
    const { run_id } = (await platform.call('POST', '/orbisets/default/execute', body)).body;
    await untilTold(client, 'run.completed', run_id);
    const once = { ...body, mode: 'async' };
    const twice = await Promise.all(
      [1, 2].map(() => send(platform, '/orbisets/default/execute', once, { 'idempotency-key': 'once' })),
    );
    const id = twice[0]?.body.run_id;
    await untilTold(client, 'run.completed', id);
    expect(toldOf(client, run_id)).to.deep.equal(['run.completed']);
    expect(toldOf(client)).to.deep.equal(['run.completed', 'run.queued', 'run.started', 'run.completed']);
  });

  it('is never started when it is cancelled before', async () => {
    const client = await follow();
    const runId = await ask('never', { run_at: soon(600_000) });
    await queueing.platform.call('POST', `/runs/${runId}/cancel`);
    await untilTold(client, 'run.cancelled', runId);
    expect(toldOf(client)).to.deep.equal(['run.queued', 'run.cancelled']);
  });

  it('is started once more in its next turn', async () => {
    const client = await follow();
    let up = false;
    const calls = { a: 0, b: 0 };
    const execute = (name: keyof typeof calls) => (): void => {
      calls[name] += 1;
      if (!up) throw new ProviderError('not_sent', 'no route', { phase: 'connect' });
    };
    Object.assign(queueing.recorder.behaviour, { a: { execute: execute('a') }, b: { execute: execute('b') } });
    const run = await ask('again');
    await untilTold(client, 'run.started', run);
    await until(
      async () => (await queueing.platform.call('GET', `/runs/${run}`)).body.status as string,
      (status) => status === 'queued',
    );
    up = true;
    await untilTold(client, 'run.completed', run);
    // On a busy machine its second turn may begin before the providers work: then it has a third one.
    const turns = toldOf(client).slice(1, -1);
    expect(toldOf(client)).to.deep.equal(['run.queued', ...turns.map(() => 'run.started'), 'run.completed']);
    expect(turns).to.have.lengthOf.within(2, Math.max(calls.a, calls.b));
  });

  it('by itself begins with what was told of it, and ends with its end', async () => {
    const go = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = { execute: () => go.promise };
    const early = await follow();
    const { body } = await queueing.ask('followed');
    const events: string = body.links.events.replace('/events', '');
    // A store that several nodes share tells of it a moment after the answer.
    await untilTold(early, 'run.started', body.run_id);
    const all = await follow();
    const open = await follow(events);
    await open.count(2);
    expect(toldOf(open)).to.deep.equal(['run.queued', 'run.started']);
    go.resolve(undefined);
    await open.count(4);
    const whole = ['run.queued', 'run.started', 'run.completed', 'end'];
    expect(toldOf(open).slice(0, 3).concat('end')).to.deep.equal(whole);
    expect(all.heard.filter(({ type }) => type === 'run.queued')).to.deep.equal([]);
    const ended = await follow(events);
    await ended.count(4);
    expect(ended.heard.map(({ type }) => type)).to.deep.equal(whole);
    for (const [index, { id }] of ended.heard.slice(0, 2).entries()) {
      const resumed = await follow(events, undefined, id);
      await resumed.count(3 - index);
      expect(resumed.heard.map(({ type }) => type)).to.deep.equal(whole.slice(index + 1));
    }
    const headers = {
      authorization: `Bearer ${queueing.platform.adminKey}`,
      'last-event-id': ended.heard[2]?.id ?? '',
    };
    expect((await fetch(`${queueing.platform.url}/events${events}`, { headers })).status).to.equal(204);
  });

  it('is shown to its own caller, and to nobody else without the scope', async () => {
    const { platform } = queueing;
    const own = await platform.key({ scopes: ['orbs:execute'] });
    const other = await platform.key({ scopes: ['orbs:execute'] });
    const [mine, theirs] = [await follow('', own), await follow('', other)];
    const body = { orb_id: orb, inputs: { token: 'mine' }, mode: 'async' };
    const { run_id } = (await platform.call('POST', '/orbisets/default/execute', body, own)).body;
    await untilTold(mine, 'run.completed', run_id);
    const others = await ask('not mine');
    const reader = await follow(`?run_id=${others}`, await platform.key({ scopes: ['runs:read'] }));
    await untilTold(reader, 'run.completed', others);
    const run = (await platform.call('POST', '/orbisets/default/execute', body, other)).body.run_id;
    await untilTold(theirs, 'run.completed', run);
    expect(toldOf(mine)).to.deep.equal(['run.queued', 'run.started', 'run.completed']);
    expect(toldOf(theirs)).to.deep.equal(['run.queued', 'run.started', 'run.completed']);
    const hidden = await follow(`?run_id=${others}`, own);
    const shown = await follow(`?run_id=${run_id}`, own);
    await shown.count(4);
    expect(hidden.heard).to.deep.equal([]);
  });

  it('goes on over a restart, and repeats nothing', async () => {
    const client = await follow();
    const run = await ask('later', { run_at: soon(2000) });
    await untilTold(client, 'run.queued', run);
    const { home } = queueing.platform;
    await queueing.platform.stop({ keep: true });
    queueing = await startQueueing({ home, recorder: queueing.recorder });
    await untilTold(client, 'run.completed', run);
    expect(toldOf(client)).to.deep.equal(['run.queued', 'run.started', 'run.completed']);
    expect(new Set(client.heard.map(({ data }) => data.id)).size).to.equal(3);
  });
});
