import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { packageDir } from '../../../kernel/boot/config.ts';
import type { VerifyReport } from '../../../kernel/kit/verify/report.ts';
import { providerProject } from '../../../kernel/kit/scaffold/provider.ts';
import { writeProject } from '../../../kernel/kit/scaffold/project.ts';
import { createOrb } from '../../../kernel/runtime/catalog/orb.ts';

const token = 'tok-7d1f4a2c';
const manifest: unknown = JSON.parse(readFileSync(join(packageDir, 'data/orbs/notify.email@1.0.0.json'), 'utf8'));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  readonly report: VerifyReport | undefined;
  /** Checks that failed: title and detail in one text. */
  readonly failed: readonly string[];
}

describe('orb provider verify', function () {
  this.timeout(180_000);
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-verify-'));
    writeProject(home, providerProject('email/acme', createOrb(structuredClone(manifest), [])));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const folder = (): string => join(home, 'ext/email-acme');
  const settings = (change: (given: Record<string, unknown>) => void): void => {
    const path = join(folder(), 'verify.json');
    const given = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    change(given);
    writeFileSync(path, JSON.stringify(given));
  };
  const edit = (...changes: readonly (readonly [from: string | RegExp, to: string])[]): void => {
    const path = join(folder(), 'index.ts');
    let source = readFileSync(path, 'utf8');
    for (const [from, to] of changes) {
      const next = source.replace(from, to);
      expect(next, String(from)).to.not.equal(source);
      source = next;
    }
    writeFileSync(path, source);
  };
  async function verify(env: Record<string, string> = { ACME_TOKEN: token }, ...args: string[]): Promise<Ended> {
    const words = ['provider', 'verify', ...(args.length === 0 ? ['ext/email-acme'] : args), '--json'];
    const child = spawn(process.execPath, [join(packageDir, 'kernel/orb.js'), ...words], { cwd: home, env });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const start = out.indexOf('{\n');
    const report = start < 0 ? undefined : (JSON.parse(out.slice(start)) as VerifyReport);
    const failed = (report?.checks ?? []).filter(({ status }) => status === 'failed');
    return {
      code: await ended,
      out,
      errors,
      report,
      failed: failed.map(({ title, detail }) => `${title} | ${detail}`),
    };
  }
  const expectFailed = ({ failed }: Ended, ...needles: readonly RegExp[]): void => {
    for (const needle of needles) expect(failed.join('\n'), failed.join('\n')).to.match(needle);
  };

  it('passes what the scaffold makes, and nothing is left out', async () => {
    const { code, report, errors } = await verify();
    expect(code, errors).to.equal(0);
    expect(report).to.include({ adapter: 'email/acme', orb_id: 'notify.email@1.0.0', conforms: true });
    expect(report?.config_digest).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(new Set(report?.checks.map(({ status }) => status))).to.deep.equal(new Set(['passed']));
  });

  it('takes an adapter that imports the contract of a plugin', async () => {
    edit(['import {', "import { tiers } from 'agent-orb-kit/plugins/ledger';\nimport {"]);
    const { code, errors } = await verify();
    expect(code, errors).to.equal(0);
  });

  it('finds wrong outcomes, an untyped throw, a redirect that is followed, a loose schema, an unmarked secret', async () => {
    edit(
      ["redirect: 'manual',", ''],
      ['additionalProperties: false,', ''],
      ['maxLength: 500, secret: true', 'maxLength: 500'],
      [/new ProviderError\('unknown', 'acme did not answer', \{[^}]*\}\)/, "new ProviderError('not_sent', 'x')"],
      [/return new ProviderError\('provider_fault'[^;]*;/, "throw new Error('no');"],
      [
        "return new ProviderError('unknown', `acme answered ${status}`, { phase: 'response' })",
        "return new ProviderError('unknown', 'no phase')",
      ],
    );
    settings((given) => Object.assign(given['config'] as object, { token: 'made-up' }));
    const ended = await verify();
    expect(ended.code).to.equal(1);
    expectFailed(
      ended,
      /strict configuration schema \| .*additionalProperties/,
      /sounds like a secret \| [^]*token/,
      /401[^|]*\| threw what is no ProviderError/,
      /reset after the request was read \| said not_sent/,
      /500[^|]*\| unknown says its phase/,
      /302, which is not followed \| /,
    );
    expect(ended.failed.join('\n')).to.not.include('429');
  });

  it('finds retries, a call that goes on after the deadline, changed inputs, a probe with an effect', async () => {
    edit(
      [
        'open: ({ config: { url, token } }) => ({',
        `open: ({ config: { url, token } }) => ({
        probe: async () => void (await (await fetch(url, { method: 'POST' })).arrayBuffer()),`,
      ],
      ['        signal,\n', ''],
      ['const response = await fetch(', '(inputs as Record<string, unknown>).extra = 1;\n const send = () => fetch('],
      ["if (signal.aborted) throw new ProviderError('not_sent', 'the deadline passed before the call');", ''],
      [
        'const text = await',
        `let response = await send();
        if (response.status === 500) response = await send();
        const text = await`,
      ],
    );
    const ended = await verify();
    expect(ended.code).to.equal(1);
    expectFailed(
      ended,
      /proves itself without an effect[^|]*\| effects of the probe/,
      /inputs as they were[^|]*\| /,
      /500[^|]*\| the same request came twice/,
      /deadline has passed already \| answered/,
      /when the other side hangs \| did not settle/,
    );
  });

  it('finds a timer and connections that are left open, and ends all the same', async () => {
    edit(
      ['import {', "import { Agent, request } from 'node:http';\nimport {"],
      [
        'open: ({ config: { url, token } }) => ({',
        `open: ({ config: { url, token } }) => ((setInterval(() => undefined, 60_000), agent = new Agent({ keepAlive: true })) && {
        probe: () => new Promise((resolve, reject) => {
          request(url, { agent, method: 'GET' }, (answer) => answer.resume().once('end', () => resolve())).once('error', reject).end();
        }),`,
      ],
      ['/** Sends', 'let agent: Agent;\n\n/** Hands'],
    );
    const ended = await verify();
    expect(ended.code).to.equal(1);
    expectFailed(ended, /releases everything[^|]*\| [^]*Timeout/, /100 openings \| .*still open/);
  });

  it('finds a secret in an error, in a log line and on standard output, and shows none of it', async () => {
    edit(
      ["'acme refused the request'", '`acme refused ${secret}`'],
      [
        'execute(inputs, { signal, idempotency_key }) {',
        `execute(inputs, { signal, idempotency_key, log }) {
        if (signal.aborted) log.warn({ with: Buffer.from(token).toString('base64') }, 'late');`,
      ],
      ['if (status === 429) {', "if (status === 429) {\n console.error('busy', headers.get('retry-after'), secret);"],
      ['const text = await', 'secret = token;\n const text = await'],
      ['function refusal', "let secret = '';\n\nfunction refusal"],
    );
    const ended = await verify();
    expect(ended.code).to.equal(1);
    expectFailed(
      ended,
      /422[^|]*\| a configured secret is written/,
      /deadline has passed already \| a configured secret/,
      /429 with[^|]*\| a configured secret/,
    );
    expect(ended.failed.join('\n')).to.not.match(/500|opens, proves/);
    expect(JSON.stringify(ended.report)).to.not.include(token);
  });

  it('calls a secret of one letter not leaked: it cannot be told, and the report says so', async () => {
    const { code, report, failed } = await verify({ ACME_TOKEN: 'a' });
    expect([code, failed]).to.deep.equal([0, []]);
    const skipped = report?.checks.filter(({ status }) => status === 'skipped');
    expect(skipped?.map(({ title, detail }) => [title, detail])).to.deep.equal([
      [
        'writes no secret',
        'a configured secret is so short that other texts may contain it by chance; verify with a longer one',
      ],
    ]);
  });

  it('blackens a secret that stands in the reason of a failure', async () => {
    edit(['if (!response.ok) throw refusal(response);', 'if (!response.ok) return { message_id: token };']);
    const { failed, report } = await verify();
    expect(failed.join('\n')).to.match(/401[^|]*\| answered [^]*\[redacted\]/);
    expect(JSON.stringify(report)).to.not.include(token);
  });

  it('verifies what speaks another protocol by its host and port, and says what it could not ask', async () => {
    writeFileSync(join(folder(), 'index.ts'), tcpAdapter);
    settings((given) => {
      given['config'] = { host: '192.0.2.1', port: 25 };
      given['fault_target'] = { host: '/host', port: '/port' };
    });
    const { code, report, failed } = await verify();
    expect(code, failed.join('\n')).to.equal(0);
    const skipped = report?.checks.filter(({ status }) => status === 'skipped');
    expect(skipped?.map(({ title }) => title)).to.deep.equal([
      'proves itself without an effect, and has one effect per call',
    ]);
    expect(report?.checks.map(({ title }) => title).join('\n')).to.include('a reset of the new connection');
  });

  for (const [name, arrange, told] of [
    [
      'calls that would be real and are not allowed',
      () => settings((given) => delete given['fault_target']),
      /"live": true/,
    ],
    ['settings with an unknown member', () => settings((given) => (given['lvie'] = true)), /lvie/],
    ['inputs that the Orb refuses', () => settings((given) => (given['inputs'] = { to: 1 })), /inputs\/to/],
    ['an Orb of another capability', () => settings((given) => (given['orb_id'] = 'demo.echo@1.0.0')), /orb_id/],
    [
      'a target that the configuration does not have',
      () => settings((given) => (given['fault_target'] = { url: '/base', success: { status: 200 } })),
      /no \/base/,
    ],
    ['a file that does not load', () => writeFileSync(join(folder(), 'index.ts'), 'export default (;'), /cannot load/],
    ['no verify.json', () => rmSync(join(folder(), 'verify.json')), /verify\.json/],
  ] as const)
    it(`ends with 78, and says why: ${name}`, async () => {
      arrange();
      const { code, errors, report } = await verify();
      expect([code, report], errors).to.deep.equal([78, undefined]);
      expect(errors).to.match(told);
    });

  it('ends with 78 when a secret is not set, and when there is no adapter at the path', async () => {
    expect((await verify({})).errors).to.match(/ACME_TOKEN is not set/);
    const { code, errors } = await verify({}, 'nowhere');
    expect([code, errors]).to.deep.equal([78, errors]);
    mkdirSync(join(home, 'empty'));
    expect((await verify({}, 'empty')).errors).to.match(/neither a file nor a folder/);
  });
});

const tcpAdapter = `import { connect } from 'node:net';
export default (api) =>
  api.defineProvider({
    name: 'acme',
    capability: { name: 'email', title: 'E-mail' },
    config: {
      type: 'object',
      additionalProperties: false,
      required: ['host', 'port'],
      properties: { host: { type: 'string' }, port: { type: 'integer' } },
    },
    sandbox: true,
    open: ({ config: { host, port } }) => ({
      execute: (inputs, { signal }) => new Promise((resolve, reject) => {
        const refuse = () => reject(new api.ProviderError('not_sent', 'no connection', { phase: 'connect' }));
        if (signal.aborted) return refuse();
        if (host === '192.0.2.1') return resolve({ message_id: 'kept' });
        const socket = connect(port, host).once('error', refuse).once('close', refuse);
        signal.addEventListener('abort', () => socket.destroy(), { once: true });
      }),
    }),
  });
`;
