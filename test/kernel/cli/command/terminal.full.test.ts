import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { shippedProgram } from '../../../helpers/program.ts';

const columns = 80;
const escape = '\u001b[';

describe('orb on a terminal', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
    for (const name of ['a key with a long name that does not fit', 'short'])
      await platform.key({ name, scopes: ['orbs:read', 'orbs:execute', 'receipts:read', 'runs:read'] });
    const body = { title: 'slow', severity: 'critical', scope: [{ kind: 'component', id: 'ingestion' }] };
    expect((await platform.call('POST', '/incidents', body)).status).to.equal(201);
  });
  after(() => platform.stop());

  /** Runs a program, and answers what it printed: on a terminal both streams in one. */
  function printed(file: string, args: readonly string[], more: Readonly<Record<string, string>>): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ORB_URL: platform.url, ORB_KEY: platform.adminKey };
    return new Promise((resolve, reject) => {
      const options = { cwd: platform.home, env: { ...env, ...more } };
      const child = execFile(file, args, options, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}: ${stdout}${stderr}`)),
      );
      child.stdin?.end();
    });
  }
  const orb = (args: readonly string[], env = {}) => printed(process.execPath, [shippedProgram, ...args], env);
  const onTerminal = async (args: readonly string[], env = {}): Promise<string> => {
    const words = [process.execPath, shippedProgram, ...args].map((word) => `'${word}'`).join(' ');
    const text = await printed('script', ['-qec', `stty cols ${columns}; ${words}`, '/dev/null'], env);
    return text.replaceAll('\r\n', '\n').trimEnd();
  };
  const linesOf = (text: string): readonly string[] => stripVTControlCharacters(text).split('\n');

  it('shortens the widest columns of a list, never the ids, and has colours', async () => {
    const text = await onTerminal(['keys', 'list']);
    const [head = '', ...rows] = linesOf(text);
    expect(head).to.match(/^KEY_ID +PREF/);
    expect(rows).to.have.length(3);
    for (const row of rows) expect(row).to.match(/^key_[0-9A-Z]{26} {2}.*…/);
    expect(Math.max(...linesOf(text).map((line) => [...line].length))).to.equal(columns);
    expect(text.startsWith(`${escape}1mKEY_ID${escape}22m`)).to.equal(true);
    const incidents = await onTerminal(['incidents', 'list']);
    expect(incidents).to.include(`${escape}31mcritical${escape}39m`).and.include(`${escape}33mopen`);
  });

  it('has no colours with NO_COLOR, in a pipe and with --json', async () => {
    const plain = await onTerminal(['incidents', 'list'], { NO_COLOR: '1' });
    expect(plain).to.include('critical').and.not.include(escape);
    expect(await onTerminal(['incidents', 'list', '--json'])).to.equal(
      JSON.stringify(JSON.parse(await orb(['incidents', 'list', '--json'])), null, 2),
    );
    const piped = await orb(['keys', 'list']);
    expect(piped)
      .to.include('a key with a long name that does not fit  default  prn_')
      .and.include('orbs:read orbs:execute receipts:read runs:read')
      .and.not.include(escape);
  });

  it('has colours in a pipe where FORCE_COLOR asks for them, but never in JSON', async () => {
    const env = { FORCE_COLOR: '1' };
    expect(await orb(['incidents', 'list'], env)).to.include(`${escape}31mcritical`);
    expect(await orb(['incidents', 'list', '--json'], env)).not.to.include(escape);
  });

  it('shows a new key whole, however narrow the terminal is', async () => {
    const text = await onTerminal(['keys', 'create', '--scope', 'orbs:read', '--name', 'n'.repeat(60)]);
    expect(text).to.match(/^key +orb_live_\w{38}$/m);
  });

  it('shows how long a request takes that the server has not answered', async () => {
    const counts = { unchanged: 3, would_deny: 0, would_ask: 0, would_allow: 0, failed: 0 };
    const decision_ids = { would_deny: [], would_ask: [], would_allow: [] };
    const answer = JSON.stringify({ examined: 3, complete: true, counts, decision_ids });
    let waiting: ServerResponse | undefined;
    const server = createServer((_, response) => (waiting = response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const words = `stty cols ${columns}; '${process.execPath}' '${shippedProgram}' policy replay`;
      const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ORB_URL: url, ORB_KEY: 'x' };
      const child = spawn('script', ['-qec', words, '/dev/null'], { cwd: platform.home, env, stdio: 'pipe' });
      const ended = once(child, 'exit');
      child.stdin.end();
      let text = '';
      for await (const part of child.stdout) {
        text += String(part);
        if (/waiting for the server: \d+ s/.test(text)) waiting?.end(answer);
      }
      expect(await ended, text).to.deep.equal([0, null]);
      expect(text).to.match(/\r\u001b\[Kpolicy replay, waiting for the server: \d+ s/);
      expect(text).to.match(/\r\u001b\[K3 decisions: 3 unchanged/);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
