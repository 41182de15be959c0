import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageDir } from './folder.ts';
import { readList } from '../../kernel/config/program-folder.ts';

/** A copy of the program whose files below `data/` and `policies/` a test may change, and a home next to it. */
export interface ProgramCopy {
  /** The folder of the program. */
  readonly folder: string;
  /** An empty folder. */
  readonly home: string;
  /** Empties the home, and makes `data/` and `policies/` of the program as they ship. */
  reset(): void;
  /** Writes a file below the folder of the program. */
  write(path: string, text: string): void;
  /** Runs a command of the copy in the home, or in another folder. */
  orb(args: readonly string[], cwd?: string): { readonly status: number | null; readonly text: string };
  remove(): void;
}

/** Copies the program, without what is built or installed. */
export function copyProgram(): ProgramCopy {
  const root = mkdtempSync(join(tmpdir(), 'orb-program-'));
  const folder = join(root, 'program');
  const home = join(root, 'home');
  mkdirSync(folder);
  for (const name of ['kernel', 'plugins', 'providers', 'package.json', 'tsconfig.json'])
    cpSync(join(packageDir, name), join(folder, name), { recursive: true });
  for (const name of ['node_modules', 'dist']) symlinkSync(join(packageDir, name), join(folder, name));
  const shipped = [...readList(packageDir).keys(), 'data/shipped.json'];
  const reset = (): void => {
    for (const name of ['data', 'policies']) rmSync(join(folder, name), { recursive: true, force: true });
    for (const path of shipped) cpSync(join(packageDir, path), join(folder, path));
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home);
  };
  reset();
  return {
    folder,
    home,
    reset,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    orb(args, cwd = home) {
      const env = { PATH: process.env['PATH'] ?? '' };
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'kernel/orb.js'), ...args], {
        ...{ cwd, env, encoding: 'utf8' },
      });
      return { status, text: stdout + stderr };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
