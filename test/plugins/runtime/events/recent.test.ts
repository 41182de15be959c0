import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

const orb = 'demo.echo@1.0.0';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('GET /events/recent', function () {
  let platform: TestPlatform;
  const keys: Record<'agent' | 'other' | 'blind', string> = { agent: '', other: '', blind: '' };
  const runs: string[] = [];
  const execute = async (key?: string): Promise<string> => {
    const body = { orb_id: orb, inputs: { text: 'x' } };
    return String((await platform.call('POST', '/orbisets/default/execute', body, key)).body.run_id);
  };
  const recent = async (query: string, key?: string): Promise<readonly Event[]> => {
    const { body, status } = await platform.call('GET', `/events/recent?${query}`, undefined, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.events;
  };
  const runsOf = (events: readonly Event[]) => events.flatMap(({ data }) => data['run_id'] ?? []);
  before(async () => {
    platform = await startPlatform({ platform: { providers: { echo: { adapter: 'echo/local' } } } });
    const keyOf = async (...scopes: string[]) => (await platform.call('POST', '/keys', { scopes })).body.key;
    Object.assign(keys, {
      agent: await keyOf('orbs:execute'),
      other: await keyOf('orbs:execute'),
      blind: await keyOf('config:read'),
    });
    for (const key of [keys.agent, keys.other, undefined, keys.agent]) runs.push(await execute(key));
  });
  after(() => platform.stop());

  it('lists what happened, of the log and of the table, newest first, as the stream shows it', async () => {
    const events = await recent('limit=200');
    expect(events.map(({ type }) => type)).to.include.members(['run.completed', 'key.created']);
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).to.deep.equal([...times].sort().reverse());
    expect(new Set(events.map(({ id }) => id)).size).to.equal(events.length);
    const [last] = events.filter(({ type }) => type === 'run.completed');
    expect(last?.data).to.deep.include({ run_id: runs.at(-1), orb_id: orb, status: 'completed' });
    expect(last?.id).to.equal(last?.data['receipt_id']);
  });

  it('is limited, and filtered by types', async () => {
    expect(runsOf(await recent('limit=2&types=run.completed'))).to.deep.equal([runs[3], runs[2]]);
    for (const { type } of await recent('types=key.*')) expect(type).to.match(/^key\./);
    expect((await platform.call('GET', '/events/recent?limit=201')).body.code).to.equal('invalid_parameter');
  });

  it('has what the key may read, and no more: a caller finds its own runs among those of others', async () => {
    expect(runsOf(await recent('', keys.agent))).to.deep.equal([runs[3], runs[0]]);
    expect(runsOf(await recent('limit=1', keys.other))).to.deep.equal([runs[1]]);
    const { body, status } = await platform.call('GET', '/events/recent', undefined, keys.blind);
    expect([status, body.code]).to.deep.equal([403, 'insufficient_scope']);
  });
});
