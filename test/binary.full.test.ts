import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { version } from '../kernel/tools/version.ts';
import { expectProblem, send } from './helpers/http.ts';
import { expectRefusedInRemovedFolder } from './helpers/removed-folder.ts';
import { createServed, type Served } from './helpers/served.ts';
import { build, built } from './plugins/release/built.ts';

// As `npm run build:binary` makes it, which the soak runs, with the list of its parts.
const executable = join(built.work, 'executables/linux-x64/orb');

// TypeScript with a type, so that the runtime inside must strip it; this form of a definition imports nothing.
const acme = `import type { ProviderHandle } from '${packageDir}/kernel/adapter.ts';
import { messageId } from './message-id.ts';
export default (api: any) => api.defineProvider({
  name: 'acme',
  capability: { name: 'email', title: 'E-mail' },
  config: { type: 'object', additionalProperties: false, properties: {} },
  sandbox: true,
  open: (): ProviderHandle => ({ execute: async () => ({ message_id: messageId }) }),
});
`;
const messageId = (id: string): string => `export const messageId: string = '${id}';\n`;

const rego = `package orb.policies.quiet

deny contains "Not to this address." if {
	input.action.name == "execute"
	input.context.inputs.to == "nobody@example.com"
}
`;

const toolServer = join(packageDir, 'test/providers/mcp/stdio-server.ts');

