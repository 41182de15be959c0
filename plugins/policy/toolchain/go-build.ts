import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { compilerSources } from './locate.ts';

/** A build under way. */
export type GoBuild = ReturnType<typeof buildWithGo>;

const flags = ['build', '-trimpath', '-buildmode=c-shared', '-ldflags=-s -w', '-buildvcs=false'];

/**
 * Builds the compiler reproducibly with the Go on PATH into `target`. `finish` may make another file of the built one,
 * in the same folder, and answers its path. Each build has a folder of its own and ends by a rename, so builds of the
 * same target do not disturb each other.
 */
export function buildWithGo(target: string, finish = (built: string): Promise<string> => Promise.resolve(built)) {
  let stop = (): void => undefined;
  const run = async (): Promise<void> => {
    await mkdir(dirname(target), { recursive: true });
    const folder = await mkdtemp(join(dirname(target), '.build-'));
    const built = join(folder, basename(target));
    try {
      await new Promise<void>((resolve, reject) => {
        let words = '';
        const child = spawn('go', [...flags, '-o', built, '.'], {
          cwd: compilerSources,
          env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', CGO_ENABLED: '0', GOFLAGS: '' },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        stop = () => void child.kill();
        // Before any other use of the child: without free descriptors it has no pipes, and an `error` event without a
        // listener ends the process.
        child.on('error', reject);
        // A child that could not be started has no stderr, which the types do not declare.
        const told = child.stderr as Readable | undefined;
        told?.on('data', (chunk: Buffer) => (words = (words + chunk.toString('utf8')).slice(-4000)));
        child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(words.trim() || `go ended: ${code}`))));
      });
      await rename(await finish(built), target);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    /** Resolves when `target` is written; rejects with Go's error output. */
    done: run(),
    stop: () => stop(),
  };
}

/** Says whether a build failed because Go is not installed; a missing file of the build is another failure. */
export function isGoMissing(error: unknown): boolean {
  const { code, syscall = '' } = error as NodeJS.ErrnoException;
  // A working folder that is missing is reported in the same words.
  return code === 'ENOENT' && syscall.startsWith('spawn') && existsSync(compilerSources);
}
