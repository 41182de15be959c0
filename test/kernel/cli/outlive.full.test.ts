import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { createServed } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

const program = shippedProgram;
const statusOf = (url: string, path: string): Promise<number> =>
  fetch(url + path).then(
    ({ status }) => status,
    () => 0,
  );

describe('a server', function () {
  this.timeout(120_000);
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'orb-outlive-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('outlives five seconds without a free descriptor: no timer, watcher or listener ends it', async () => {
    const executable = join(dir, 'orb');
    writeFileSync(executable, `#!/bin/sh\nulimit -n 128\nexec '${process.execPath}' '${program}' "$@"\n`);
    chmodSync(executable, 0o755);
    const preload = new URL('./descriptors/exhaust.ts', import.meta.url);
    const served = createServed({}, { executable, preload });
    try {
      const { url } = await served.start();
      served.signal('SIGUSR2');
      // Strangers that it cannot take.
      const strangers = Array.from({ length: 20 }, () => {
        const { hostname, port } = new URL(url);
        return connect(Number(port), hostname).on('error', () => undefined);
      });
      await until(
        () => existsSync(join(served.home, 'released')),
        (released) => released,
        'the descriptors to be given back',
      );
      for (const stranger of strangers) stranger.destroy();
      await until(
        () => statusOf(url, '/health'),
        (status) => status === 200,
      );
      expect(await served.stop()).to.equal(0);
    } finally {
      await served.remove();
    }
  });

  for (const log_format of ['json', 'text'])
    it(`serves while its log of ${log_format} cannot be written, and ends when told`, async () => {
      mkdirSync(join(dir, 'data'));
      writeFileSync(join(dir, 'data/platform.json'), JSON.stringify({ log_format }));
      const full = existsSync('/dev/full') ? openSync('/dev/full', 'w') : 'pipe';
      const env = { PATH: process.env['PATH'] ?? '', ORB_HOME: dir, ORB_LISTEN: '127.0.0.1:0', ORB_LOG_LEVEL: 'debug' };
      const child = spawn(process.execPath, [program, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', full] });
      // Where there is no such device: a pipe that nobody reads.
      child.stderr?.destroy();
      try {
        let out = '';
        child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
        const url = await until(
          () => /"url": "([^"]+)"/.exec(out)?.[1] ?? '',
          (found) => found !== '',
          'the server to listen',
        );
        for (let asked = 0; asked < 20; asked++) expect(await statusOf(url, '/nothing')).to.equal(404);
        expect(await statusOf(url, '/health')).to.equal(200);
        const exit = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
        child.kill('SIGTERM');
        expect(await exit).to.equal(0);
      } finally {
        child.kill('SIGKILL');
      }
    });
});
