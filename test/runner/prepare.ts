import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { distPath } from '../../plugins/policy/toolchain/locate.ts';
import { hasTool } from '../helpers/needs.ts';
import { makeTemplate } from '../helpers/postgres.ts';
import { kindOf } from './files.ts';
import { reachedBy } from './imports.ts';
import { bundleProgram, bundleThreads } from './program.ts';
import { warmUp } from './warm-up.ts';

/** What a run has made for its tests. */
export interface Prepared {
  /** Variables by which the tests find it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const memory = '/dev/shm';
const leastBytes = 4 * 2 ** 30;
const compilerTests = 'test/plugins/policy/compiler.ts';

/**
 * Makes once what many files of a run need: the policy compiler where Go can build it, the program as a bundle, and
 * the data of a new PostgreSQL server.
 */
export async function prepare(files: readonly string[]): Promise<Prepared> {
  if (!existsSync(distPath()) && hasTool('go') && files.some((file) => reachedBy(file, 'test/').has(compilerTests)))
    buildCompiler();
  const kinds = new Set(files.map(kindOf));
  const starts = kinds.has('process') || kinds.has('database') || kinds.has('browser');
  const bundles = starts ? { SUITE_PROGRAM: await bundleProgram(), SUITE_THREADS: await bundleThreads() } : undefined;
  // Beside the first tests.
  const warming = bundles === undefined ? undefined : warmUp(bundles.SUITE_PROGRAM).catch(console.error);
  const template = kinds.has('database') && hasTool('postgresql') ? await makeTemplate() : undefined;
  const folder = inMemory();
  return {
    env: {
      ...bundles,
      ...(folder === undefined ? {} : { TMPDIR: folder }),
      ...(template === undefined ? {} : { SUITE_INITDB: template.path }),
    },
    async remove() {
      await warming;
      template?.remove();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Makes the folder for temporary files in the memory where Linux has room there: a platform writes to the disk some
 * twenty times before it serves, and waits each time.
 */
function inMemory(): string | undefined {
  if (process.env['TMPDIR'] !== undefined || !mayExecute(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  const room = Math.min(bavail * bsize, process.availableMemory());
  return room < leastBytes ? undefined : mkdtempSync(join(memory, 'orb-'));
}

// Containers often mount it without.
function mayExecute(folder: string): boolean {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
  const options = mounts
    .split('\n')
    .find((line) => line.split(' ')[1] === folder)
    ?.split(' ')[3];
  return options !== undefined && !options.split(',').includes('noexec');
}

function buildCompiler(): void {
  console.log('building the policy compiler with Go, once');
  const script = join(packageDir, 'plugins/policy/toolchain/build-compiler.ts');
  // What fails here fails in the tests of the compiler, with their names.
  try {
    execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch {
    return;
  }
}
