import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { builtin } from '../../helpers/shipped.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';

const smtp = { host: '127.0.0.1', port: 2525, starttls: 'never' };
const hidden = 'never-shown-77';

const settingsOf = ({ config }: Pick<(typeof builtin.adapters)[number], 'config'>): readonly string[] =>
  Object.keys(config['properties'] as object);

/** An adapter of the operator's own. */
const acme = `export default (api) => api.defineProvider({
  name: 'acme', capability: api.defineCapability({ name: 'echo', title: 'Echo' }),
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: async () => ({ execute: async (inputs) => inputs }),
});`;

/** Providers that the store refuses, with the pointer of the fault. */
const rows: readonly (readonly [what: string, adapter: string, config: object, pointer: string])[] = [
  ['an adapter that starts a program', 'mcp/stdio', { command: 'sh' }, '#/adapter'],
  ['an adapter that platform.json names', 'echo/acme', {}, '#/adapter'],
  ['an adapter that is not there', 'email/smpt', {}, '#/adapter'],
  ['a path as adapter', './ext/acme.ts', {}, '#/adapter'],
  ['a variable', 'email/postmark', { token: { $env: 'HOME' } }, '#/config/token/$env'],
  ['a file', 'email/postmark', { token: { $file: '/etc/passwd' } }, '#/config/token/$file'],
  ['a file among other members', 'email/smtp', { ...smtp, ca: { $file: 'x', more: 1 } }, '#/config/ca/$file'],
  [
    'a variable within a list',
    'http/client',
    { allow: [{ host: 'example.org', headers: { authorization: { $env: 'HOME' } } }] },
    '#/config/allow/0/headers/authorization/$env',
  ],
  ['a file in place of the settings', 'email/smtp', { $file: '/etc/passwd' }, '#/config/$file'],
  ['a folder of the server', 'email/outbox', { directory: '/etc' }, '#/config/directory'],
  ['a folder above', 'email/outbox', { directory: 'outbox/../..' }, '#/config/directory'],
  ['a folder of the state', 'push/outbox', { directory: 'keys' }, '#/config/directory'],
  ['loopback', 'email/smtp', smtp, '#/config/host'],
  ['loopback by name', 'email/smtp', { ...smtp, host: 'LOCALHOST' }, '#/config/host'],
  ['loopback, IPv6', 'email/smtp', { ...smtp, host: '::1' }, '#/config/host'],
  ['a private network', 'email/smtp', { ...smtp, host: '10.1.2.3' }, '#/config/host'],
  [
    'the metadata service',
    'http/client',
    { allow: [{ host: '169.254.169.254', private: true }] },
    '#/config/allow/0/host',
  ],
  [
    'a name that may be private',
    'http/client',
    { allow: [{ host: 'example.org', private: true }] },
    '#/config/allow/0/host',
  ],
  ['a vendor on loopback', 'push/ntfy', { base_url: 'http://127.0.0.1:1' }, '#/config/base_url'],
  ['a private MCP server', 'mcp/http', { url: 'https://192.168.0.1/mcp', private: true }, '#/config/url'],
  ['a private model server', 'llm/openai-compatible', { base_url: 'http://10.0.0.1:8000/v1' }, '#/config/base_url'],
  ['an unknown member', 'email/outbox', { colour: hidden }, '#/config/colour'],
  ['a missing member', 'email/smtp', {}, '#/config/host'],
  ['too much', 'llm/canned', { answers: [{ content: 'x'.repeat(70_000) }] }, '#/config'],
];

