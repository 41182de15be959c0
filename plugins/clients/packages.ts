import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Log } from '../../kernel/index.ts';
import { once } from '../pages/contract.ts';

/** A file that the server offers for download. */
export interface Package {
  readonly name: string;
  readonly url: string;
  /** 64 hex digits. */
  readonly sha256: string;
  readonly bytes: Buffer;
}

const folder = new URL('../../dist/clients/', import.meta.url);
const build = new URL('./build/main.ts', import.meta.url);
const offered = /^[\w.-]+\.(?:tgz|whl)$/;

/** Reads the packages at the first call; a checkout builds them first, unless they are those of its sources. */
export function createPackages(log: Log, publicUrl: string): () => Promise<readonly Package[]> {
  return once(async () => {
    if (existsSync(build))
      await promisify(execFile)(process.execPath, [fileURLToPath(build)]).catch((error: unknown) =>
        log.warn({ err: error }, 'the client libraries could not be built; run npm ci, then npm run build:clients'),
      );
    const names = (await readdir(folder).catch(() => [])).filter((name) => offered.test(name)).sort();
    return Promise.all(
      names.map(async (name) => {
        const bytes = await readFile(new URL(name, folder));
        return { name, url: `${publicUrl}/clients/${name}`, sha256: hash('sha256', bytes), bytes };
      }),
    );
  });
}
