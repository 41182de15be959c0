import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { packageDir } from '../../helpers/folder.ts';
import { expectProblem, send } from '../../helpers/http.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { compilerOrSkip } from '../policy/compiler.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { until } from '../../helpers/until.ts';

const blocks = ['plugins/docs/pages/extend.md', 'plugins/docs/pages/extend/plugins.md'].flatMap(guideBlocks);
const program = `'${process.execPath}' '${shippedProgram}'`;
const codeUnder = (heading: string, language: string): string =>
  blocks.find((block) => block.heading === heading && block.language === language)?.code ?? '';
/** The port that the guide names for the service. */
const writtenPort = '9025';
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

describe("the authors' guide", function () {
  this.timeout(120_000);
  let served: Served;
  let at: { url: string; key: string };
  const run = async (heading: string): Promise<string> => {
    const under = blocks.filter((block) => block.heading === heading && block.language === 'sh');
    const script = under.map(({ code }) => code.replaceAll('npx orb', program)).join('');
    expect(script, heading).to.include(program);
    const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    const options = { cwd: served.home, env: { PATH, ...(at === undefined ? {} : { ORB_URL: at.url }) } };
    const whole = `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${script}`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', whole], options);
    return stdout + stderr;
  };
  const write = (name: string, content: string): void => writeFileSync(join(served.home, name), content);
  const execute = () =>
    send(at.url, '/orbisets/default/execute', { key: at.key, json: { orb_id: 'notify.email@1.0.0', inputs: email } });

  before(async () => {
    served = createServed();
    at = await served.start();
  });
  after(() => served?.remove());

  it('has every block run by this file', () => {
    const told = blocks.map(({ heading, language }) => `${heading}: ${language}`);
    expect(told).to.deep.equal([
      'Write an adapter: sh',
      'Implement the adapter: ts',
      'What `execute` returns or throws: ts',
      'Stream the answer: ts',
      'Test and verify the adapter: ts',
      'Test and verify the adapter: json',
      'Test and verify the adapter: sh',
      'Use the adapter: js',
      'Use the adapter: sh',
      'Use the adapter: json',
      'Use the adapter: sh',
      'Write an Orb: sh',
      'Write a policy: sh',
      'Make a plugin: sh',
      'Store rows: sh',
      'An engine of the store: ts',
      'Receive the webhooks of a vendor: ts',
      'Load it: json',
    ]);
  });

  it('shows the look-up with the signature that the package declares', () => {
    const [lookup = ''] = codeUnder('What `execute` returns or throws', 'ts').split('\n');
    const declared = readFileSync(join(packageDir, 'kernel/provider/adapter.ts'), 'utf8');
    expect(declared.replace('lookup?(', 'lookup(')).to.include(lookup);
  });

  it('makes an adapter that is filled in, tested and verified with what the guide says alone', async () => {
    expect(await run('Write an adapter')).to.include('ext/node_modules/agent-orb-kit');
    write('ext/email-acme/index.ts', codeUnder('Implement the adapter', 'ts'));
    write('ext/email-acme/index.test.ts', codeUnder('Test and verify the adapter', 'ts'));
    write('ext/email-acme/verify.json', codeUnder('Test and verify the adapter', 'json'));
    const said = await run('Test and verify the adapter');
    expect(said)
      .to.match(/pass 1\b/)
      .and.include('email/acme for notify.email@1.0.0: CONFORMS');
    const report = JSON.parse(readFileSync(join(served.home, 'report.json'), 'utf8')) as {
      checks: { status: string }[];
    };
    expect(report.checks.map(({ status }) => status)).to.not.include.members(['failed']);
    expect(report.checks.map(({ status }) => status)).to.not.include.members(['skipped']);
  });

  it('takes it into use without a restart, by a reload and a swap', async () => {
    const port = await freePort();
    write('ext/acme-service.mjs', codeUnder('Use the adapter', 'js').replace(writtenPort, port));
    const settings = JSON.parse(codeUnder('Use the adapter', 'json').replace(writtenPort, port)) as object;
    const path = join(served.home, 'data/platform.json');
    const before = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...before, ...settings }));
    const said = await run('Use the adapter');
    expect(said).to.include('added acme-main for notify.email@1.0.0').and.not.include('restart');
    expect(said).to.match(/"message_id": ?"acme-1"/);
    expect((await execute()).json['outputs']).to.not.deep.equal({ message_id: 'acme-1' });
  });

  it('streams to a caller that wants parts, and to no other', async () => {
    const body = codeUnder('Stream the answer', 'ts');
    write('ext/streams.ts', `export const say = async (words: AsyncIterable<string>, emit: any) => {\n${body}\n};\n`);
    const { say } = (await import(pathToFileURL(join(served.home, 'ext/streams.ts')).href)) as {
      readonly say: (words: readonly string[], emit?: (part: object) => Promise<void>) => Promise<void>;
    };
    const parts: object[] = [];
    await say(['a', 'b'], async (part) => void parts.push(part));
    expect(parts).to.deep.equal(['a', 'b'].map((text) => ({ type: 'text', text })));
    await say(['a']);
  });

  it('declares an engine of the store as a plugin does', async () => {
    write('ext/declared.ts', `export default {\n${codeUnder('An engine of the store', 'ts')}};\n`);
    const declared = (await import(pathToFileURL(join(served.home, 'ext/declared.ts')).href)) as {
      readonly default: { readonly engines: readonly { readAddress(given: { url: string }): object }[] };
    };
    const url = 'acme://db.example/orb';
    expect(declared.default.engines[0]?.readAddress({ url })).to.deep.equal({ shown: 'db.example', url });
  });

  it('makes a plugin that passes its test and answers after a restart', async () => {
    expect(await run('Make a plugin')).to.match(/pass 1\b/);
    const path = join(served.home, 'data/platform.json');
    const now = JSON.parse(readFileSync(path, 'utf8')) as { plugins: object };
    const { plugins } = JSON.parse(codeUnder('Load it', 'json')) as { plugins: object };
    writeFileSync(path, JSON.stringify({ ...now, plugins: { ...now.plugins, ...plugins } }));
    await served.stop();
    at = await served.start();
    await execute();
    const { json } = await send(at.url, '/tally', { key: at.key });
    expect(json).to.deep.equal({ completed: 1 });
  });

  it('makes a plugin with a table, whose counts outlive a restart', async () => {
    expect(await run('Store rows')).to.match(/pass 2\b/);
    const path = join(served.home, 'data/platform.json');
    const now = JSON.parse(readFileSync(path, 'utf8')) as { plugins: object };
    const plugins = { ...now.plugins, visits: { from: './ext/visits/index.ts' } };
    writeFileSync(path, JSON.stringify({ ...now, plugins }));
    await served.stop();
    at = await served.start();
    await execute();
    await served.stop();
    at = await served.start();
    const { json } = await send(at.url, '/visits', { key: at.key });
    expect(json).to.deep.equal({ completed: 1 });
  });

  it('makes a vendor whose signed webhook opens an incident, and whose source waits while the plugin is away', async () => {
    mkdirSync(join(served.home, 'ext/acme-monitor'), { recursive: true });
    write('ext/acme-monitor/index.ts', codeUnder('Receive the webhooks of a vendor', 'ts'));
    const path = join(served.home, 'data/platform.json');
    const before = JSON.parse(readFileSync(path, 'utf8')) as { plugins: object };
    const plugins = { ...before.plugins, 'acme-monitor': { from: './ext/acme-monitor/index.ts' } };
    const restart = async (platform: object): Promise<void> => {
      writeFileSync(path, JSON.stringify(platform));
      await served.stop();
      at = await served.start();
    };
    await restart({ ...before, plugins });
    const wish = {
      name: 'acme',
      vendor: 'acme-monitor',
      default_component: 'runtime',
      may_name: { components: ['runtime'] },
    };
    const made = await send(at.url, '/sources', { key: at.key, json: wish });
    expect(made.status, made.text).to.equal(201);
    const { token, secret } = made.json as { token: string; secret: string };
    const deliver = (id: string, up: boolean) => {
      const body = JSON.stringify({ check: 'login', up });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'acme-signature': signature, 'acme-delivery': id };
      return fetch(`${at.url}/hooks/${token}`, { method: 'POST', headers, body });
    };
    const incidents = async () =>
      (await send(at.url, '/incidents', { key: at.key })).json['incidents'] as { title: string; state: string }[];
    expect((await deliver('1', false)).status).to.equal(202);
    await until(incidents, (found) => found.some(({ title }) => title === 'login is down'), 'the incident');
    await restart(before);
    expect((await deliver('2', true)).status).to.equal(503);
    expect((await send(at.url, '/sources', { key: at.key })).status).to.equal(200);
    await restart({ ...before, plugins });
    expect((await deliver('2', true)).status).to.equal(202);
    const refused = await send(at.url, '/sources', { key: at.key, json: { ...wish, vendor: 'acme-monitr' } });
    expectProblem(refused, 422, 'invalid_body');
    expect(refused.text).to.include('acme-monitor');
  });

  it('makes an Orb that passes its test and the check of the configuration', async () => {
    expect(await run('Write an Orb'))
      .to.match(/pass 4\b/)
      .and.match(/valid: .* orbs/);
  });

  it('makes a policy beside the shipped ones, which it copies, so that nothing is denied by the way', async () => {
    expect(await run('Write a policy')).to.include('policies: copies of the shipped ones');
    expect(readFileSync(join(served.home, 'policies/execute_by_scope.rego'), 'utf8')).to.include(
      'package orb.policies',
    );
    expect((await execute()).status).to.equal(200);
  });

  it('makes a policy that is in force as soon as it is saved, and denies what it names', async function () {
    compilerOrSkip(this);
    const inputs = { ...email, to: 'nobody@example.com' };
    const json = { orb_id: 'notify.email@1.0.0', inputs };
    const denied = () => send(at.url, '/orbisets/default/execute', { key: at.key, json });
    let answer = await denied();
    while (answer.status === 200) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      answer = await denied();
    }
    expectProblem(answer, 403, 'access_denied');
    expect(served.orb('policy', 'fmt', 'policies').status).to.equal(0);
    expect(served.orb('policy', 'test', 'policies').stdout).to.include('ok test_another_action_is_not');
  });
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
