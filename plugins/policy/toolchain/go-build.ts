import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compilerSources } from './locate.ts';

/** A build under way. */
export interface GoBuild {
  /** Resolves when `target` is written; rejects with Go's error output. */
  readonly done: Promise<void>;
  stop(): void;
}

const flags = ['build', '-trimpath', '-buildmode=c-shared', '-ldflags=-s -w', '-buildvcs=false'];

/** Builds the compiler reproducibly with the Go on PATH into `target`, through a temporary file and a rename. */
export function buildWithGo(target: string): GoBuild {
  const temporary = `${target}.${process.pid}.tmp`;
  let stop = (): void => undefined;
  const run = async (): Promise<void> => {
    await mkdir(dirname(target), { recursive: true });
    try {
      await new Promise<void>((resolve, reject) => {
        let words = '';
        const child = spawn('go', [...flags, '-o', temporary, '.'], {
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
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  };
  return { done: run(), stop: () => stop() };
}

/** Says whether a build failed because Go is not installed. */
export function isGoMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
