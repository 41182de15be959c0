import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resource, segment, type Target } from './targets.ts';

// Names the place in a Node executable that says whether something was injected.
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** What one executable is made of. */
export interface Parts {
  readonly target: Target;
  /** The runtime of the target. */
  readonly runtime: string;
  /** A runtime that runs here. */
  readonly maker: string;
  readonly blob: string;
}

/** Injects a blob into a runtime: the same parts always give the same bytes. Throws when the result is not whole. */
export function writeExecutable(root: string, file: string, { target, runtime, maker, blob }: Parts): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, target.format.prepare(readFileSync(runtime)));
    const postject = join(root, 'node_modules/postject/dist/cli.js');
    const words = ['--sentinel-fuse', fuse, '--macho-segment-name', segment];
    execFileSync(maker, [postject, temporary, resource, blob, ...words], { stdio: 'ignore' });
    const made = target.format.complete(readFileSync(temporary));
    const [fault] = executableFaults(target, made, readFileSync(blob));
    if (fault !== undefined) throw new Error(`${file}: ${fault}`);
    writeFileSync(temporary, made);
    chmodSync(temporary, 0o755);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Lists what is wrong with an executable: its format and architecture, its fuse, what it holds, its signature. */
export function executableFaults({ format }: Target, file: Buffer, blob: Buffer): readonly string[] {
  const at = file.indexOf(`${fuse}:`);
  const state = at === -1 ? '' : file.toString('latin1', at + fuse.length, at + fuse.length + 2);
  return [
    ...(state === ':1' ? [] : [`its fuse does not say that something was injected: "${state}"`]),
    ...(format.blob(file)?.equals(blob) === true ? [] : ['it does not hold what was injected']),
    ...format.faults(file),
  ];
}
