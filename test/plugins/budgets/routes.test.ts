import { expect } from 'chai';
import { definePlugin, type Operation, type Store } from '../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { clockAt } from '../schedules/started.ts';
import { reserved, reservedOfKey, used, type UsageRow } from './tables/writes.ts';

const clock = clockAt('2026-11-28T12:00:00Z');

/** A plugin that writes as metered runs do. */
function writing(): {
  readonly plugin: ReturnType<typeof definePlugin>;
  write(operations: Operation[]): Promise<unknown>;
} {
  let store: Store | undefined;
  return {
    plugin: definePlugin({ name: 'writing', start: (scope) => ((store = scope.store), {}) }),
    write: async (operations) => store?.write(operations),
  };
}

describe('the routes of budgets and usage', () => {
  let platform: TestPlatform;
  let reader: string;
  const writer = writing();
  before(async () => {
    platform = await startPlatform({ clock, plugins: [writer.plugin] });
    reader = await platform.key({ name: 'r', tenant: 'acme', scopes: ['usage:read'] });
    await writer.write([reserved('acme', 30, clock.now()), reserved('other', 40, clock.now())]);
    await writer.write([
      ...[used({}), used({}), used({ model: 'slow', cost_nanos: 0, unpriced_calls: 1 })],
      ...[used({ day: '2026-11-27' }), used({ tenant: 'other', model: 'theirs' }), used({ day: '2026-10-01' })],
    ]);
  });
  after(() => platform?.stop());

  const get = async (path: string, key?: string) => platform.call('GET', path, undefined, key);

  it('list the present windows of the tenant, the longest first', async () => {
    const { body, status } = await get('/budgets', reader);
    expect(status).to.equal(200);
    expect(body.budgets).to.deep.equal([
      {
        ...{ scope: 'tenant', subject: 'acme', per: 'month', unit: 'nanos', limit: 1_000_000_000 },
        ...{ spent: 0, assumed: 0, reserved: 30 },
        ...{ starts_at: '2026-11-01T00:00:00.000Z', resets_at: '2026-12-01T00:00:00.000Z' },
      },
      {
        ...{ scope: 'tenant', subject: 'acme', per: 'day', unit: 'tokens', limit: 100 },
        ...{ spent: 0, assumed: 0, reserved: 30 },
        ...{ starts_at: '2026-11-28T00:00:00.000Z', resets_at: '2026-11-29T00:00:00.000Z' },
      },
    ]);
  });

  it('list the windows of all tenants, and those of none, for a key with all scopes, page by page', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await get(`/budgets?limit=2${cursor}`);
      for (const { per, subject } of body.budgets as { per: string; subject: string }[]) seen.push(`${per} ${subject}`);
      cursor = body.next_cursor === undefined ? '' : `&cursor=${String(body.next_cursor)}`;
    } while (cursor !== '');
    expect(seen).to.deep.equal(['month other', 'month acme', 'day other', 'day acme', 'minute fast']);
    const { body } = await get('/budgets?scope=model&subject=fast');
    expect(body.budgets.map(({ reserved: held }: { reserved: number }) => held)).to.deep.equal([70]);
  });

  const sums = async (query: string, key = reader) => {
    const { body } = await get(`/usage?${query}`, key);
    return (body.usage as UsageRow[]).map(({ calls, input_tokens, cost_nanos, unpriced_calls, ...rest }) => {
      const names = ['day', 'tenant', 'key_id', 'model'].flatMap((name) => rest[name as 'day'] ?? []);
      return [...names, calls, input_tokens, cost_nanos, unpriced_calls].join(' ');
    });
  };

  it('sum usage by model, key and day', async () => {
    expect(await sums('')).to.deep.equal(['fast 3 30 720 0', 'slow 1 10 0 1']);
    expect(await sums('by=key_id')).to.deep.equal(['key_1 4 40 720 1']);
    expect(await sums('by=day')).to.deep.equal(['2026-11-27 1 10 240 0', '2026-11-28 3 30 480 1']);
    expect(await sums('by=day,model&from=2026-10-01&to=2026-11-27')).to.deep.equal([
      ...['2026-10-01 fast 1 10 240 0', '2026-11-27 fast 1 10 240 0'],
    ]);
    expect(await sums('by=model&model=slow')).to.deep.equal(['slow 1 10 0 1']);
    expect(await sums('by=model&key_id=key_2')).to.deep.equal([]);
  });

  it('sum the usage of all tenants for a key with all scopes', async () => {
    expect(await sums('by=tenant', platform.adminKey)).to.deep.equal(['acme 4 40 720 1', 'other 1 10 240 0']);
    expect(await sums('by=tenant')).to.deep.equal(['acme 4 40 720 1']);
  });

  it('name keys, in the usage and of budgets', async () => {
    const { body } = await platform.call('POST', '/keys', { name: 'the shop', scopes: ['runs:read'] });
    const { key_id } = body as { key_id: string };
    await writer.write([used({ key_id, tenant: 'named' }), reservedOfKey(key_id, clock.now())]);
    const [sum] = (await get(`/usage?by=key_id&key_id=${key_id}`)).body.usage as object[];
    expect(sum).to.include({ key_id, key_name: 'the shop', calls: 1 });
    const [budget] = (await get('/budgets?scope=key')).body.budgets as object[];
    expect(budget).to.include({ subject: key_id, name: 'the shop' });
    const [other] = (await get('/usage?by=key_id', reader)).body.usage as object[];
    expect(other).to.include({ key_id: 'key_1' }).and.not.to.have.property('key_name');
  });

  it('page through usage', async () => {
    const first = await get('/usage?by=day,model&limit=2', reader);
    expect(first.body.usage).to.have.length(2);
    const second = await get(`/usage?by=day,model&limit=2&cursor=${String(first.body.next_cursor)}`, reader);
    expect(second.body.usage).to.have.length(1);
    expect(second.body).to.not.have.property('next_cursor');
    expect([second.body.from, second.body.to]).to.deep.equal(['2026-10-29', '2026-11-28']);
  });

  for (const [title, path] of [
    ['an unknown name', '/usage?by=weather'],
    ['days in the wrong order', '/usage?from=2026-11-28&to=2026-11-27'],
    ['another cursor', '/usage?cursor=AA'],
    ['a cursor of another list', '/budgets?cursor=YWJj'],
    ['an unknown scope', '/budgets?scope=team'],
  ] as const)
    it(`refuse ${title}`, async () => {
      const { body, status } = await get(path, reader);
      expect([status, body.code]).to.deep.equal([400, 'invalid_parameter']);
    });

  it('need the scope usage:read', async () => {
    const other = await platform.key({ name: 'o', tenant: 'acme', scopes: ['orbs:execute'] });
    for (const path of ['/usage', '/budgets']) expect((await get(path, other)).status).to.equal(403);
  });
});
