import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { until } from '../../helpers/until.ts';

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
  function serve(start: string, { settings = {}, launcher = [] }: Partial<Given> = {}): ChildProcess {
    const platform = {
      ...settings,
      listen: [{ address: '127.0.0.1:0' }],
      plugins: { policy: { config: { build_compiler: false } }, odd: { from: 'odd.ts' } },
    };
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify(platform));
    writeFileSync(
      join(home, 'odd.ts'),
      `export default (api) => api.definePlugin({ name: 'odd', start() { ${start} } });`,
    );
    said = '';
    const env = { PATH: process.env['PATH'] ?? '', ...('log_level' in settings ? {} : { ORB_LOG_LEVEL: 'error' }) };
    const [command = '', ...words] = [...launcher, process.execPath, join(packageDir, 'kernel/orb.js'), 'serve'];
    const started = spawn(command, words, { cwd: home, env });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        started.emit('said');
      });
    child = started;
    return started;
  }

  interface Given {
    /** Members of platform.json. */
    readonly settings: object;
    /** A command that runs it. */
    readonly launcher: readonly string[];
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

  const terminal = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])'];
  for (const { name, settings, launcher, form } of [
    { name: 'JSON', settings: {}, launcher: [], form: 'json' },
    { name: 'text where standard error is a terminal', settings: {}, launcher: terminal, form: 'text' },
    { name: 'text when platform.json says so', settings: { log_format: 'text' }, launcher: [], form: 'text' },
    { name: 'JSON on a terminal when it says so', settings: { log_format: 'json' }, launcher: terminal, form: 'json' },
  ] as const)
    it(`logs in ${name}`, async () => {
      await says(serve('return {};', { settings: { ...settings, log_level: 'info' }, launcher }), 'Try it');
      // The log and what is printed are two streams: either may arrive first.
      const line = await until(
        () =>
          said
            .split(/\r?\n/)
            .slice(0, -1)
            .find((text) => text.includes('the first admin key was created')) ?? '',
        (text) => text !== '',
        'the line of the log',
      );
      if (form === 'json') expect(JSON.parse(line)).to.include({ level: 'info' });
      else expect(line).to.match(/^\d{4}-\S+Z INFO {2}the first admin key was created in .*plugin=api-keys/);
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
