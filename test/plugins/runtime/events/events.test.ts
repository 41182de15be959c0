import { expect } from 'chai';
import type { Clock } from '../../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { listen, type Client } from './client.ts';

const orb = 'demo.echo@1.0.0';
const dayMs = 86_400_000;

/** A clock that runs, and can be moved ahead. */
function movedClock(): Clock & { ahead(ms: number): void } {
  let extra = 0;
  return {
    now: () => Date.now() + extra,
    monotonic: () => performance.now() + extra,
    ahead: (ms) => void (extra += ms),
  };
}

describe('GET /events', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  const clock = movedClock();
  const clients: Client[] = [];
  const start = (home?: string): Promise<TestPlatform> =>
    startPlatform({
      clock,
      ...(home === undefined ? {} : { home }),
      platform: { providers: { one: { adapter: 'echo/local' }, two: { adapter: 'echo/local' } } },
      data: { 'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] } },
    });
  before(async () => (platform = await start()));
  after(() => platform.stop());
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  const follow = async (query = '', key = platform.adminKey, from?: string): Promise<Client> => {
    const client = listen(() => `${platform.url}/events${query}`, key, from);
    clients.push(client);
    await client.opened();
    return client;
  };
  const run = async (orbiset = 'default', key?: string): Promise<string> => {
    const body = { orb_id: orb, inputs: { text: 'a secret word' } };
    const answer = await platform.call('POST', `/orbisets/${orbiset}/execute`, body, key);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.run_id;
  };
  const runsOf = ({ heard }: Client): readonly string[] =>
    heard.filter(({ type }) => type.startsWith('run.')).map(({ data }) => data.data.run_id);
  const get = (query: string, headers: Readonly<Record<string, string>>, key = platform.adminKey): Promise<Response> =>
    fetch(`${platform.url}/events${query}`, { headers: { authorization: `Bearer ${key}`, ...headers } });

  it('tells of a run once its receipt is durable, in names and ids alone', async () => {
    const client = await follow();
    const runId = await run();
    const [event] = await client.count(1);
    const { data: shown } = event ?? expect.fail();
    const row = (await platform.call('GET', `/runs/${runId}`)).body;
    expect(shown).to.deep.equal({
      ...{ id: row.receipt_id, type: 'run.completed', timestamp: row.finished_at },
      data: { run_id: runId, orbiset_id: 'default', orb_id: orb, status: 'completed', receipt_id: row.receipt_id },
    });
    expect(JSON.stringify(client.heard)).not.to.include('secret word');
  });

  it('tells of swaps, keys and incidents', async () => {
    const client = await follow();
    const { body: swap } = await platform.call('POST', `/providers/${orb}/swap`, { provider: 'two' });
    const { body: key } = await platform.call('POST', '/keys', { name: 'k', scopes: ['orbs:read'] });
    await platform.call('DELETE', `/keys/${key.key_id}`);
    const scope = [{ kind: 'component', id: 'runtime' }];
    const { body: incident } = await platform.call('POST', '/incidents', { title: 'Slow', severity: 'high', scope });
    await platform.call('POST', '/signing-keys/receipt/rotate');
    await client.count(4);
    const found = Object.fromEntries(client.heard.map(({ type, data }) => [type, data.data])) as Record<string, object>;
    expect(found['swap.completed']).to.include({ swap_id: swap.swap_id, orb_id: orb, from: 'one', to: 'two' });
    expect(found['key.created']).to.deep.equal({ key_id: key.key_id, principal: key.principal });
    expect(found['key.revoked']).to.deep.equal({ key_id: key.key_id, principal: key.principal });
    expect(found['incident.opened']).to.include({ incident_id: incident.incident_id, severity: 'high' });
  });

  it('is filtered by type and by run', async () => {
    const swaps = await follow('?types=swap.*,key.revoked');
    const first = await run();
    await platform.call('POST', `/providers/${orb}/swap`, { provider: 'one' });
    await swaps.count(1);
    expect(swaps.heard.map(({ type }) => type)).to.deep.equal(['swap.completed']);
    const one = await follow(`?run_id=${first}`);
    await one.count(2);
    expect(one.heard.map(({ type }) => type)).to.deep.equal(['run.completed', 'end']);
    expect((await platform.call('GET', '/events?types=Run')).body.code).to.equal('invalid_parameter');
  });

  it('answers 204 to a client that has the last event of its run, so that it does not ask again', async () => {
    const runId = await run();
    const all = await follow('?types=run.*');
    const later = await run();
    // The event of the first run may still come.
    const event = await until(
      () => all.heard.find(({ data }) => data.data.run_id === later),
      (found) => found !== undefined,
    );
    const told = await get(`?run_id=${runId}`, { 'last-event-id': event?.id ?? '' });
    expect(told.status).to.equal(204);
    expect((await get(`?run_id=${later}`, { 'last-event-id': event?.id ?? '' })).status).to.equal(204);
  });

  it('shows another tenant nothing, and a key no more than its scopes', async () => {
    const theirs = await follow('', await platform.key({ scopes: ['runs:read', 'keys:manage'], tenant: 'acme' }));
    const runner = await platform.key({ scopes: ['orbs:execute'], tenant: 'acme' });
    const own = await follow('', runner);
    const narrow = await follow('', await platform.key({ scopes: ['orbs:execute:other.*'], tenant: 'acme' }));
    const swaps = await follow('', await platform.key({ scopes: ['providers:read'] }));
    await run();
    const byAdmin = await run('acme');
    const byRunner = await run('acme', runner);
    await platform.call('POST', `/providers/${orb}/swap`, { provider: 'two' });
    await platform.call('POST', `/providers/${orb}/swap`, { provider: 'one' });
    await swaps.count(2);
    for (const [stream, runs] of [
      [theirs, 2],
      [own, 1],
    ] as const)
      await until(
        () => runsOf(stream),
        (found) => found.length === runs,
        'the runs of a stream',
      );
    expect(runsOf(theirs)).to.deep.equal([byAdmin, byRunner]);
    expect(runsOf(own), 'the own runs alone').to.deep.equal([byRunner]);
    expect(narrow.heard).to.deep.equal([]);
    expect(new Set(theirs.heard.map(({ type }) => type.split('.')[0]))).to.deep.equal(new Set(['key', 'run']));
    expect(new Set(swaps.heard.map(({ type }) => type))).to.deep.equal(new Set(['swap.completed']));
    const { status, body } = await platform.call(
      'GET',
      '/events',
      undefined,
      await platform.key({ scopes: ['orbs:read'] }),
    );
    expect([status, body.code]).to.deep.equal([403, 'insufficient_scope']);
  });

  it('has ids that tell nothing, not even how much others do', async () => {
    const client = await follow('?types=run.*');
    for (let count = 0; count < 12; count++) await run();
    await client.count(12);
    const ids = client.heard.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(12);
    expect(new Set(ids.map((id) => id.length)).size, 'all ids are as long').to.equal(1);
    for (const id of ids) expect(Buffer.from(id, 'base64url').toString('latin1')).not.to.match(/sequence|log/);
  });

  it('goes on after the last id over a restart, without a gap and without a repetition', async () => {
    const client = await follow('?types=run.*');
    const made = [await run(), await run()];
    await client.count(2);
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await start(home);
    // Before it has connected again.
    made.push(await run());
    await until(
      () => client.source.readyState,
      (state) => state === 1,
    );
    made.push(await run());
    await client.count(4);
    expect(runsOf(client)).to.deep.equal(made);
  });

  it('tells a client of another installation, and of an id that is too old, that there is a gap', async () => {
    const client = await follow('?types=run.*');
    await run();
    const [event] = await client.count(1);
    const foreign = await follow('?types=run.*', undefined, 'nonsense');
    expect((await foreign.count(1))[0]?.type).to.equal('gap');
    clock.ahead(6 * dayMs);
    const missed = await run();
    const young = await follow('?types=run.*', undefined, event?.id);
    await young.count(1);
    expect(runsOf(young)).to.deep.equal([missed]);
    clock.ahead(1.1 * dayMs);
    const old = await follow('?types=run.*', undefined, event?.id);
    const [gap] = await old.count(1);
    expect(gap?.type).to.equal('gap');
    expect(gap?.id).to.have.length.above(50).and.not.to.equal(event?.id);
    const next = await run();
    await old.count(2);
    expect(runsOf(old)).to.deep.equal([next]);
  });

  it('ends when its key is revoked: nothing that comes after is told', async () => {
    const { key, key_id } = (await platform.call('POST', '/keys', { scopes: ['runs:read'] })).body;
    const response = await get('?types=run.*', {}, key);
    const text = response.text();
    expect((await platform.call('DELETE', `/keys/${key_id}`)).status).to.equal(204);
    const after = await run();
    expect(await text).not.to.include(after);
  });

  it('admits sixteen streams of a principal; another principal is not hindered', async () => {
    const { key, principal } = (await platform.call('POST', '/keys', { scopes: ['runs:read'] })).body;
    const again = await platform.key({ scopes: ['runs:read'], principal });
    for (let count = 0; count < 16; count++) await follow('', count % 2 === 0 ? key : again);
    const { status, body } = await platform.call('GET', '/events', undefined, key);
    expect([status, body.code]).to.deep.equal([429, 'rate_limited']);
    await follow('', await platform.key({ scopes: ['runs:read'] }));
    clients.shift()?.close();
    await until(
      async () => (await get('', {}, key)).status,
      (found) => found === 200,
    );
  });

  it('sends CloudEvents 1.0 when it is asked for', async () => {
    const client = await follow('?format=cloudevents&types=run.*');
    const runId = await run();
    const [event] = await client.count(1);
    const { data, ...attributes } = event?.data as Record<string, unknown>;
    const { receipt_id, finished_at } = (await platform.call('GET', `/runs/${runId}`)).body;
    const { source, ...rest } = attributes;
    expect(rest).to.deep.equal({
      ...{ specversion: '1.0', id: receipt_id, type: 'agent-orb.run.completed', subject: runId, time: finished_at },
      datacontenttype: 'application/json',
    });
    expect(source).to.match(/^urn:agent-orb:ins_\w{26}$/);
    expect(data).to.include({ run_id: runId, status: 'completed' });
  });

  it('a reader that does not read delays nobody, and has missed nothing when it reads', async () => {
    const slow = await get('?types=run.*', {});
    const client = await follow('?types=run.*');
    const most = 1200;
    const made: string[] = [];
    for (let done = 0; done < most; done += 50)
      made.push(...(await Promise.all(Array.from({ length: 50 }, () => run()))));
    await client.count(most);
    expect(new Set(runsOf(client))).to.deep.equal(new Set(made));
    const found = new Set<string>();
    const reader = (slow.body ?? expect.fail()).getReader();
    let text = '';
    while (found.size < most) {
      const { value } = await reader.read();
      text += new TextDecoder().decode(value);
      for (const [, id = ''] of text.matchAll(/"run_id":"(run_\w{26})"/g)) found.add(id);
      text = text.slice(-1000);
    }
    await reader.cancel();
    expect(found).to.deep.equal(new Set(made));
  });

  it('ends when the server begins to shut down', async () => {
    const response = await get('', {});
    await until(
      async () => 1,
      () => true,
    );
    const { home } = platform;
    const begun = performance.now();
    await platform.stop({ keep: true });
    expect(performance.now() - begun, 'no stream holds the drain').to.be.lessThan(20_000);
    await response.text();
    platform = await start(home);
  });
});
