import { execFile, execFileSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { operationsOf, follower } from '../../../plugins/docs/reference/operation.ts';
import type { SampleRequest } from '../../../plugins/docs/page.ts';
import { languages, sampleOf } from '../../../plugins/docs/reference/samples.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const run = promisify(execFile);
const write = (language: string, request: SampleRequest, base: string): string =>
  languages.find(([name]) => name === language)?.[1](request, base) ?? '';

describe('the examples of the API reference', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let requests: ReadonlyMap<string, SampleRequest>;
  before(async () => {
    platform = await startPlatform();
    const document = (await platform.call('GET', '/openapi.json')).body as object;
    const follow = follower(document);
    requests = new Map(operationsOf(document).map((one) => [one.page, sampleOf(one, follow)]));
  });
  after(() => platform.stop());

  it('are of every route: no placeholder stays in a path, and each body is JSON', () => {
    expect(requests.size).to.be.greaterThan(150);
    for (const [page, { path, body }] of requests) {
      expect(path, page).to.match(/^\/[^{}\s]*$/);
      if (body !== undefined) JSON.parse(body);
    }
  });

  it('are valid in their language, whatever the values are', () => {
    const odd = { method: 'POST', path: '/x', keyed: true, body: JSON.stringify({ a: "it's true", b: [true, null] }) };
    const all = [...requests.values(), odd];
    const modules = all.map((request) => write('TypeScript', request, 'http://x'));
    for (const text of modules) stripTypeScriptTypes(`async () => { ${text} }`);
    const python = all.map((request) => write('Python', request, 'http://x'));
    const check = 'import sys, json\nfor text in json.load(sys.stdin): compile(text, "example", "exec")';
    execFileSync('python3', ['-c', check], { input: JSON.stringify(python) });
    const shell = all.map((request) => write('curl', request, 'http://x')).join('\n');
    execFileSync('sh', ['-n'], { input: shell });
  });

  it('run: the first call answers what it was given, in each language', async () => {
    const request = requests.get('api/executeOrb') ?? expect.fail('no example');
    const env = { ...process.env, ORB_KEY: platform.adminKey };
    const programs = {
      curl: ['sh', '-c'],
      Python: ['python3', '-c'],
      TypeScript: [process.execPath, '--input-type=module', '-e'],
    };
    for (const [language, [program = '', ...args]] of Object.entries(programs)) {
      const { stdout } = await run(program, [...args, write(language, request, platform.url)], { env });
      expect((JSON.parse(stdout) as { outputs: unknown }).outputs, language).to.deep.equal({ text: 'hello' });
    }
  });
});
