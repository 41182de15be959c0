import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { expect } from 'chai';
import { v8Flags } from '../plugins/kit/binary/flags.ts';
import { packageDir } from './helpers/folder.ts';
import { expectRefusedInRemovedFolder } from './helpers/removed-folder.ts';
import { until } from './helpers/until.ts';

const program = join(packageDir, 'kernel/orb.js');

// npm puts the pinned runtime first on PATH; what a user calls `node` in a shell comes after it.
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes(`node_modules${sep}.bin`));
const systemNode = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath;
const found = spawnSync(systemNode, ['--version'], { encoding: 'utf8' }).stdout.trim();
const [major = 0, minor = 0] = found.slice(1).split('.').map(Number);
const old = major < 22 || (major === 22 && minor < 19);

const flags = v8Flags;

describe(`kernel/orb.js under Node ${found}, ${old ? 'which cannot run the program' : 'which runs it itself'}`, () => {
  let home: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-node-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    PATH: path.join(delimiter),
    ORB_LISTEN: '127.0.0.1:0',
    ORB_LOG_LEVEL: 'error',
    ...more,
  });
  const orb = (args: readonly string[], more?: Readonly<Record<string, string>>) =>
    spawnSync(systemNode, [program, ...args], { cwd: home, env: env(more), encoding: 'utf8' });

  it('runs commands and passes on what they print', () => {
    const { status, stdout } = orb(['config', 'check', '--json']);
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ home });
  });

  it('passes the exit code on: 64 for a wrong call, 78 for a faulty configuration, 3 of a verification', () => {
    expect(orb(['nothing']).status).to.equal(64);
    expect(orb(['serve'], { ORB_COLOUR: 'red' }).status).to.equal(78);
    expect(orb(['receipts', 'verify', 'nowhere.json']).status).to.equal(3);
  });

  it('says that its working directory was removed', () => {
    expectRefusedInRemovedFolder(systemNode, program, 'orbs', 'list');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`passes ${signal} and the flags of Node on: the server drains, ends with 0 and leaves no process behind`, async () => {
      child = spawn(systemNode, [...flags, program, 'serve', '--json'], {
        cwd: home,
        env: env({ ORB_LOG_LEVEL: 'info' }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exit = new Promise<[number | null, string | null]>((resolve) =>
        child?.once('exit', (code, by) => resolve([code, by])),
      );
      let log = '';
      child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
      await listening(child);
      const lock = join(home, 'data/state/lock');
      const server = Number(readFileSync(lock, 'utf8').split('\n')[0]);
      expect(server === child.pid, 'the server is this very process').to.equal(!old);
      expect(readFileSync(`/proc/${server}/cmdline`, 'utf8').split('\0')).to.include.members(flags);
      // On one core each more of them would take turns with the thread that serves. Older versions of Node name none so.
      expect(threadsOf(server).filter((name) => name === 'V8Worker')).to.have.length.at.most(1);
      child.kill(signal);
      expect(await exit).to.deep.equal([0, null]);
      expect(log).to.include('"msg":"stopped"');
      expect(existsSync(lock), 'the lock is released').to.equal(false);
      expect(() => process.kill(server, 0)).to.throw('ESRCH');
    });

  it('killed without a word takes its server with it', async () => {
    child = spawn(systemNode, [program, 'serve', '--json'], {
      cwd: home,
      env: env(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await listening(child);
    const lock = join(home, 'data/state/lock');
    const server = Number(readFileSync(lock, 'utf8').split('\n')[0]);
    child.kill('SIGKILL');
    const lives = (): boolean => {
      try {
        return process.kill(server, 0);
      } catch {
        return false;
      }
    };
    await until(lives, (is) => !is, 'the end of the server');
    expect(existsSync(lock), 'a server of its own stops in order').to.equal(!old);
  });

  it(old ? 'without the pinned runtime ends with 69 and says what to do' : 'needs no pinned runtime', () => {
    // Alone in a folder, it finds no package.
    const { status, stderr } = copied('async () => 7', systemNode);
    expect(status, stderr).to.equal(old ? 69 : 7);
    if (old) expect(stderr).to.include('Node 22.19').and.include('npm ci').and.include(found);
  });

  it('keeps what it compiled beside the packages, compiles again what has changed, and runs where it may keep nothing', () => {
    const cache = join(home, 'node_modules/.cache/orb');
    expect(copied('async () => 7').status).to.equal(7);
    expect(readdirSync(cache, { recursive: true })).to.have.length.above(1);
    expect(copied('async () => 8').status).to.equal(8);
    rmSync(cache, { recursive: true });
    writeFileSync(cache, 'in the way of the folder');
    const { status, stdout, stderr } = copied('async () => 9');
    expect({ status, stdout, stderr }).to.deep.equal({ status: 9, stdout: '', stderr: '' });
  });

  it('keeps there what its threads compiled, too', () => {
    const code = 'require("node:worker_threads").parentPort.postMessage(require("node:module").getCompileCacheDir())';
    const { stdout } = copied(`async () => {
      const { Worker } = await import('node:worker_threads');
      const thread = new Worker(${JSON.stringify(code)}, { eval: true });
      console.log(await new Promise((heard) => thread.once('message', heard)));
    }`);
    expect(stdout).to.include(join(home, 'node_modules/.cache/orb'));
  });

  /** Runs a copy of the program that has nothing but a main of its own. */
  function copied(main: string, node = process.execPath) {
    mkdirSync(join(home, 'kernel'), { recursive: true });
    copyFileSync(program, join(home, 'kernel/orb.js'));
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    writeFileSync(join(home, 'kernel/main.ts'), `export const main = ${main};`);
    return spawnSync(node, [join(home, 'kernel/orb.js')], { env: env(), encoding: 'utf8' });
  }
});

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('"state_dir"')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`orb serve ended with ${code}`)));
  });
}

function threadsOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'comm'), 'utf8').trim());
}
