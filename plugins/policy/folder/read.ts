import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Diagnostic } from '../contract.ts';
import { isPolicyFile } from '../revisions/revision.ts';
import { faultOf, gate, limits, type FoundFile } from './gate.ts';
import type { PolicyFile } from '../shapes.ts';

/** A folder at one moment. */
export interface Snapshot {
  readonly files: readonly FoundFile[];
  /** Links that lead out of the folder, and files that cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads all policy files below a folder: `*.rego`, `data.json`, `data/*.json`; dot-files are left out. */
export async function readFolder(folder: string): Promise<Snapshot> {
  const root = await realpath(folder);
  const files: FoundFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of await pathsBelow(root)) {
    const fault = (code: string, message: string): unknown => diagnostics.push(faultOf(code, message, path));
    try {
      const real = await realpath(join(root, path));
      if (real !== root && !real.startsWith(root + sep)) fault('link_outside', 'the link points outside the folder');
      else if (!(await stat(real)).isFile()) fault('not_a_file', 'this is neither a regular file nor a folder');
      else if ((await stat(real)).size > limits.bytes)
        fault('file_too_large', `the file is larger than ${limits.bytes} bytes`);
      else files.push({ path, bytes: await readFile(real) });
    } catch (error) {
      fault('unreadable', `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    }
    if (files.length > limits.files) break;
  }
  return { files, diagnostics };
}

/** What a folder holds. */
export interface Found {
  readonly files: readonly PolicyFile[];
  /** Paths that are named like a policy file but were refused. */
  readonly strangers: readonly string[];
}

/** Sorts the files of a folder that is being read; a folder that cannot be read holds none. */
export async function foundIn(read: Promise<Snapshot>): Promise<Found> {
  const snapshot = await read.catch(() => ({ files: [], diagnostics: [] }));
  const { files, diagnostics } = gate(snapshot.files);
  const taken = new Set(files.map(({ path }) => path));
  const refused = [...snapshot.diagnostics, ...diagnostics].flatMap(({ file = '' }) => (file === '' ? [] : [file]));
  return { files, strangers: refused.filter((path) => !taken.has(path)) };
}

/** Computes a signature of a folder's state without reading its files: any write changes a file's ctime. */
export async function signatureOf(folder: string): Promise<string> {
  try {
    const paths = await pathsBelow(folder);
    const states = await Promise.all(
      paths.map(async (path) => {
        const state = await stat(join(folder, path), { bigint: true }).catch(() => undefined);
        return state === undefined
          ? `${path} gone`
          : `${path} ${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs}`;
      }),
    );
    return [folder, ...states].join('\n');
  } catch (error) {
    return `unreadable ${(error as NodeJS.ErrnoException).code ?? ''}`;
  }
}

/**
 * Says whether no policy file below a folder was written, added or removed in the last `ms` milliseconds; false when
 * the folder cannot be read.
 */
export async function restsSince(folder: string, ms: number): Promise<boolean> {
  try {
    const states = [await stat(folder), ...(await entriesBelow(folder)).map(({ state }) => state)];
    return states.every(({ ctimeMs }) => ctimeMs < Date.now() - ms);
  } catch {
    return false;
  }
}

async function pathsBelow(root: string): Promise<readonly string[]> {
  const files = (await entriesBelow(root)).filter(({ state }) => !state.isDirectory());
  return files.map(({ path }) => path);
}

interface Entry {
  readonly path: string;
  readonly state: Stats;
}

// Finds folders, files named like a policy file, and links to folders. Stops in each folder one file above the limit.
async function entriesBelow(root: string, folder = root): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let files = 0;
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith('.')) continue;
    const full = join(folder, name);
    const path = relative(root, full).split(sep).join('/');
    const state = await lstat(full).catch(whatIsGone);
    if (state?.isDirectory() === true) found.push({ path, state }, ...(await entriesBelow(root, full)));
    else if (state !== undefined && (isPolicyFile(path) || (await isFolderLink(full, state)))) {
      found.push({ path, state });
      files += 1;
    }
    if (files > limits.files) break;
  }
  return found;
}

// Ignores only files that no longer exist: any other unreadable file may be a policy that denies.
function whatIsGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function isFolderLink(full: string, state: Stats): Promise<boolean> {
  if (!state.isSymbolicLink()) return false;
  return (await stat(full).catch(() => undefined))?.isDirectory() === true;
}
