import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mock } from 'node:test';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { takeLock } from '../../../../kernel/store/sqlite/lock.ts';
import { leaveOutBecause } from '../../../helpers/needs.ts';
import { until } from '../../../helpers/until.ts';

const ownNamespace = ['unshare', '-U', '--map-root-user', '--pid', '--fork', '--mount-proc'];

describe('the lock of a state dir', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is gone once it is released', () => {
    const lock = takeLock(folder);
    expect(readFileSync(path, 'utf8').split('\n')[0]).to.equal(String(process.pid));
    lock.release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('that another process has taken over is not removed by the one that lost it', () => {
    const lock = takeLock(folder);
    writeFileSync(path, '1\n1\n');
    lock.release();
    expect(readFileSync(path, 'utf8')).to.equal('1\n1\n');
  });

  it('can be released although it is gone', () => {
    const lock = takeLock(folder);
    rmSync(path);
    lock.release();
    expect(existsSync(path)).to.equal(false);
  });

  it('without a pid belongs to whoever writes it at this moment', () => {
    writeFileSync(path, '');
    expect(() => takeLock(folder)).to.throw(ConfigError, 'in use by another process');
    expect(readFileSync(path, 'utf8')).to.equal('');
  });

  it('without a pid is stale once nobody can be writing it any more', () => {
    writeFileSync(path, '');
    const before = Date.now() / 1000 - 20;
    utimesSync(path, before, before);
    takeLock(folder);
    expect(readFileSync(path, 'utf8').split('\n')[0]).to.equal(String(process.pid));
    expect(readdirSync(folder)).to.deep.equal(['lock', 'lock.held']);
  });

  it('of a live process that did not say when it started is held', () => {
    writeFileSync(path, `${process.pid}\n\n`);
    expect(() => takeLock(folder)).to.throw(ConfigError, `in use by process ${process.pid}`);
  });

  it('of a live process that belongs to another user is held', () => {
    writeFileSync(path, `${process.pid}\n\n`);
    const kill = mock.method(process, 'kill', () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    try {
      expect(() => takeLock(folder)).to.throw(ConfigError, `in use by process ${process.pid}`);
      expect(kill.mock.callCount()).to.equal(1);
    } finally {
      mock.reset();
    }
  });

  it('of a process that is gone is taken over', () => {
    // No Linux gives out so great a number.
    writeFileSync(path, '4194305\n1\n');
    takeLock(folder).release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('that somebody else takes over at the same moment is given back to them', () => {
    writeFileSync(path, '4194305\n1\n');
    const { renameSync } = fs;
    mock.method(fs, 'renameSync', (from: string, to: string) => {
      if (from === path) writeFileSync(path, '1\n1\n');
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    try {
      expect(() => takeLock(folder)).to.throw(ConfigError, 'in use by another process');
    } finally {
      mock.reset();
      syncBuiltinESMExports();
    }
    expect(readdirSync(folder)).to.deep.equal(['lock']);
    expect(readFileSync(path, 'utf8')).to.equal('1\n1\n');
  });

  /** Takes the lock in another process, in a PID namespace of its own if `apart`; answers what it prints. */
  const elsewhere = (how: string, { apart = true } = {}) => {
    const from = new URL('../../../../kernel/store/sqlite/lock.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(from)}).then(({ takeLock }) => {
      try { takeLock(${JSON.stringify(folder)}); console.log('taken'); ${how} } catch (error) { console.log(error.message); }
    })`;
    const node = [process.execPath, '-e', script];
    const [command = '', ...args] = apart ? [...ownNamespace, ...node] : node;
    return spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  };
  const firstLine = async ({ stdout }: { readonly stdout: NodeJS.ReadableStream }): Promise<string> => {
    const said: string[] = [];
    for await (const line of createInterface(stdout)) said.push(line);
    return said.join(' ');
  };

  it('of a live process keeps out a process of another PID namespace, which does not see it', async function () {
    if (spawnSync(ownNamespace[0] ?? '', [...ownNamespace.slice(1), 'true']).status !== 0)
      leaveOutBecause(this, 'no PID namespace can be made here');
    const lock = takeLock(folder);
    expect(await firstLine(elsewhere(''))).to.contain('in use by a process of another PID namespace');
    expect(readFileSync(path, 'utf8').split('\n')[0], 'it is left alone').to.equal(String(process.pid));
    lock.release();
    expect(await firstLine(elsewhere(''))).to.equal('taken');
  });

  it('of a process that was killed is free, and its files are no obstacle', async () => {
    const child = elsewhere('setInterval(() => undefined, 1000);', { apart: false });
    await once(createInterface(child.stdout), 'line');
    expect(() => takeLock(folder)).to.throw(ConfigError, `in use by process ${child.pid}`);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(readdirSync(folder)).to.deep.equal(['lock', 'lock.held']);
    takeLock(folder).release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('of a process that has ended and was not waited for is taken over', async function () {
    if (process.platform !== 'linux') leaveOutBecause(this, 'it reads /proc of Linux');
    // The shell becomes a program that never waits for its child, before that one ends.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [pid] = (await once(createInterface(parent.stdout), 'line')) as [string];
      const fields = (): string[] => {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      };
      await until(fields, ([state]) => state === 'Z', 'the end of the child', 5);
      writeFileSync(path, `${pid}\n${fields()[19] ?? ''}\n`);
      takeLock(folder).release();
      expect(readdirSync(folder)).to.deep.equal([]);
    } finally {
      parent.kill();
    }
  });
});
