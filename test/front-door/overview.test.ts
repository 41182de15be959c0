import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../helpers/platform.ts';
import { until } from '../helpers/until.ts';
import { shutAdapter, waywardAdapter, waywardOrb } from '../helpers/wayward.ts';

interface Concern {
  readonly name: string;
  readonly count: number;
  readonly more?: true;
  readonly link: string;
  readonly newest: readonly { readonly id: string; readonly title: string; readonly link?: string }[];
}

const orb = 'test.irreversible@1.0.0';
const dayMs = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();

describe('GET /overview', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      adapters: [waywardAdapter, shutAdapter],
      platform: {
        providers: {
          odd: { adapter: 'wayward/local' },
          shut: { adapter: shutAdapter.name },
          echo: { adapter: 'echo/local' },
        },
        bindings: { [orb]: ['odd', 'shut'] },
      },
      data: {
        [`orbs/${orb}.json`]: waywardOrb('irreversible'),
        'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] },
      },
    });
  });
  after(() => platform.stop());

  const overview = async (key?: string): Promise<readonly Concern[]> => {
    const { status, body } = await platform.call('GET', '/overview', undefined, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.concerns;
  };
  const one = async (name: string, key?: string): Promise<Concern> =>
    (await overview(key)).find((concern) => concern.name === name) ?? expect.fail(`no concern ${name}`);
  const run = (orbiset: string, key?: string): Promise<Answer> => {
    const body = { orb_id: orb, inputs: { behaviour: 'is unknown', echo: 'x' } };
    return platform.call('POST', `/orbisets/${orbiset}/execute`, body, key);
  };

  it('names every concern, with the route that lists it', async () => {
    const found = await overview();
    expect(found.map(({ name }) => name)).to.have.members([
      ...['undecided_runs', 'providers_down', 'open_incidents', 'dead_letters', 'faulty_policy', 'expiring_keys'],
      'failing_receipts',
      ...['open_approvals', 'failed_approval_notices', 'faulty_prices'],
    ]);
    for (const { name, link } of found) expect((await platform.call('GET', link)).status, name).to.equal(200);
  });

  it('counts the undecided runs, of the own tenant alone unless the key holds *', async () => {
    const acme = await platform.key({ scopes: ['orbs:execute', 'runs:read'], tenant: 'acme' });
    for (let count = 0; count < 3; count++) expect((await run('default')).status).to.equal(504);
    const theirs = (await run('acme', acme)).body.run_id;
    const all = await one('undecided_runs');
    expect([all.count, all.newest.length, all.newest[0]?.id]).to.deep.equal([4, 4, theirs]);
    const own = await one('undecided_runs', acme);
    expect(own).to.deep.include({ count: 1 });
    expect(own.newest[0]).to.include({ id: theirs, title: orb, link: `/runs/${theirs}` });
  });

  it('counts the providers that are down', async () => {
    const { newest } = await until(
      () => one('providers_down'),
      ({ count }) => count > 0,
    );
    expect(newest.find(({ id }) => id === 'shut')).to.include({ title: `shut (${shutAdapter.name})` });
  });

  it('counts open incidents, by the titles that they were given', async () => {
    const opened = await platform.call('POST', '/incidents', {
      ...{ title: 'Slow', severity: 'high', scope: [{ kind: 'component', id: 'runtime' }] },
    });
    expect(opened.status, JSON.stringify(opened.body)).to.be.lessThan(300);
    const { newest } = await one('open_incidents');
    expect(newest.find(({ id }) => id === opened.body.incident_id)).to.include({ title: 'Slow' });
  });

  it('names policies that are not in force', async () => {
    expect((await one('faulty_policy')).count).to.equal(0);
    const folder = join(platform.home, 'policies');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'broken.rego'), 'package');
    const { newest } = await until(
      () => one('faulty_policy'),
      ({ count }) => count === 1,
    );
    expect(newest[0]?.title).to.include('/policies/-/status');
  });

  it('lists keys that expire within two weeks, the next first; neither revoked nor expired ones', async () => {
    const make = async (name: string, days: number, tenant = 'default'): Promise<string> =>
      (await platform.call('POST', '/keys', { name, tenant, scopes: ['keys:manage'], expires_at: inDays(days) })).body
        .key_id;
    await make('later', 13);
    await make('next', 2);
    await make('far', 20);
    const revoked = await make('revoked', 1);
    await platform.call('DELETE', `/keys/${revoked}`);
    await make('theirs', 3, 'acme');
    const titles = async (key?: string): Promise<readonly string[]> =>
      (await one('expiring_keys', key)).newest.map(({ title }) => title);
    expect(await titles()).to.deep.equal(['next', 'theirs', 'later']);
    expect(await titles(await platform.key({ scopes: ['keys:manage'], tenant: 'acme' }))).to.deep.equal(['theirs']);
  });

  it('shows each concern to keys of its scope alone; none to a key without', async () => {
    const names = async (scopes: readonly string[]): Promise<readonly string[]> =>
      (await overview(await platform.key({ scopes }))).map(({ name }) => name);
    expect(await names(['orbs:execute'])).to.deep.equal([]);
    expect(await names(['runs:read'])).to.deep.equal(['undecided_runs']);
    expect(await names(['providers:read', 'keys:manage'])).to.have.members([
      ...['providers_down', 'faulty_prices', 'expiring_keys'],
    ]);
    expect(await names(['incidents:read'])).to.deep.equal(['open_incidents']);
    expect(await names(['sources:manage'])).to.deep.equal(['dead_letters']);
    expect(await names(['policies:read'])).to.deep.equal(['faulty_policy']);
    expect((await platform.call('GET', '/overview', undefined, null)).status).to.equal(401);
  });
});

