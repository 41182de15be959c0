import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../../helpers/platform.ts';

const secrets = ['hunter2-env', 'hunter2-file', '7f'.repeat(32)];
const mail = (host: string) => ({
  adapter: 'email/smtp',
  config: { host, port: 587, auth: { user: 'ada', password: { $env: 'MAIL_PASSWORD' } }, ca: { $file: 'ca.txt' } },
});
const settings = (host: string) => ({
  drain_ms: 1000,
  providers: { outbox: { adapter: 'email/outbox' }, mail: mail(host), echo: { adapter: 'echo/local' } },
  bindings: { 'notify.email@1.0.0': ['outbox', 'mail'] },
  plugins: { approvals: { config: { open_per_group: 3 } }, alerts: false },
});

interface Setting {
  readonly value?: string;
  readonly source: string;
  readonly from?: string;
  readonly hidden?: true;
}

describe('GET /config', function () {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      platform: settings('one.example.com'),
      data: { '../ca.txt': ['hunter2-file'] },
      env: { MAIL_PASSWORD: 'hunter2-env', ORB_MASTER_KEY: '7f'.repeat(32), ORB_PUBLIC_URL: 'https://orb.example.com' },
    });
  });
  after(() => platform.stop());

  const answer = async (key?: string) => platform.call('GET', '/config', undefined, key);
  const setting = async (part: string, name: string): Promise<Setting> => {
    const { settings: all } = (await answer()).body;
    const found = all.filter((one: { part: string; name: string }) => one.part === part && one.name === name);
    expect(found, `${part}/${name}`).to.have.length(1);
    const { part: _, name: __, description: ___, ...rest } = found[0];
    return rest;
  };

  for (const [part, name, expected] of [
    ['server', 'drain_ms', { source: 'file', value: '1000' }],
    ['server', 'swap_drain_ms', { source: 'default', value: '30000' }],
    ['server', 'connections', { source: 'default' }],
    ['server', 'public_url', { source: 'environment', from: 'ORB_PUBLIC_URL', value: '"https://orb.example.com"' }],
    ['server', 'log_level', { source: 'environment', from: 'ORB_LOG_LEVEL', value: '"error"' }],
    ['environment', 'ORB_MASTER_KEY', { source: 'environment', from: 'ORB_MASTER_KEY', hidden: true }],
    ['environment', 'ORB_POLICY_COMPILER', { source: 'default' }],
    ['plugins.approvals', 'open_per_group', { source: 'file', value: '3' }],
    ['plugins.schedules', 'most_per_tenant', { source: 'default', value: '1000' }],
    ['plugins.alerts', 'enabled', { source: 'file', value: 'false' }],
    ['providers.mail', 'adapter', { source: 'file', value: '"email/smtp"' }],
    ['providers.mail', 'host', { source: 'file', value: '"one.example.com"' }],
    ['providers.mail', 'ca', { source: 'secret_file', from: 'ca.txt', hidden: true }],
    ['providers.mail', 'max_connections', { source: 'default', value: '5' }],
    ['bindings', 'notify.email@1.0.0', { source: 'file', value: '["outbox","mail"]' }],
    ['bindings', 'demo.echo@1.0.0', { source: 'default', value: '["echo"]' }],
  ] as const)
    it(`says where ${part}/${name} comes from: ${expected.source}`, async () => {
      expect(await setting(part, name)).to.deep.equal(expected);
    });

  it('shows a reference inside of a value as it is written', async () => {
    const { value = '' } = await setting('providers.mail', 'auth');
    expect(JSON.parse(value)).to.deep.equal({ user: 'ada', password: { $env: 'MAIL_PASSWORD' } });
  });

  it('says what the API changed: a provider that was put, and the order after a swap', async () => {
    const put = await platform.call('PUT', '/providers/spare', { adapter: 'echo/local' });
    expect(put.status, JSON.stringify(put.body)).to.equal(201);
    expect(await setting('providers.spare', 'adapter')).to.deep.equal({ source: 'store', value: '"echo/local"' });
    const swap = await platform.call('POST', '/providers/notify.email@1.0.0/swap', { provider: 'outbox' });
    expect(swap.status, JSON.stringify(swap.body)).to.equal(200);
    expect(await setting('bindings', 'notify.email@1.0.0')).to.include({ source: 'store' });
  });

  it('shows what is in use: a file that was edited counts once it is reloaded', async () => {
    const file = join(platform.home, 'data/platform.json');
    const next = { ...settings('three.example.com'), drain_ms: 2000 };
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...next }));
    expect(await setting('providers.mail', 'host')).to.include({ value: '"one.example.com"' });
    expect((await platform.call('POST', '/config/reload')).status).to.equal(200);
    expect(await setting('providers.mail', 'host')).to.include({ value: '"three.example.com"' });
    // It needs a restart.
    expect(await setting('server', 'drain_ms')).to.include({ value: '1000' });
  });

  it('holds no secret, of whatever source', async () => {
    const { status, body } = await answer();
    expect(status).to.equal(200);
    const text = JSON.stringify(body);
    for (const secret of secrets) expect(text).not.to.include(secret);
    expect(body).to.include({ file: 'platform.json' }).and.to.have.property('node');
  });

  it('needs its scope', async () => {
    const key = await platform.key({ name: 'reader', scopes: ['config:read'] });
    const other = await platform.key({ name: 'reloader', scopes: ['config:reload'] });
    expect((await answer(key)).status).to.equal(200);
    expect((await answer(other)).body).to.include({ code: 'insufficient_scope' });
  });
});