describe('the executable', () => {
  let served: Served;
  let at: { url: string; key: string };
  const execute = (to: string) =>
    send(at.url, '/orbisets/default/execute', {
      key: at.key,
      json: {
        orb_id: 'notify.email@1.0.0',
        inputs: { to, from_address: 'orb@example.com', subject: 'hello', body: 'It works.' },
      },
    });
  const cache = (): string => {
    const [folder = ''] = readdirSync(join(served.stateDir, 'cache')).filter((name) => name.startsWith('orb-'));
    return join(served.stateDir, 'cache', folder);
  };

  before(async function () {
    build(this, 'executables');
    served = createServed(
      {
        adapters: { 'email/acme': { from: './acme/index.ts' } },
        providers: {
          outbox: { adapter: 'email/outbox' },
          acme: { adapter: 'email/acme' },
          tools: { adapter: 'mcp/stdio', config: { command: process.execPath, args: [toolServer] } },
        },
        plugins: { watches: { from: './watches/index.ts' } },
      },
      { executable },
    );
    mkdirSync(join(served.home, 'acme'));
    writeFileSync(join(served.home, 'acme/index.ts'), acme);
    writeFileSync(join(served.home, 'acme/message-id.ts'), messageId('from-acme'));
    for (const name of ['index.ts', 'fact.ts', 'problems.ts', 'store.ts'])
      cpSync(join(packageDir, 'test/plugins/kit/stranger', name), join(served.home, 'watches', name));
    const begun = performance.now();
    at = await served.start();
    await send(at.url, '/health');
    console.log(`      the first answer came ${(performance.now() - begun).toFixed(0)} ms after the start`);
  });
  after(async function () {
    await served?.remove();
  });

  it('holds the client of tool servers', async () => {
    const wanted = { only: ['echo'], write: true };
    const report = await send(at.url, '/providers/tools/import', { key: at.key, json: wanted });
    expect(report.status, report.text).to.equal(200);
    const call = { orb_id: 'tools.echo@1.0.0', inputs: { value: 'hi' } };
    const set = { id: 'tools', tenant: 'default', orbs: ['tools.*'] };
    await send(at.url, '/orbisets', { key: at.key, json: set });
    const { json } = await send(at.url, '/orbisets/tools/execute', { key: at.key, json: call });
    expect(json['outputs']).to.deep.equal({ content: [{ type: 'text', text: 'hi' }] });
  });

  it('is one file of at most 125 MB, and 2 MB more when it is packed for speed', () => {
    expect(statSync(executable).size).to.be.below(process.env['RELEASE_SOAK'] === '1' ? 125_000_000 : 127_000_000);
  });

  it('takes the code that was compiled when it was built: nothing is said of it', () => {
    const { stdout, stderr } = spawnSync(executable, ['--version'], { env: {}, encoding: 'utf8' });
    expect([stdout, stderr]).to.deep.equal([`${version}\n`, '']);
  });

  it('says that its working directory was removed', () => {
    for (const words of [['--version'], ['serve']]) expectRefusedInRemovedFolder(executable, ...words);
  });

  it('executes in an empty folder, with no Node on PATH, and its receipt verifies offline', async () => {
    const { status, json, text } = await execute('ada@example.com');
    expect(status, text).to.equal(200);
    const { receipt_id } = json['receipt'] as { receipt_id: string };
    const list = (await send(at.url, '/receipts', { key: at.key })).json as { receipts: { receipt_id: string }[] };
    expect(list.receipts[0], 'a thread reads lists').to.include({ receipt_id });
    const receipt = await send(at.url, `/receipts/${receipt_id}`, { key: at.key });
    const file = join(served.home, 'receipt.json');
    writeFileSync(file, receipt.text);
    const { status: code, stdout, stderr } = served.orb('receipts', 'verify', file);
    expect([code, /VERIFIED/.test(stdout)], stdout + stderr).to.deep.equal([0, true]);
  });

  it('serves the page that verifies, its script made when it was built', async () => {
    const { status, text } = await send(at.url, '/verify');
    expect(status).to.equal(200);
    expect(text).to.contain('VERIFIED-WITH-LIMITS');
  });

  it('serves the console, and signs in by a link', async () => {
    const script = await send(at.url, '/console/app.js');
    expect([script.status, script.headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
    expect(script.text.length).to.be.above(50_000);
    expect((await send(at.url, '/console/app.css')).text).to.contain('prefers-color-scheme');
    expect(served.orb('console', 'open').stdout).to.match(/^http:.*\/console#link=[\w-]{43}$/m);
  });

  it('serves the documentation, its pages unpacked', async () => {
    const page = await fetch(`${at.url}/docs/reference/cli`);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include('orb receipts verify');
  });

  it('swaps to an adapter in TypeScript from disk', async () => {
    const swapped = await send(at.url, '/providers/notify.email@1.0.0/swap', {
      key: at.key,
      json: { provider: 'acme' },
    });
    expect(swapped.status, swapped.text).to.equal(200);
    const { json } = await execute('ada@example.com');
    expect(json['outputs']).to.deep.equal({ message_id: 'from-acme' });
  });

  it('takes a changed file in the folder of an adapter into use by a reload', async () => {
    writeFileSync(join(served.home, 'acme/message-id.ts'), messageId('from-acme-again'));
    const { status, stdout, stderr } = served.orb('config', 'reload');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/acme/);
    expect((await execute('ada@example.com')).json['outputs']).to.deep.equal({ message_id: 'from-acme-again' });
  });

  it('runs a plugin from disk, whose imports answer its own values in both threads and in commands', async () => {
    const made = await send(at.url, '/watches', { key: at.key, json: { orb_id: 'notify.email@1.0.0' } });
    expect(made.json['watch_id'], made.text).to.match(/^wat_/);
    const { json } = await send(at.url, '/watches', { key: at.key });
    expect(json).to.include({ told_count: 1, scored: true });
    const missing = await send(at.url, '/watches/demo.other@1.0.0', { method: 'DELETE', key: at.key });
    expectProblem(missing, 404, 'watch_not_found');
    const { status, stdout, stderr } = served.orb('watches', 'list');
    expect([status, stdout.includes('notify.email@1.0.0')], stdout + stderr).to.deep.equal([0, true]);
  });

  it('makes an adapter, and the package for authors beside it', () => {
    const { status, stderr } = served.orb('new', 'provider', 'email/other');
    expect(status, stderr).to.equal(0);
    for (const file of ['index.d.ts', 'index.js', 'conformance.js', 'plugins/ledger.d.ts', 'package.json'])
      expect(existsSync(join(served.home, 'ext/node_modules/agent-orb-kit', file)), file).to.equal(true);
    expect(readFileSync(join(served.home, 'ext/email-other/index.ts'), 'utf8')).to.contain("name: 'other'");
  });

  it('compiles a policy that is dropped into the folder, and says no by it', async function () {
    this.timeout(60_000);
    const folder = join(served.home, 'policies');
    cpSync(join(cache(), 'policies'), folder, { recursive: true });
    writeFileSync(join(folder, 'quiet.rego'), rego);
    let refused = await execute('nobody@example.com');
    for (let tries = 0; refused.status === 200 && tries < 400; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      refused = await execute('nobody@example.com');
    }
    expectProblem(refused, 403, 'access_denied');
    expect((await execute('ada@example.com')).status).to.equal(200);
  });

  it('ends cleanly on SIGTERM and goes on after a restart where it was', async () => {
    expect(await served.stop()).to.equal(0);
    at = await served.start();
    expect((await execute('ada@example.com')).json['outputs']).to.deep.equal({ message_id: 'from-acme-again' });
    expectProblem(await execute('nobody@example.com'), 403, 'access_denied');
  });

  it('repairs an unpacked file that was changed, before anything is loaded from it', async () => {
    await served.stop();
    const file = join(cache(), 'kernel/store/threads/thread.cjs');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${whole}\nthrow new Error('changed');`);
    at = await served.start();
    expect(readFileSync(file, 'utf8')).to.equal(whole);
    expect(statSync(file).mode & 0o077).to.equal(0);
  });

  it('removes what older executables unpacked, and nothing else', async () => {
    await served.stop();
    const older = join(served.stateDir, 'cache/orb-0123456789abcdef');
    const other = join(served.stateDir, 'cache/other');
    for (const folder of [older, other]) mkdirSync(join(folder, 'kernel'), { recursive: true });
    at = await served.start();
    expect([older, other, cache()].map((folder) => existsSync(folder))).to.deep.equal([false, true, true]);
  });

  it('leaves nothing behind where it only looks, before the first start as in a state dir of its own', () => {
    const fresh = join(served.home, 'fresh');
    const temporary = join(served.home, 'temporary');
    for (const folder of [fresh, temporary]) mkdirSync(folder);
    for (const words of [['doctor'], ['config', 'check']]) {
      const options = { env: { TMPDIR: temporary }, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(executable, words, { ...options, cwd: fresh });
      expect(status, stdout + stderr).to.equal(0);
      expect([readdirSync(fresh), readdirSync(temporary)]).to.deep.equal([[], []]);
      expect(spawnSync(executable, words, { ...options, cwd: served.home }).status, words.join(' ')).to.equal(0);
      expect(readdirSync(temporary)).to.deep.equal([]);
    }
    expect(served.orb('doctor').stdout).to.contain('✓ log: all entries match the signed checkpoint');
  });

  it('makes a home of the files that ship, and leaves nothing else behind', () => {
    const folder = join(served.home, 'making');
    mkdirSync(folder);
    const orb = (...words: readonly string[]) =>
      spawnSync(executable, words, { cwd: folder, env: {}, encoding: 'utf8' });
    const made = orb('init', 'shop', '--json');
    expect(made.status, made.stderr).to.equal(0);
    expect(readdirSync(folder)).to.deep.equal(['shop']);
    const shipped = JSON.parse(readFileSync(join(packageDir, 'data/shipped.json'), 'utf8')) as object;
    const policies = Object.keys(shipped).filter((path) => path.startsWith('policies/'));
    const { files } = JSON.parse(made.stdout) as { readonly files: readonly string[] };
    expect(files).to.include.members([...policies, 'data/platform.json']);
    const { status, stdout, stderr } = orb('--home', 'shop', 'config', 'check');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/^The configuration is valid: .* 2 providers, /);
  });

  it('leaves nothing behind where it only talks to a server or verifies', () => {
    const elsewhere = join(served.home, 'elsewhere');
    mkdirSync(elsewhere);
    const env = { ORB_URL: at.url, ORB_KEY: at.key };
    execFileSync(executable, ['orbs', 'list'], { cwd: elsewhere, env, stdio: 'ignore' });
    execFileSync(executable, ['--version'], { cwd: elsewhere, env: {}, stdio: 'ignore' });
    expect(readdirSync(elsewhere)).to.deep.equal([]);
  });

  it('ignores NODE_OPTIONS: the environment of a service is no place to change the program', () => {
    const preload = join(served.home, 'preload.cjs');
    const trace = join(served.home, 'preloaded');
    writeFileSync(preload, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '');`);
    execFileSync(executable, ['--version'], { env: { NODE_OPTIONS: `--require ${preload}` }, stdio: 'ignore' });
    expect(existsSync(trace)).to.equal(false);
  });
});