describe('a provider that the store refuses', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const folder = mkdtempSync(join(tmpdir(), 'acme-'));
  before(async () => {
    const from = join(folder, 'acme.ts');
    writeFileSync(from, acme);
    platform = await startPlatform({ platform: { adapters: { 'echo/acme': { from } } } });
  });
  after(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true });
  });

  for (const [what, adapter, config, pointer] of rows)
    it(`has ${what}`, async () => {
      const { status, body } = await platform.call('PUT', '/providers/bad', { adapter, config });
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([422, 'invalid_provider']);
      expect(body.errors.map((error: { pointer: string }) => error.pointer)).to.include(pointer);
      expect(JSON.stringify(body)).to.not.include(hidden);
      expect((await platform.call('GET', '/providers/bad')).status).to.equal(404);
    });

  it('has a name, a member or a limit that the schema refuses', async () => {
    for (const [name, body] of [
      ['UPPER', { adapter: 'email/outbox' }],
      ['good', { adapter: 'email/outbox', from: './ext/acme.ts' }],
      ['good', { adapter: 'email/outbox', limits: {} }],
      ['good', {}],
    ] as const) {
      const { status } = await platform.call('PUT', `/providers/${name}`, body);
      expect(status, JSON.stringify([name, body])).to.be.oneOf([400, 422]);
    }
  });

  it('has no other setting that names a file, a folder or a program: each was looked at', () => {
    const named = builtin.adapters.flatMap((adapter) =>
      settingsOf(adapter)
        .filter((setting) => /dir|file|path|cwd|folder|command|program|exec/.test(setting))
        .map((setting) => (setting === 'directory' ? setting : `${adapter.name} ${setting}`)),
    );
    // The path of Kannel is one of a URL.
    const known = ['directory', 'mcp/stdio command', 'mcp/stdio cwd', 'sms/kannel path'];
    expect([...new Set(named)].sort()).to.deep.equal(known);
  });

  it('has any adapter that takes a command', async () => {
    const commanding = builtin.adapters.filter((adapter) => settingsOf(adapter).includes('command'));
    expect(commanding.map(({ name }) => name)).to.deep.equal(['mcp/stdio']);
    for (const { name } of commanding) {
      const { body } = await platform.call('PUT', '/providers/bad', { adapter: name, config: { command: 'sh' } });
      expect(body.errors[0].detail, name).to.include('can only be used in platform.json');
    }
  });
});

describe('a stored provider whose private host is not allowed any more', function () {
  this.timeout(60_000);
  let receiver: SmtpReceiver;
  let vendor: VendorServer;
  let platform: TestPlatform;
  before(async () => {
    receiver = await startSmtp();
    vendor = await startVendor(() => ({ status: 200, body: '{}' }));
    const { port } = new URL(vendor.url);
    const private_hosts = [
      { host: '127.0.0.1', port: receiver.port },
      { host: '127.0.0.1', port: Number(port) },
      { host: 'localhost' },
    ];
    platform = await startPlatform({ platform: { plugins: { 'stored-providers': { config: { private_hosts } } } } });
    for (const [name, adapter, config] of [
      ['by-address', 'email/smtp', { ...smtp, port: receiver.port }],
      ['by-name', 'email/smtp', { ...smtp, host: 'localhost', port: receiver.port }],
      ['vendor', 'push/ntfy', { base_url: vendor.url }],
    ] as const) {
      const { status, body } = await platform.call('PUT', `/providers/${name}`, { adapter, config });
      expect(status, JSON.stringify(body)).to.equal(201);
    }
  });
  after(async () => {
    await platform?.stop();
    await receiver?.close();
    await vendor?.close();
  });

  it('is not called: each connection is checked', async () => {
    const { home } = platform;
    await platform.stop({ keep: true });
    const [mails, calls] = [receiver.accepted, vendor.accepted];
    platform = await startPlatform({ home, platform: {} });
    const { body } = await platform.call('GET', '/providers?limit=100');
    const found = body.orbs.flatMap(({ providers }: { providers: Record<string, string>[] }) => providers);
    for (const name of ['by-address', 'by-name'])
      expect(JSON.stringify(found.filter((row: Record<string, string>) => row['name'] === name)))
        .to.include('"health":"down"')
        .and.include('private_hosts');
    const push = { orb_id: 'notify.push@1.0.0', inputs: { to: { topic: 'x' }, title: 'y', body: 'y' } };
    const run = await platform.call('POST', '/orbisets/default/execute', push);
    expect(run.status, JSON.stringify(run.body)).to.be.oneOf([502, 503]);
    expect([receiver.accepted, vendor.accepted]).to.deep.equal([mails, calls]);
  });
});
