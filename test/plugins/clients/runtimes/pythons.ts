import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { packageDir } from '../../../helpers/folder.ts';
import { runIn, type Walked } from './places.ts';

/** Finds a CPython of the machine: on the PATH, or one that pyenv built. */
export function findPython(version: string): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, `python${version}`));
  const built = globSync(join(homedir(), `.pyenv/versions/${version}.*/bin/python${version}`));
  return [...onPath, ...built].find((place) => existsSync(place) && isOf(place, version));
}

// A place may be one that only names a version which is not chosen; it must bring pip, too.
function isOf(place: string, version: string): boolean {
  try {
    const about = 'import ensurepip, platform; print(platform.python_implementation(), platform.python_version())';
    return execFileSync(place, ['-c', about], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .startsWith(`CPython ${version}.`);
  } catch {
    return false;
  }
}

/** Gets the wheels that the client needs from the registry, once for each version; answers their folder. */
export function collectWheels(python: string, version: string): string {
  const folder = join(packageDir, 'dist/runtimes', `wheels-${version}`);
  if (globSync(join(folder, '*.whl')).length > 0) return folder;
  mkdirSync(folder, { recursive: true });
  execFileSync(python, [
    '-m',
    'pip',
    'download',
    '-q',
    '--only-binary',
    ':all:',
    '-d',
    folder,
    'httpx<1',
    'cryptography',
  ]);
  return folder;
}

/** Installs the client from the index of the server, in the network of a walk; answers the Python that has it. */
export async function installByPip(
  python: string,
  { version, wheels }: { readonly version: string; readonly wheels: string },
  walked: Walked,
): Promise<string> {
  const home = join(walked.folder, `python-${version}`);
  await runIn(walked, [python, '-m', 'venv', home]);
  const index = ['--index-url', `${walked.url}/clients/simple/`, '--find-links', wheels];
  const quiet = ['-q', '--disable-pip-version-check', '--retries', '0'];
  await runIn(walked, [join(home, 'bin/pip'), 'install', ...quiet, ...index, 'agent-orb']);
  return join(home, 'bin/python');
}
