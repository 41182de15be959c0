import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { shippedProgram } from '../../helpers/program.ts';
import type { CommandCall } from '../../../kernel/index.ts';
import { policyCommands } from '../../../plugins/policy/commands.ts';
import { runCommand } from '../../helpers/command.ts';

interface Sent {
  readonly files: readonly { readonly path: string }[];
}

const answers: Readonly<Record<string, object>> = {
  '/policies/validate': { valid: true, diagnostics: [], policies: [], tests: [] },
  '/policies/test': { passed: true, diagnostics: [], tests: [] },
  '/policies/format': { files: [], diagnostics: [] },
};

describe('orb policy fmt --write', () => {
  const fmt = policyCommands.find(({ path }) => path === 'policy fmt');
  let base: string;
  let mine: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'orb-fmt-'));
    mine = join(base, 'mine');
    mkdirSync(mine);
    for (const path of [join(mine, 'a.rego'), join(base, 'out')]) writeFileSync(path, 'as it was');
  });
  afterEach(() => rmSync(base, { recursive: true }));

  for (const { of, paths, written } of [
    { of: 'a folder', paths: ['../out', 'new.rego', 'a.rego'], written: ['out: as it was', 'a.rego: formatted'] },
    { of: 'a file', paths: ['../out', 'new.rego'], written: ['out: as it was', 'a.rego: as it was'] },
  ])
    it(`writes of ${of} no path that the server made up`, async () => {
      const files = paths.map((path) => ({ path, changed: true, source: 'formatted' }));
      const client = () => ({ request: async () => ({ files, diagnostics: [] }) });
      const more = { options: { write: true }, client } as unknown as Partial<CommandCall>;
      const args = [of === 'a file' ? join(mine, 'a.rego') : mine];
      await runCommand(fmt ?? expect.fail('no such command'), base, args, more);
      const told = [join(base, 'out'), join(mine, 'a.rego')].map(
        (path) => `${basename(path)}: ${readFileSync(path, 'utf8')}`,
      );
      expect([told, readdirSync(mine)]).to.deep.equal([written, ['a.rego']]);
    });
});

describe('the folder that `orb policy` looks at', () => {
  let home: string;
  let server: Server;
  let sent: Sent | undefined;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-folder-'));
    server = createServer((req, res) => {
      let text = '';
      req.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      req.on('end', () => {
        sent = JSON.parse(text) as Sent;
        res.setHeader('content-type', 'application/json').end(JSON.stringify(answers[req.url ?? '']));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.close();
    rmSync(home, { recursive: true });
  });

  /** Runs a command away from the home and answers the files it sent. */
  async function filesOf(command: string): Promise<readonly string[]> {
    sent = undefined;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { PATH: process.env['PATH'], ORB_HOME: home, ORB_URL: url, ORB_KEY: 'orb_test_of_nobody' };
    const words = [shippedProgram, 'policy', command];
    await promisify(execFile)(process.execPath, words, { cwd: tmpdir(), env });
    return (sent as Sent | undefined)?.files.map(({ path }) => path) ?? [];
  }

  it('is the one that ships while ORB_HOME has none', async () => {
    expect(await filesOf('check')).to.include('execute_by_scope.rego');
  });

  it('is the one in ORB_HOME, wherever the command is run', async () => {
    mkdirSync(join(home, 'policies'));
    writeFileSync(join(home, 'policies/mine.rego'), 'package orb.policies.mine\n');
    for (const command of ['check', 'test', 'fmt'])
      expect(await filesOf(command), command).to.deep.equal(['mine.rego']);
  });
});
