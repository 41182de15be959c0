import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, defineCommand } from '../../../kernel/index.ts';
import { freeBytes, takeLock, viewStore } from '../../../kernel/maintenance.ts';
import { whileGrowing } from '../growth/growth.ts';
import { freshPath, needsOwnFile, storeName } from '../store-file.ts';
import { size } from './size.ts';

// Left free next to the copy.
const reserveBytes = 64 * 1024 ** 2;

/** `orb store compact`: gives the free pages of the store back to the file system while no server runs. */
export const storeCompact = defineCommand({
  path: 'store compact',
  summary: 'return free pages of the store to the file system; stop the server first',
  async run(call) {
    needsOwnFile(call, 'use VACUUM of PostgreSQL');
    const { bar, stateDir, note, print } = call;
    const path = join(stateDir, storeName);
    if (!existsSync(path)) throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
    const lock = takeLock(stateDir);
    try {
      const before = bytesOf(path);
      const used = await usedBytes(stateDir);
      checkRoom(stateDir, used);
      note(`rewriting ${path}; an interruption does not damage it`);
      // The driver is loaded at the first use.
      const { compactStore } = await import('./whole-file.ts');
      const growing = { what: `rewriting ${storeName}`, path: freshPath(path), bytes: used };
      await whileGrowing(bar, growing, () => compactStore(path));
      const after = bytesOf(path);
      const text = `${path}: ${size(before)} before, ${size(after)} now.`;
      print({ path, before_bytes: before, after_bytes: after }, text);
    } finally {
      lock.release();
    }
  },
});

/** Throws ConfigError when a file system has no room for the copy that exists for a while next to the store. */
export function checkRoom(folder: string, used: number, free: number = freeBytes(folder)): void {
  const needed = used + reserveBytes;
  if (free >= needed) return;
  throw new ConfigError([
    `${folder}: this needs ${size(needed)} of free disk space, but ${size(free)} are free; nothing was changed`,
  ]);
}

async function usedBytes(stateDir: string): Promise<number> {
  const view = await viewStore({ stateDir });
  try {
    const pragma = (name: string): number => Number(view?.prepare(`PRAGMA ${name}`).get()?.[name]);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  } finally {
    view?.close();
  }
}

// The log counts too: it is emptied into the file.
function bytesOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
