import { loadedCatalog } from '../../../plugins/runtime/manifests/files.ts';
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '../../helpers/shipped.ts';
import { readConfig } from '../../../kernel/config/config.ts';
import type { Environment } from '../../../kernel/config/state-dir.ts';
import { ConfigError } from '../../../kernel/error.ts';
import { load } from '../../../kernel/boot/loader.ts';

describe('the configuration', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-config-'));
    mkdirSync(join(home, 'data'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const write = (name: string, content: unknown): void => {
    const path = join(home, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  async function faultsOf(platform: unknown, env: Environment = {}): Promise<readonly string[]> {
    write('data/platform.json', platform);
    const faults: string[] = [];
    try {
      await load(readConfig({ ORB_HOME: home, ...env }, home, faults), builtin, faults);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  }
  const smtp = (config: object) => ({ providers: { mail: { adapter: 'email/smtp', config } } });

  it('is sound as shipped', async () => {
    const faults: string[] = [];
    const loaded = await load(readConfig({ ORB_HOME: home }, home, faults), builtin, faults);
    expect([...loadedCatalog(loaded).orbs.keys()]).to.include.members(['notify.email@1.0.0', 'demo.echo@1.0.0']);
  });

  it('tells one fault of a secret that is not set, whatever else its schema asks of it', async () => {
    const resend = { adapter: 'email/resend', config: { api_key: { $env: 'RESEND_KEY' } } };
    expect(await faultsOf({ providers: { resend } })).to.deep.equal([
      'providers.resend/api_key: the environment variable RESEND_KEY is not set',
    ]);
  });

  interface Row {
    readonly name: string;
    readonly platform: unknown;
    readonly env?: Environment;
    readonly fault: RegExp;
  }
  const rows: readonly Row[] = [
    { name: 'an unknown member', platform: { provider: {} }, fault: /^platform\.json\/provider: is not a known field/ },
    {
      name: 'a wrong type',
      platform: { insecure_http: 'yes' },
      fault: /^platform\.json\/insecure_http: must be true or false/,
    },
    {
      name: 'an unknown adapter',
      platform: { providers: { a: { adapter: 'email/pigeon' } } },
      fault: /^providers\.a\/adapter: there is no adapter email\/pigeon/,
    },
    {
      name: 'an unknown member of a provider',
      platform: smtp({ host: 'h', port: 25, colour: 'red' }),
      fault: /^providers\.mail\/colour: is not a known field/,
    },
    {
      name: 'a secret in the file',
      platform: smtp({ host: 'h', port: 25, auth: { user: 'u', password: 'p' } }),
      fault: /^providers\.mail\/auth\/password: is a secret/,
    },
    {
      name: 'a secret in the file, within a list',
      platform: {
        providers: {
          web: {
            adapter: 'http/client',
            config: { allow: [{ host: 'api.example.com', headers: { authorization: 'Bearer x' } }] },
          },
        },
      },
      fault: /^providers\.web\/allow\/0\/headers\/authorization: is a secret/,
    },
    {
      name: 'a variable that is not set',
      platform: smtp({ host: { $env: 'MAIL_HOST' }, port: 25 }),
      fault: /^providers\.mail\/host: the environment variable MAIL_HOST is not set/,
    },
    {
      name: 'a file that is not there',
      platform: smtp({ host: { $file: 'no.txt' }, port: 25 }),
      fault: /^providers\.mail\/host: cannot read the file no\.txt/,
    },
    {
      name: 'an unknown ORB_ variable',
      platform: {},
      env: { ORB_LISTNE: 'x' },
      fault: /^environment\/ORB_LISTNE: is not a known variable/,
    },
    {
      name: 'a wrong log level',
      platform: {},
      env: { ORB_LOG_LEVEL: 'loud' },
      fault: /^environment\/ORB_LOG_LEVEL: must be one of/,
    },
    ...['', 'Eins', '-a', 'a-', 'a b', 'a'.repeat(65)].map((ORB_NODE) => ({
      name: `the node name ${JSON.stringify(ORB_NODE)}`,
      platform: {},
      env: { ORB_NODE },
      fault: /^environment\/ORB_NODE: must be 1 to 64 of a-z/,
    })),
    {
      name: 'an unknown plugin',
      platform: { plugins: { nobody: {} } },
      fault: /^platform\.json\/plugins\/nobody: there is no such plugin/,
    },
    {
      name: 'an unknown plugin that is left out',
      platform: { plugins: { nobody: false } },
      fault: /^platform\.json\/plugins\/nobody: there is no such plugin/,
    },
    {
      name: 'no plugin for policies, and no other that decides',
      platform: { plugins: { policy: false } },
      fault: /^platform\.json\/authorize: there is no plugin policy/,
    },
    {
      name: 'an adapter that takes a shipped name',
      platform: { adapters: { 'email/smtp': { from: './x.ts' } } },
      fault: /^platform\.json\/adapters\/email\/smtp: a shipped adapter already has this name/,
    },
    {
      name: 'an adapter file that is not there',
      platform: { adapters: { 'email/acme': { from: './acme.ts' } } },
      fault: /^platform\.json\/adapters\/email\/acme\/from: there is no such file/,
    },
    {
      name: 'a deciding plugin that is not there',
      platform: { authorize: 'policy-x' },
      fault: /^platform\.json\/authorize: there is no plugin policy-x/,
    },
    {
      name: 'a binding of an unknown Orb',
      platform: { bindings: { 'a.b@1.0.0': ['x'] } },
      fault: /^platform\.json\/bindings\/a\.b@1\.0\.0: there is no such Orb/,
    },
    {
      name: 'a binding to an unknown provider',
      platform: { bindings: { 'demo.echo@1.0.0': ['x'] } },
      fault: /there is no provider x/,
    },
    {
      name: 'a binding to a provider of another capability',
      platform: { providers: { outbox: { adapter: 'email/outbox' } }, bindings: { 'demo.echo@1.0.0': ['outbox'] } },
      fault: /outbox offers email, the Orb needs echo/,
    },
    {
      name: 'a listener without a port',
      platform: { listen: [{ address: 'localhost' }] },
      fault: /^platform\.json\/listen\/0\/address: must be host:port/,
    },
  ];
  for (const { name, platform, env, fault } of rows) {
    it(`refuses ${name}, with its path`, async () => {
      expect(
        (await faultsOf(platform, env)).some((line) => fault.test(line)),
        String(await faultsOf(platform, env)),
      ).to.equal(true);
    });
  }

  it('refuses a secret file that is empty, as it refuses an empty variable', async () => {
    write('password', '\n');
    const config = { host: 'h', port: 25, auth: { user: 'u', password: { $file: 'password' } } };
    expect(await faultsOf(smtp(config))).to.include('providers.mail/auth/password: the file password is empty');
  });

  it('refuses what would keep it waiting or never end in the place of a secret file', async () => {
    execFileSync('mkfifo', [join(home, 'pipe')]);
    for (const name of ['pipe', '/dev/zero', '.']) {
      const config = { host: 'h', port: 25, auth: { user: 'u', password: { $file: name } } };
      expect((await faultsOf(smtp(config))).join('\n')).to.include(`auth/password: ${name} is not a regular file`);
    }
  });

  it('tells all faults of all parts at once', async () => {
    write('data/orbs/bad.orb@1.0.0.json', { manifest_version: 2 });
    const faults = await faultsOf(
      {
        colour: 'red',
        providers: { a: { adapter: 'x/y' }, b: { adapter: 'email/smtp', config: {} } },
        plugins: { ghost: {} },
      },
      { ORB_TYPO: '1' },
    );
    for (const part of [
      'platform.json/colour',
      'providers.a',
      'providers.b',
      'plugins/ghost',
      'environment/ORB_TYPO',
      'orbs/bad.orb@1.0.0.json',
    ])
      expect(
        faults.some((line) => line.includes(part)),
        `${part} in\n${faults.join('\n')}`,
      ).to.equal(true);
  });

  it('resolves {"$env"} and {"$file"}, and lets a referenced variable begin with ORB_', async () => {
    write('secret.txt', 'from the file\n');
    const config = {
      host: { $env: 'ORB_MAIL_HOST' },
      port: 25,
      auth: { user: 'u', password: { $file: 'secret.txt' } },
    };
    write('data/platform.json', smtp(config));
    const faults: string[] = [];
    const loaded = await load(
      readConfig({ ORB_HOME: home, ORB_MAIL_HOST: 'mail.example.com' }, home, faults),
      builtin,
      faults,
    );
    const mail = loaded.providers.get('mail');
    expect(mail?.config)
      .to.deep.include({ host: 'mail.example.com', port: 25 })
      .and.to.have.nested.property('auth.password', 'from the file');
  });

  it('the config digest holds secret references, never secrets', async () => {
    const digestOf = async (password: string): Promise<string | undefined> => {
      write(
        'data/platform.json',
        smtp({ host: 'h', port: 25, auth: { user: 'u', password: { $env: 'MAIL_PASSWORD' } } }),
      );
      const faults: string[] = [];
      const loaded = await load(readConfig({ ORB_HOME: home, MAIL_PASSWORD: password }, home, faults), builtin, faults);
      return loaded.providers.get('mail')?.config_digest;
    };
    expect(await digestOf('one'))
      .to.equal(await digestOf('two'))
      .and.to.match(/^sha256:[0-9a-f]{64}$/);
  });

  it('loads an external adapter and plugin by `from`', async () => {
    write(
      'ext/acme.ts',
      `export default (api) => api.defineProvider({ name: 'acme', capability: { name: 'email', title: 'E-mail' }, config: { type: 'object', additionalProperties: false, properties: {} }, open: () => ({ execute: async () => ({ message_id: 'x' }) }) });`,
    );
    write(
      'ext/watch.ts',
      `export default (api) => api.definePlugin({ name: 'watch', start: ({ hooks }) => { hooks.runSettled.tap('watch', () => undefined); return {}; } });`,
    );
    write('data/platform.json', {
      adapters: { 'email/acme': { from: './ext/acme.ts' } },
      plugins: { watch: { from: './ext/watch.ts' } },
      providers: { acme: { adapter: 'email/acme' } },
    });
    const faults: string[] = [];
    const loaded = await load(readConfig({ ORB_HOME: home }, home, faults), builtin, faults);
    expect(loaded.providers.get('acme')?.adapter.name).to.equal('email/acme');
    expect(loaded.plugins.map(({ plugin }) => plugin.name)).to.include('watch');
  });

  it('a plugin that cannot be loaded names itself and its path', async () => {
    write('ext/broken.ts', 'throw new Error("no such thing");');
    const faults = await faultsOf({ plugins: { broken: { from: './ext/broken.ts' } } });
    expect(faults.join('\n')).to.match(/plugins\/broken\/from: cannot load the file \(no such thing\)/);
  });

  it('an adapter or plugin whose file defines another name is refused, and not loaded', async () => {
    const definition = (of: string, more: string): string => `export default (api) => api.define${of}({ ${more} });`;
    const open = 'open: () => ({ execute: async () => ({}) })';
    const capability = `capability: { name: 'email', title: 'E-mail' }, config: { type: 'object' }`;
    write('ext/other.ts', definition('Provider', `name: 'other', ${capability}, ${open}`));
    write('ext/strange.ts', definition('Plugin', `name: 'strange', start: () => ({})`));
    const faults = await faultsOf({
      adapters: { 'email/acme': { from: './ext/other.ts' } },
      plugins: { watch: { from: './ext/strange.ts' } },
      providers: { acme: { adapter: 'email/acme' } },
      authorize: 'strange',
    });
    expect(faults.map((fault) => fault.replace(/; known: .*/, ''))).to.deep.equal([
      'platform.json/plugins/watch: the file defines another plugin, strange',
      'platform.json/adapters/email/acme: the file defines another adapter, email/other',
      'providers.acme/adapter: there is no adapter email/acme',
      'platform.json/authorize: there is no plugin strange',
    ]);
  });
});
