import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { providerProject } from '../../../plugins/kit/scaffold/provider.ts';
import { writeProject } from '../../../plugins/kit/scaffold/project.ts';
import { createOrb } from '../../../kernel/runtime/catalog/orb.ts';
import { beside } from '../../helpers/beside.ts';
import { projectOf, token, type Ended, type Project } from './verified-project.ts';

const manifest: unknown = JSON.parse(readFileSync(join(packageDir, 'data/orbs/notify.email@1.0.0.json'), 'utf8'));

describe('orb provider verify', function () {
  this.timeout(180_000);
  async function inProject(test: (project: Project) => Promise<void>): Promise<void> {
    const home = mkdtempSync(join(tmpdir(), 'orb-verify-'));
    try {
      writeProject(home, providerProject('email/acme', createOrb(structuredClone(manifest), [])));
      await test(projectOf(home));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  const expectFailed = ({ failed }: Ended, ...needles: readonly RegExp[]): void => {
    for (const needle of needles) expect(failed.join('\n'), failed.join('\n')).to.match(needle);
  };

  const tests: readonly (readonly [title: string, test: (project: Project) => Promise<void>])[] = [
    [
      'passes what the scaffold makes, and nothing is left out',
      async ({ verify }) => {
        const { code, report, errors } = await verify();
        expect(code, errors).to.equal(0);
        expect(report).to.include({ adapter: 'email/acme', orb_id: 'notify.email@1.0.0', conforms: true });
        expect(report?.config_digest).to.match(/^sha256:[0-9a-f]{64}$/);
        expect(new Set(report?.checks.map(({ status }) => status))).to.deep.equal(new Set(['passed']));
      },
    ],
    [
      'takes an adapter that imports the contract of a plugin',
      async ({ edit, verify }) => {
        edit(['import {', "import { tiers } from 'agent-orb-kit/plugins/ledger';\nimport {"]);
        const { code, errors } = await verify();
        expect(code, errors).to.equal(0);
      },
    ],
    [
      'verifies a look-up by the answers of its own path, and finds one that finds nothing',
      async ({ edit, settings, verify }) => {
        const looksUp = `async lookup(key, signal) {
        const response = await fetch(new URL('/sent/' + key, url), { signal, redirect: 'manual' });
        const text = await response.text();
        return response.ok ? parsed(text) : undefined;
      },`;
        edit(
          ["capability: { name: 'email', title: 'email' },", "$& idempotency: { kind: 'lookup' },"],
          ['open: ({ config: { url, token } }) => ({', `$& ${looksUp}`],
        );
        settings((given) => {
          const target = given['fault_target'] as { success: { body: object }; answers?: object };
          const { body } = target.success;
          target.answers = [{ method: 'GET', path: '/sent/', status: 200, body, unknown_key: { status: 404 } }];
        });
        const { code, errors, report } = await verify();
        expect(code, errors).to.equal(0);
        const check = report?.checks.find(({ title }) => title.startsWith('finds by key'));
        expect(check?.status).to.equal('passed');
        edit(['response.ok ? parsed(text) : undefined', 'undefined']);
        const ended = await verify();
        expect(ended.code).to.equal(1);
        expectFailed(ended, /finds by key exactly the dispatched calls \| /);
      },
    ],
    [
      'finds wrong outcomes, an untyped throw, a redirect that is followed, a loose schema, an unmarked secret',
      async ({ edit, settings, verify }) => {
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
          /401[^|]*\| threw an error other than ProviderError/,
          /reset after the request was read \| said not_sent/,
          /500[^|]*\| unknown says its phase/,
          /302, which is not followed \| /,
        );
        expect(ended.failed.join('\n')).to.not.include('429');
      },
    ],
    [
      'finds retries, a call that goes on after the deadline, changed inputs, a probe with an effect',
      async ({ edit, verify }) => {
        edit(
          [
            'open: ({ config: { url, token } }) => ({',
            `open: ({ config: { url, token } }) => ({
        probe: async () => void (await (await fetch(url, { method: 'POST' })).arrayBuffer()),`,
          ],
          ['        signal,\n', ''],
          [
            'const response = await fetch(',
            '(inputs as Record<string, unknown>).extra = 1;\n const send = () => fetch(',
          ],
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
          /passes its probe without an effect[^|]*\| effects of the probe/,
          /does not change its inputs[^|]*\| /,
          /500[^|]*\| the same request came twice/,
          /deadline has already passed \| answered/,
          /when the other side hangs \| did not return/,
        );
      },
    ],
    [
      'finds a timer and connections that are left open, and ends all the same',
      async ({ edit, verify }) => {
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
      },
    ],
    [
      'finds a secret in an error, in a log line and on standard output, and shows none of it',
      async ({ edit, verify }) => {
        edit(
          ["'acme refused the request'", '`acme refused ${secret}`'],
          [
            'execute(inputs, { signal, idempotency_key }) {',
            `execute(inputs, { signal, idempotency_key, log }) {
        if (signal.aborted) log.warn({ with: Buffer.from(token).toString('base64') }, 'late');`,
          ],
          [
            'if (status === 429) {',
            "if (status === 429) {\n console.error('busy', headers.get('retry-after'), secret);",
          ],
          ['const text = await', 'secret = token;\n const text = await'],
          ['function refusal', "let secret = '';\n\nfunction refusal"],
        );
        const ended = await verify();
        expect(ended.code).to.equal(1);
        expectFailed(
          ended,
          /422[^|]*\| a configured secret is written/,
          /deadline has already passed \| a configured secret/,
          /429 with[^|]*\| a configured secret/,
        );
        expect(ended.failed.join('\n')).to.not.match(/500|opens, passes/);
        expect(JSON.stringify(ended.report)).to.not.include(token);
      },
    ],
    [
      'calls a secret of one letter not leaked: it cannot be told, and the report says so',
      async ({ verify }) => {
        const { code, report, failed } = await verify({ ACME_TOKEN: 'a' });
        expect([code, failed]).to.deep.equal([0, []]);
        const skipped = report?.checks.filter(({ status }) => status === 'skipped');
        expect(skipped?.map(({ title, detail }) => [title, detail])).to.deep.equal([
          [
            'writes no secret',
            'a configured secret is so short that other texts may contain it by chance; verify with a longer one',
          ],
        ]);
      },
    ],
    [
      'blackens a secret that stands in the reason of a failure',
      async ({ edit, verify }) => {
        edit(['if (!response.ok) throw refusal(response);', 'if (!response.ok) return { message_id: token };']);
        const { failed, report } = await verify();
        expect(failed.join('\n')).to.match(/401[^|]*\| answered [^]*\[redacted\]/);
        expect(JSON.stringify(report)).to.not.include(token);
      },
    ],
    [
      'verifies what speaks another protocol by its host and port, and says what it could not ask',
      async ({ settings, folder, verify }) => {
        writeFileSync(join(folder, 'index.ts'), tcpAdapter);
        settings((given) => {
          given['config'] = { host: '192.0.2.1', port: 25 };
          given['fault_target'] = { host: '/host', port: '/port' };
        });
        const { code, report, failed } = await verify();
        expect(code, failed.join('\n')).to.equal(0);
        const skipped = report?.checks.filter(({ status }) => status === 'skipped');
        expect(skipped?.map(({ title }) => title)).to.deep.equal([
          'passes its probe without an effect, and has one effect per call',
        ]);
        expect(report?.checks.map(({ title }) => title).join('\n')).to.include('a reset of the new connection');
      },
    ],
  ];
  const inTurn = beside(tests, ([, test]) => inProject(test), 4);
  for (const row of tests) it(row[0], () => inTurn(row));

  for (const [name, arrange, told] of [
    [
      'calls that would be real and are not allowed',
      ({ settings }: Project) => settings((given) => delete given['fault_target']),
      /"live": true/,
    ],
    ['settings with an unknown member', ({ settings }: Project) => settings((given) => (given['lvie'] = true)), /lvie/],
    [
      'inputs that the Orb refuses',
      ({ settings }: Project) => settings((given) => (given['inputs'] = { to: 1 })),
      /inputs\/to/,
    ],
    [
      'an Orb of another capability',
      ({ settings }: Project) => settings((given) => (given['orb_id'] = 'demo.echo@1.0.0')),
      /orb_id/,
    ],
    [
      'a target that the configuration does not have',
      ({ settings }: Project) =>
        settings((given) => (given['fault_target'] = { url: '/base', success: { status: 200 } })),
      /no \/base/,
    ],
    [
      'a file that does not load',
      ({ folder }: Project) => writeFileSync(join(folder, 'index.ts'), 'export default (;'),
      /cannot load/,
    ],
    ['no verify.json', ({ folder }: Project) => rmSync(join(folder, 'verify.json')), /verify\.json/],
  ] as const)
    it(`ends with 78, and says why: ${name}`, () =>
      inProject(async (project) => {
        arrange(project);
        const { code, errors, report } = await project.verify();
        expect([code, report], errors).to.deep.equal([78, undefined]);
        expect(errors).to.match(told);
      }));

  it('ends with 78 when a secret is not set, and when there is no adapter at the path', () =>
    inProject(async ({ home, verify }) => {
      expect((await verify({})).errors).to.match(/ACME_TOKEN is not set/);
      const { code, errors } = await verify({}, 'nowhere');
      expect([code, errors]).to.deep.equal([78, errors]);
      mkdirSync(join(home, 'empty'));
      expect((await verify({}, 'empty')).errors).to.match(/neither a file nor a folder/);
    }));
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