describe('GET /providers', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => (platform = await startPlatform()));
  after(() => platform.stop());

  it('has a row for each Orb, as its own status says it, in pages', async () => {
    const { orbs } = (await platform.call('GET', '/orbs')).body;
    const rows = [];
    for (let cursor = ''; ;) {
      const { body } = await platform.call('GET', `/providers?limit=2${cursor}`);
      rows.push(...body.orbs);
      if (body.next_cursor === undefined) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(rows.map(({ orb_id }) => orb_id)).to.deep.equal(orbs.map(({ orb_id }: { orb_id: string }) => orb_id).sort());
    for (const row of rows) {
      const { oldest_ms: _, ...status } = (await platform.call('GET', `/providers/${row.orb_id}/status`)).body;
      expect(row).to.deep.include(status);
    }
  });

  it('finds the Orbs of one provider', async () => {
    const { orbs } = (await platform.call('GET', '/providers')).body;
    const provider = orbs[0].providers[0].name;
    const found = (await platform.call('GET', `/providers?provider=${provider}`)).body.orbs;
    expect(found).to.have.length.above(0);
    for (const { providers } of found) expect(providers.map(({ name }: { name: string }) => name)).to.include(provider);
    expect((await platform.call('GET', '/providers?provider=nobody')).body.orbs).to.deep.equal([]);
  });

  it('needs the scope providers:read', async () => {
    const key = await platform.key({ scopes: ['runs:read'] });
    expect((await platform.call('GET', '/providers', undefined, key)).body.code).to.equal('insufficient_scope');
  });
});

describe('GET /keys/self', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => (platform = await startPlatform()));
  after(() => platform.stop());

  it('is the key that asks, whatever its scopes, without its secret', async () => {
    const order = { name: 'mine', scopes: ['orbs:read'], mode: 'test', expires_at: inDays(1) };
    const { key, ...made } = (await platform.call('POST', '/keys', order)).body;
    const { status, body } = await platform.call('GET', '/keys/self', undefined, key);
    expect(status).to.equal(200);
    const { last_used_at: _, ...self } = body;
    expect(self).to.deep.equal(made);
    expect(JSON.stringify(body)).not.to.include(key);
    expect((await platform.call('GET', '/keys/self', undefined, null)).status).to.equal(401);
  });
});
