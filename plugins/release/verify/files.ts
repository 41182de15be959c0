import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { statementFiles, type Subject } from '../statement.ts';

/** The verdict on one file. */
export interface FileVerdict {
  readonly name: string;
  readonly result: 'pass' | 'fail';
  readonly detail?: string;
}

/** Computes the digests of a file, as a statement holds them. */
export async function digestsOf(path: string): Promise<Subject['digest']> {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  await pipeline(createReadStream(path), async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      sha256.update(chunk);
      sha512.update(chunk);
    }
  });
  return { sha256: sha256.digest('hex'), sha512: sha512.digest('hex') };
}

/** Lists the files of a release that its statement must have as subjects: paths below the folder, sorted. */
export async function releasedFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !statementFiles.includes(name))
    .sort();
}

/** Verifies files of a release, each by its name. */
export function verifyFiles(
  files: readonly { readonly name: string; readonly path: string }[],
  subjects: readonly Subject[],
): Promise<readonly FileVerdict[]> {
  return Promise.all(files.map(async ({ name, path }) => verdictOf(name, await digestsIfFile(path), subjects)));
}

/** Verifies a whole folder: each file in it is a subject, and each subject is in it. */
export async function verifyFolder(folder: string, subjects: readonly Subject[]): Promise<readonly FileVerdict[]> {
  const names = await releasedFiles(folder);
  const found = await verifyFiles(
    names.map((name) => ({ name, path: join(folder, name) })),
    subjects,
  );
  const missing = subjects.filter(({ name }) => !names.includes(name));
  return [...found, ...missing.map(({ name }) => failed(name, 'is missing'))];
}

async function digestsIfFile(path: string): Promise<Subject['digest'] | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true ? digestsOf(path) : undefined;
}

function verdictOf(name: string, digests: Subject['digest'] | undefined, subjects: readonly Subject[]): FileVerdict {
  if (digests === undefined) return failed(name, 'cannot be read as a file');
  const isSame = ({ digest }: Subject): boolean => digest.sha256 === digests.sha256 && digest.sha512 === digests.sha512;
  const subject = subjects.find((one) => one.name === name);
  if (subject !== undefined && isSame(subject)) return { name, result: 'pass' };
  const other = subjects.find(isSame);
  if (other !== undefined) return failed(name, `has the content of ${other.name}`);
  return failed(name, subject === undefined ? 'is not part of the release' : 'is not the file that was released');
}

function failed(name: string, detail: string): FileVerdict {
  return { name, result: 'fail', detail };
}
