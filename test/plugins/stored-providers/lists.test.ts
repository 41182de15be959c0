import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRecorder } from '../../helpers/recorder.ts';
import { builtin } from '../../helpers/shipped.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

/** An adapter of the operator's own. */
const acme = `export default (api) => api.defineProvider({
  name: 'acme', capability: api.defineCapability({ name: 'echo', title: 'Echo' }),
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: async () => ({ execute: async (inputs) => inputs }),
});`;

interface Listed {
  readonly name: string;
  readonly about?: string;
  readonly refused?: string;
  readonly config: object;
}

describe('the lists of adapters and of providers', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'acme-'));
  const from = join(folder, 'acme.ts');
  const recorder = createRecorder();
  const private_hosts = [{ host: '127.0.0.1', port: 2525 }, { host: 'localhost' }];
  const plugins = { 'stored-providers': { config: { private_hosts } } };
  const own = { adapters: { 'echo/acme': { from } }, plugins };
  let platform: TestPlatform;
  before(async () => {
    writeFileSync(from, acme);
    const providers = { outbox: { adapter: 'email/outbox' }, mine: { adapter: 'echo/acme' } };
    platform = await startPlatform({ adapters: [recorder.adapter], platform: { ...own, providers } });
  });
  after(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true });
  });
  const get = async (path: string) => {
    const { status, body } = await platform.call('GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const metrics = async (): Promise<string> => String((await platform.call('GET', '/metrics')).body);

  it('say of each adapter what it does, its settings, and why only the file may have it', async () => {
    const { adapters, limits, private_hosts: allowed } = await get('/adapters');
    const byName = new Map<string, Listed>(adapters.map((one: Listed) => [one.name, one]));
    for (const { name, config } of builtin.adapters) {
      expect(byName.get(name)?.about, name).to.match(/^[A-Z].*\.$/);
      expect(byName.get(name)?.config).to.deep.equal(config);
    }
    const refused = adapters.filter((one: Listed) => one.refused !== undefined);
    expect(refused.map(({ name }: Listed) => name)).to.deep.equal(['echo/acme', 'mcp/stdio']);
    for (const { name, refused: why } of refused) expect(why).to.include(`${name} can only be used in platform.json`);
    expect(limits.properties).to.have.all.keys('rate', 'concurrency', 'queue');
    expect(allowed).to.deep.equal(private_hosts);
  });

  it('name each provider, where it is defined and what it serves, also one that no Orb uses', async () => {
    for (const [name, adapter, config] of [
      ['relay', 'email/outbox', {}],
      ['shelved', 'record/local', { name: 'shelved' }],
    ] as const)
      expect((await platform.call('PUT', `/providers/${name}`, { adapter, config })).status).to.equal(201);
    const { providers } = await get('/providers/-/configured');
    const shown = providers.map((one: Record<string, unknown>) => [one['name'], one['origin'], one['active_for']]);
    expect(shown).to.deep.equal([
      ['mine', 'file', ['demo.echo@1.0.0']],
      ['outbox', 'file', ['notify.email@1.0.0']],
      ['relay', 'store', []],
      ['shelved', 'store', []],
    ]);
    expect(await metrics()).to.include('orb_stored_providers{state="standby"} 2');
    expect((await platform.call('POST', '/providers/notify.email@1.0.0/swap', { provider: 'relay' })).status).to.equal(
      200,
    );
    expect(await metrics()).to.include('orb_stored_providers{state="active"} 1');
    expect(await metrics()).to.include('orb_stored_provider_failures_total 0');
  });

  it('say which cannot be loaded and why, and which the file hides', async () => {
    const { home } = platform;
    await platform.stop({ keep: true });
    const providers = { outbox: { adapter: 'email/outbox' }, relay: { adapter: 'email/outbox' } };
    platform = await startPlatform({ home, platform: { ...own, providers } });
    const found = (await get('/providers/-/configured')).providers;
    const [, relay, shelved] = found;
    expect(relay).to.include({ name: 'relay', origin: 'file', also_stored: true });
    expect(shelved).to.include({ name: 'shelved', origin: 'store', fault: 'there is no adapter record/local' });
    const text = await metrics();
    for (const [state, count] of Object.entries({ active: 0, standby: 0, in_file: 1, failed: 1 }))
      expect(text).to.include(`orb_stored_providers{state="${state}"} ${count}`);
    expect(text).to.match(/^orb_stored_provider_failures_total [1-9]/m);
    expect((await get('/providers/shelved')).secrets).to.equal(undefined);
    expect((await platform.call('DELETE', '/providers/shelved')).status).to.equal(204);
  });
});
