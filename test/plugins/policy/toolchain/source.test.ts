import { spawnSync } from 'node:child_process';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createLog } from '../../../../kernel/tools/log.ts';
import { createCompilerSource } from '../../../../plugins/policy/toolchain/source.ts';

describe('a compiler that is to be built', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'orb-compiler-'))));
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    rmSync(dir, { recursive: true, force: true });
  });

  it('while no file can be opened is a line of the log, and a build for another time', async () => {
    const lines: string[] = [];
    mock.method(fs, 'existsSync', () => false);
    syncBuiltinESMExports();
    const source = createCompilerSource(
      undefined,
      dir,
      createLog('error', (line) => lines.push(line)),
    );
    mock.method(fs, 'readdirSync', () => {
      throw Object.assign(new Error('EMFILE: too many open files, scandir'), { code: 'EMFILE' });
    });
    syncBuiltinESMExports();
    await source.buildIfAbsent(() => expect.fail('nothing was built'));
    expect(source.state()).to.equal('absent');
    expect(lines.join()).to.include('the policy compiler could not be built').and.include('EMFILE');
    await source.stop();
  });

  it('while there is no descriptor for its pipes fails, and does not end the process', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { buildWithGo } from ${JSON.stringify(new URL('../../../../plugins/policy/toolchain/go-build.ts', import.meta.url).href)};
      try { for (;;) openSync('/dev/null', 'r'); } catch {}
      await buildWithGo(${JSON.stringify(join(dir, 'x.wasm'))}).done.catch((error) => process.stdout.write(error.code));
      setTimeout(() => process.stdout.write(' alive'), 10);`;
    const limited = `ulimit -n 64; exec '${process.execPath}' --input-type=module -e "$SCRIPT"`;
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', limited], {
      env: { PATH: process.env['PATH'] ?? '', SCRIPT: script },
      encoding: 'utf8',
    });
    expect(stdout, stderr).to.equal('EMFILE alive');
  });
});
