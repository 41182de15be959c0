import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { need } from '../helpers/needs.ts';
import { pythonCommand, runPython } from '../helpers/python.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = `
import type { paths } from './client.ts';

type Execute = paths['/orbisets/{id}/execute']['post'];
type Request = Execute['requestBody']['content']['application/json'];
type Result = Execute['responses'][200]['content']['application/json'];
type Problem = Execute['responses'][422]['content']['application/problem+json'];
type Orbs = paths['/orbs']['get']['responses'][200]['content']['application/json'];
type Receipt = paths['/receipts/{receipt_id}']['get']['responses'][200]['content']['application/json'];

const [, , url = '', key = ''] = process.argv;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
async function read<T>(path: string): Promise<T> {
  return (await (await fetch(url + path, { headers })).json()) as T;
}
async function execute<T>(request: Request): Promise<T> {
  const answer = await fetch(url + '/orbisets/default/execute', { method: 'POST', headers, body: JSON.stringify(request) });
  return (await answer.json()) as T;
}
const orb_id = 'notify.email@1.0.0';
const mail = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const { orbs } = await read<Orbs>('/orbs');
const done = await execute<Result>({ orb_id, inputs: mail });
const status: 'completed' = done.status;
const receipt = await read<Receipt>('/receipts/' + done.receipt.receipt_id);
const failed = await execute<Problem>({ orb_id, inputs: { to: 'ada@example.com' } });
console.log(JSON.stringify({
  orbs: orbs.map((orb) => orb.orb_id),
  status,
  receipt_id: done.receipt.receipt_id,
  verified: 'signature_valid' in receipt && receipt.signature_valid,
  same: 'receipt_id' in receipt && receipt.receipt_id === done.receipt.receipt_id,
  code: failed.code,
  pointers: (failed.errors ?? []).map(({ pointer }) => pointer),
}));
`;

describe('clients that stock generators make of the OpenAPI document', () => {
  let platform: TestPlatform;
  let folder: string;
  before(async () => {
    platform = await startPlatform();
    folder = await mkdtemp(join(tmpdir(), 'orb-client-'));
    const { body } = await platform.call('GET', '/openapi.json', undefined, null);
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(body));
  });
  after(async () => {
    await platform.stop();
    await rm(folder, { recursive: true });
  });

  function expectRun(printed: string): void {
    const seen = JSON.parse(printed) as Readonly<Record<string, unknown>>;
    expect(seen).to.deep.include({ status: 'completed', verified: true, same: true, code: 'invalid_inputs' });
    expect(seen['orbs']).to.include('notify.email@1.0.0');
    expect(seen['receipt_id']).to.match(/^rec_/);
    expect(seen['pointers']).to.include('#/inputs/subject');
  }

  it('openapi-typescript: compiles strictly, and executes a run, reads its receipt and a failure', async () => {
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    await promisify(execFile)(process.execPath, [generator, 'openapi.json', '--output', 'client.ts'], { cwd: folder });
    await writeFile(join(folder, 'use.ts'), program);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const flags = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext', '--types', 'node'];
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
    const compile = [compiler, ...flags, '--allowImportingTsExtensions', 'use.ts'];
    const failed = await promisify(execFile)(process.execPath, compile, { cwd: folder }).then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(failed).to.equal('');
    const args = [join(folder, 'use.ts'), platform.url, platform.adminKey];
    expectRun((await promisify(execFile)(process.execPath, args)).stdout);
  }).timeout(120_000);

  it('openapi-python-client: imports whole, and executes a run, reads its receipt and a failure', async function () {
    need(this, 'python');
    const made = ['generate', '--path', 'openapi.json', '--output-path', 'python', '--meta', 'none', '--overwrite'];
    const config = join(folder, 'config.yml');
    await writeFile(config, 'package_name_override: agent_orb_platform_client\n');
    const output = join(folder, 'agent_orb_platform_client');
    const args = made.map((one) => (one === 'python' ? output : one));
    const command = pythonCommand('openapi-python-client');
    const told = await runPython([command, ...args, '--config', config], { cwd: folder });
    expect(told.match(/Endpoint will not be generated|Unable to/g) ?? [], told).to.deep.equal([]);
    const use = await readFile(new URL('use.py', import.meta.url), 'utf8');
    await writeFile(join(folder, 'use.py'), use);
    expectRun(await runPython(['use.py', platform.url, platform.adminKey], { cwd: folder }));
  }).timeout(240_000);
});
