import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { retryAfterOf } from '../../../kernel/outbound.ts';
import { hashBytes, entriesOf, tilePath, tileWidth } from '../log/pure/tree.ts';
import type { LogSource } from './source.ts';

/** Reads one file of a log by its path below the log's base; undefined when the file does not exist. */
export type ReadLogFile = (path: string) => Promise<Uint8Array | undefined>;

/**
 * Reads a log through its files (C2SP tlog-tiles). A missing partial tile is cut from the full one; a file with more or
 * less content than its name says is returned unchanged.
 */
export function filesSource(read: ReadLogFile): LogSource {
  const full = (level: number | 'entries', n: number): Promise<Uint8Array | undefined> =>
    read(tilePath({ level, n, width: tileWidth }));
  return {
    async checkpoint() {
      const note = await read('checkpoint');
      return note === undefined ? undefined : Buffer.from(note).toString();
    },
    async bundle(n, width) {
      const own = await read(tilePath({ level: 'entries', n, width }));
      if (own !== undefined) return entriesOf(own);
      const all = entriesOf((await full('entries', n)) ?? new Uint8Array());
      return all?.length === tileWidth ? all.slice(0, width) : undefined;
    },
    async tile({ level, n, width }) {
      const own = await read(tilePath({ level, n, width }));
      if (own !== undefined) return own;
      const all = await full(level, n);
      return all?.length === tileWidth * hashBytes ? all.subarray(0, width * hashBytes) : undefined;
    },
  };
}

const deadlineMs = 30_000;
const mostWaits = 5;
// Seconds.
const longestWait = 30;

/** Reads the files of a log at an address such as `https://orb.example/log`. Throws when it cannot be reached. */
export function atUrl(base: string): ReadLogFile {
  return async (path) => {
    const response = await patiently(`${base.replace(/\/$/, '')}/${path}`);
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${path}: the server responded with status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}

// A reader of a whole log meets the rate limit of public routes, and waits as long as the server says.
async function patiently(url: string): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) });
    const seconds = retryAfterOf(Object.fromEntries(response.headers), Date.now()) ?? Infinity;
    if (response.status !== 429 || waits === mostWaits || seconds > longestWait) return response;
    await response.body?.cancel();
    await setTimeout(seconds * 1000);
  }
}

/** Reads the files of a log in a folder. */
export function inFolder(folder: string): ReadLogFile {
  return async (path) => {
    try {
      return await readFile(join(folder, path));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  };
}
