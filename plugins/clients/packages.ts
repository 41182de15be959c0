import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Log } from '../../kernel/index.ts';

/** A file that the server offers for download. */
export interface Package {
  readonly name: string;
  readonly bytes: Buffer;
  /** 64 hex digits. */
  readonly sha256: string;
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const build = fileOf('./build/main.ts');
// A checkout and the executable have the first, an installed package of the program has the second.
const [made, installed] = [fileOf('../../dist/clients/'), fileOf('./built/')];
const offered = /^[\w.-]+\.(?:tgz|whl)$/;

/** Reads the packages at the first call; a checkout builds them first, unless they are those of its sources. */
export function createPackages(log: Log): () => Promise<readonly Package[]> {
  let found: Promise<readonly Package[]> | undefined;
  return () =>
    (found ??= readPackages(log).catch((error: unknown) => {
      found = undefined;
      throw error;
    }));
}

async function readPackages(log: Log): Promise<readonly Package[]> {
  const folder = existsSync(installed) ? installed : made;
  if (folder === made && existsSync(build))
    await promisify(execFile)(process.execPath, [build]).catch((error: unknown) =>
      log.warn({ err: error }, 'the client libraries could not be built; run npm ci, then npm run build:clients'),
    );
  const names = (await readdir(folder).catch(() => [])).filter((name) => offered.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(folder + name);
      return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}
