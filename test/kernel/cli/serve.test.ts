import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../../kernel/config.ts';

describe('orb serve', function () {
  this.timeout(60_000);
  let home: string;
  let child: ChildProcess | undefined;
  let said: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-serve-'));
    mkdirSync(join(home, 'data'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  /** Serves with one plugin from outside, whose `start` has this body. */
  function serve(start: string): ChildProcess {
    const platform = {
      listen: [{ address: '127.0.0.1:0' }],
      plugins: { policy: { config: { build_compiler: false } }, odd: { from: 'odd.ts' } },
    };
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify(platform));
    writeFileSync(
      join(home, 'odd.ts'),
      `export default (api) => api.definePlugin({ name: 'odd', start() { ${start} } });`,
    );
    said = '';
    const env = { PATH: process.env['PATH'] ?? '', ORB_LOG_LEVEL: 'error' };
    const started = spawn(process.execPath, [join(packageDir, 'kernel/orb.js'), 'serve'], { cwd: home, env });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        started.emit('said');
      });
    child = started;
    return started;
  }

  async function says(process: ChildProcess, text: string): Promise<void> {
    while (!said.includes(text)) await new Promise((resolve) => process.once('said', resolve));
  }

  const ended = (process: ChildProcess): Promise<readonly unknown[]> =>
    new Promise((resolve) => process.once('exit', (code, signal) => resolve([code, signal])));

  it('stops in order when the terminal and a launcher both pass on one Ctrl-C', async () => {
    const process = serve(`return { async stop() {
      console.log('odd stops');
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log('odd has stopped');
    } };`);
    const end = ended(process);
    await says(process, 'Try it');
    process.kill('SIGINT');
    await says(process, 'odd stops');
    process.kill('SIGINT');
    expect(await end, said).to.deep.equal([0, null]);
    expect(said).to.include('odd has stopped');
  });

  it('ends when a plugin does not start and leaves something open', async () => {
    const process = serve(`setInterval(() => undefined, 1000); throw new Error('no luck');`);
    expect(await ended(process), said).to.deep.equal([1, null]);
    expect(said).to.include('plugin odd did not start').and.include('no luck');
  });

  it('ends when a plugin leaves something open as it stops', async () => {
    const process = serve(`setInterval(() => undefined, 1000); return {};`);
    const end = ended(process);
    await says(process, 'Try it');
    process.kill('SIGTERM');
    expect(await end, said).to.deep.equal([0, null]);
  });
});
