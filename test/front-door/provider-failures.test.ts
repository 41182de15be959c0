import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createClient } from '../../kernel/cli/command/client.ts';
import { failureLine } from '../../kernel/cli/failure.ts';
import { checkServer } from '../../plugins/operate/doctor/server.ts';
import { defineProvider, ProviderError } from '../../kernel/adapter.ts';
import type { CommandCall } from '../../kernel/index.ts';
import { providerCommands } from '../../plugins/runtime/swap/commands.ts';
import { email } from '../../providers/email/contract.ts';
import { runCommand } from '../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../helpers/smtp.ts';
import { until } from '../helpers/until.ts';

// Part of each setting that may hold any text.
const mark = 'hunter2';
const secret = `s-${mark}-0123456789`;
const orb = 'notify.email@1.0.0';
const toolOrb = 'tools.any@1.0.0';
const inputs = {
  to: 'ada@example.com',
  from_address: 'orb@example.com',
  subject: 'marked-subject',
  body: 'marked-body',
};

const settings = {
  type: 'object',
  additionalProperties: false,
  properties: { token: { type: 'string', maxLength: 100, secret: true }, fails: { type: 'string' } },
} as const;

// Adapters of authors who do not know the rules: their errors repeat the settings and the inputs.
const careless = defineProvider({
  name: 'careless',
  capability: email,
  config: settings,
  open: ({ config: { fails, token } }) => {
    if (fails === 'open') throw new Error(`no login with ${token}\u001b[2J`);
    return {
      execute: ({ subject }) =>
        Promise.reject(new ProviderError('provider_fault', `${token} was refused for ${String(subject)}`)),
      probe: () =>
        fails === 'probe'
          ? Promise.reject(new ProviderError('provider_fault', `the vendor says: ${token}\u001b[2J${'x'.repeat(5000)}`))
          : Promise.resolve(),
    };
  },
});

const toolManifest = {
  ...{ manifest_version: 1, orb_id: toolOrb, title: 'Any', description: 'A tool.', capability: 'mcp' },
  ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object', required: ['content'] }, timeout_ms: 5000 },
  ...{ effect: 'none', action_class: 'read' },
  upstream: { provider: 'tools', tool: 'any', definition_digest: `sha256:${'0'.repeat(64)}` },
};

interface Row {
  readonly name: string;
  readonly health: string;
  readonly probe_failure?: { readonly at: string; readonly reason: string };
  readonly call_failure?: { readonly at: string; readonly reason: string };
}

