import { spawnSync } from 'node:child_process';
import fs, { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createLog } from '../../../../kernel/tools/log.ts';
import { buildWithGo, isGoMissing } from '../../../../plugins/policy/toolchain/go-build.ts';
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

  it('is built whole by each of three builds at once', async () => {
    const restore = useGo('sleep 0.1; printf compiler > "$out"');
    const target = join(dir, 'compiler.wasm');
    const compress = async (built: string): Promise<string> => {
      const bytes = readFileSync(built, 'utf8');
      await new Promise((resolve) => setTimeout(resolve, 50));
      writeFileSync(`${built}.br`, `compressed ${bytes}`);
      return `${built}.br`;
    };
    try {
      const ends = await Promise.allSettled([1, 2, 3].map(() => buildWithGo(target, compress).done));
      expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
      expect(readFileSync(target, 'utf8')).to.equal('compressed compiler');
      expect(readdirSync(dir).filter((name) => name.startsWith('.build-'))).to.deep.equal([]);
    } finally {
      restore();
    }
  });

  it('lacks Go only when Go itself cannot be started', async () => {
    const restore = useGo(undefined);
    try {
      const missing = await buildWithGo(join(dir, 'a.wasm')).done.catch((error: unknown) => error);
      expect(isGoMissing(missing)).to.equal(true);
    } finally {
      restore();
    }
    const restoreAgain = useGo('exit 0');
    try {
      const nothing = await buildWithGo(join(dir, 'b.wasm')).done.catch((error: unknown) => error);
      expect(nothing).to.include({ code: 'ENOENT' });
      expect(isGoMissing(nothing)).to.equal(false);
    } finally {
      restoreAgain();
    }
  });

  // Puts a script in the place of Go; without one, PATH holds no Go.
  function useGo(script: string | undefined): () => void {
    const path = process.env['PATH'] ?? '';
    const folder = mkdtempSync(join(dir, 'go-'));
    if (script !== undefined) {
      const lines = ['#!/bin/sh', 'while [ "$1" != -o ]; do shift; done', 'out=$2', script, ''];
      writeFileSync(join(folder, 'go'), lines.join('\n'));
      chmodSync(join(folder, 'go'), 0o755);
    }
    process.env['PATH'] = script === undefined ? folder : `${folder}:${path}`;
    return () => void (process.env['PATH'] = path);
  }
});