describe('why a provider is down', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let plain: SmtpReceiver;
  let tls: SmtpReceiver;
  let login: SmtpReceiver;
  let mute: SmtpReceiver;
  let closed: SmtpReceiver;
  let vendor: Server;
  const logged: string[] = [];
  const answered: string[] = [];

  before(async () => {
    // It answers with all that it was sent.
    vendor = createServer((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ name: 'bad', message: JSON.stringify(request.headers) }));
    });
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
    [plain, tls, login, mute, closed] = await Promise.all([
      startSmtp({ tls: 'none' }),
      startSmtp({ tls: 'implicit' }),
      startSmtp({ tls: 'none', auth: { user: 'orb', pass: 'right' } }),
      startSmtp({ misbehaviour: { connect: 'hang' } }),
      startSmtp({ tls: 'none' }),
    ]);
    await closed.close();
    const api = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const marked = { user: `user-${mark}`, password: { $env: 'SECRET' } };
    const smtp = (port: number, more: object = {}) => ({
      adapter: 'email/smtp',
      config: { host: '127.0.0.1', port, name: `${mark}.example.org`, auth: marked, ...more },
    });
    const token = { $env: 'SECRET' };
    platform = await startPlatform({
      adapters: [careless],
      platform: {
        providers: {
          plain: smtp(plain.port),
          refused: smtp(closed.port, { starttls: 'never' }),
          untrusted: smtp(tls.port, { secure: true }),
          login: smtp(login.port, { starttls: 'never' }),
          nologin: smtp(plain.port, { starttls: 'never' }),
          unknown: smtp(25, { host: 'mail.invalid', starttls: 'never' }),
          mute: smtp(mute.port, { starttls: 'never', connection_timeout_ms: 200 }),
          unreached: {
            adapter: 'email/resend',
            config: { api_key: token, base_url: `http://127.0.0.1:${closed.port}` },
          },
          untooled: { adapter: 'mcp/http', config: { url: `http://127.0.0.1:${closed.port}/${mark}`, private: true } },
          resend: { adapter: 'email/resend', config: { api_key: token, base_url: api } },
          mailgun: {
            adapter: 'email/mailgun',
            config: { api_key: token, domain: `${mark}.example.org`, base_url: api },
          },
          postmark: { adapter: 'email/postmark', config: { server_token: token, message_stream: mark, base_url: api } },
          sendgrid: { adapter: 'email/sendgrid', config: { api_key: token, base_url: api } },
          ses: {
            adapter: 'email/ses',
            config: {
              region: `${mark}-a`,
              access_key_id: mark,
              secret_access_key: token,
              configuration_set: mark,
              base_url: api,
            },
          },
          opens: { adapter: careless.name, config: { token, fails: 'open' } },
          probes: { adapter: careless.name, config: { token, fails: 'probe' } },
          runs: { adapter: careless.name, config: { token } },
          outbox: { adapter: 'email/outbox' },
          tools: {
            adapter: 'mcp/http',
            config: { url: `${api}/${mark}`, private: true, headers: { authorization: token, 'x-other': token } },
          },
          program: { adapter: 'mcp/stdio', config: { command: `./${mark}`, args: [mark], env: { KEY: token } } },
        },
        bindings: {
          [orb]: [
            ...['plain', 'refused', 'untrusted', 'login', 'mute', 'resend', 'mailgun', 'postmark', 'sendgrid', 'ses'],
            ...['opens', 'probes', 'runs', 'nologin', 'unknown', 'unreached'],
          ],
          [toolOrb]: ['tools', 'program', 'untooled'],
        },
      },
      data: {
        [`orbs/${toolOrb}.json`]: toolManifest,
        ...Object.fromEntries(
          ['plain', 'login', 'resend', 'runs'].map((name) => [
            `orbisets/only-${name}.json`,
            { id: `only-${name}`, tenant: 'default', orbs: ['*'], providers: [name] },
          ]),
        ),
      },
      env: { SECRET: secret },
      onLog: (line) => void logged.push(line),
    });
    await until(
      rows,
      (found) => found.filter(({ name }) => name !== 'runs').every((one) => one.probe_failure !== undefined),
      'the probes',
    );
  });
  after(async () => {
    await platform?.stop();
    vendor.close();
    await Promise.all([plain, tls, login, mute].map((one) => one.close()));
  });

  const get = async (path: string, key?: string) => {
    const answer = await platform.call('GET', path, undefined, key);
    answered.push(JSON.stringify(answer.body));
    return answer;
  };
  const rows = async (): Promise<readonly Row[]> => {
    const found: Row[] = [];
    for (const id of [orb, toolOrb]) found.push(...(await get(`/providers/${id}/status`)).body.providers);
    return found;
  };
  const row = async (name: string): Promise<Row> =>
    (await rows()).find((one) => one.name === name) ?? expect.fail(name);
  const command = (path: string, args: readonly string[]) => {
    const client = () => createClient({ ORB_URL: platform.url, ORB_KEY: platform.adminKey }, platform.stateDir);
    return runCommand(providerCommands.find((one) => one.path === path) ?? expect.fail(), platform.stateDir, args, {
      client,
    });
  };

  for (const [name, sentence] of [
    ['plain', 'the server offers no STARTTLS; set `starttls` to `never`, or use port 465 with `secure`'],
    ['refused', 'the connection was refused: check `host` and `port`, and that the server runs; tried: 127.0.0.1:'],
    ['unknown', 'the name of the host is unknown: check `host`, and the DNS; tried: mail.invalid:25'],
    ['nologin', 'remove `auth`, or use the port and the TLS of its login'],
    ['nologin', 'the server said: "500 '],
    ['untrusted', 'the certificate of the server is not trusted: set `ca` to its certificate authority'],
    ['login', 'check `user` and `password` of `auth`, and that the account may log in over SMTP; tried: 127.0.0.1:'],
    ['login', 'the server said: "535 5.7.8 wrong password … for …"'],
    ['unreached', 'check `base_url`, and that the server runs; tried: 127.0.0.1:'],
    ['untooled', 'check `url`, and that the server runs; tried: 127.0.0.1:'],
    [
      'mute',
      'the server did not answer in time: check `host` and `port` and the firewall, or raise `connection_timeout_ms`',
    ],
    ['resend', 'check `api_key`, and the permissions of the key at Resend'],
    ['mailgun', 'check `api_key` and `domain`, and the permissions of the key at Mailgun'],
    ['postmark', 'check `server_token`, and the permissions of the key at Postmark'],
    ['sendgrid', 'check `api_key`, and the permissions of the key at SendGrid'],
    ['ses', 'check `region`, `access_key_id` and `secret_access_key`, and the permissions of the key at Amazon SES'],
    ['tools', 'check the credentials in `headers`'],
    ['program', 'the program cannot be started; check `command`, `cwd`, and PATH in `env`'],
    ['opens', 'the adapter failed; the log of the server says why'],
    ['probes', 'the vendor says: …'],
  ] as const)
    it(`is said by its status, with its time and the setting to change: ${name}`, async () => {
      const { health, probe_failure: failure } = await row(name);
      expect(health).to.equal('down');
      expect(failure?.reason).to.include(sentence);
      expect(failure?.reason)
        .to.have.lengthOf.at.most(602)
        .and.not.match(/\p{Cc}/u);
      expect(Date.parse(failure?.at ?? '')).to.be.greaterThan(0);
    });

  it('is shown by GET /providers, by orb providers status, by orb doctor and in /overview', async () => {
    const matrix = await get('/providers?limit=100');
    expect(JSON.stringify(matrix.body)).to.include('offers no STARTTLS');
    const { text } = await command('providers status', [orb]);
    expect(text).to.match(/last failed probe, \S+Z: .*offers no STARTTLS/);
    answered.push(text);
    const client = () => createClient({ ORB_URL: platform.url, ORB_KEY: platform.adminKey }, platform.stateDir);
    const findings = await checkServer({ client, env: {} } as unknown as CommandCall);
    answered.push(JSON.stringify(findings));
    expect(findings.find(({ name }) => name.includes(orb))?.detail)
      .to.include('plain: no trusted TLS connection')
      .and.include('offers no STARTTLS');
    const concerns = (await get('/overview')).body.concerns as readonly {
      name: string;
      newest: readonly { reason?: string }[];
    }[];
    const down = concerns.find(({ name }) => name === 'providers_down');
    expect(down?.newest.map(({ reason }) => reason).join()).to.include('offers no STARTTLS');
  });

  it('is shown to nobody without providers:read', async () => {
    const key = await platform.key({ name: 'app', scopes: ['orbs:execute', 'runs:read'] });
    expect((await platform.call('GET', `/providers/${orb}/status`, undefined, key)).status).to.equal(403);
    const { body } = await platform.call('GET', '/overview', undefined, key);
    expect(JSON.stringify(body)).to.not.include('STARTTLS');
  });

  for (const [name, sentence] of [
    ['plain', 'offers no STARTTLS'],
    ['login', 'check `user` and `password` of `auth`'],
    ['resend', 'check `api_key`'],
    // An adapter that promises nothing of its message is told by its outcome alone.
    ['runs', 'the provider refused the call'],
  ] as const)
    it(`is said of the last call, too; the run itself names no setting: ${name}`, async () => {
      const ran = await platform.call('POST', `/orbisets/only-${name}/execute`, { orb_id: orb, inputs });
      expect(ran.body.run_status, JSON.stringify(ran.body)).to.equal('failed');
      const shown = await get(`/runs/${ran.body.run_id}`);
      // The message of a call is for its caller by contract: a careless adapter breaks it.
      if (name === 'runs') answered.pop();
      else answered.push(JSON.stringify(ran.body));
      expect(JSON.stringify([ran.body, shown.body])).to.not.match(/STARTTLS|`/);
      const { call_failure: failure } = await row(name);
      expect(failure?.reason).to.include(sentence);
    });

  it('is among the reasons of a swap that the policy denies, which the command prints', async () => {
    const denied = await command('providers swap', [orb, 'plain']).then(
      ({ text }) => text,
      (error: unknown) => failureLine(error),
    );
    expect(denied).to.match(/^the policy denies this swap; .*reason: .*the provider plain is down \(policy /);
    answered.push(denied);
  });

  it('holds no value of a setting, and no text of a caller, in any answer and in the log', async () => {
    await get('/providers?limit=100');
    await get('/overview');
    await get('/swaps');
    for (const text of answered) expect(text).to.not.match(/hunter2|marked-/);
    const lines = logged.filter((line) => line.includes(mark));
    expect(lines).to.deep.equal([]);
  });
});
