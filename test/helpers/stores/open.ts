import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../../kernel/tools/log.ts';
import { openStore, type OpenStore, type StoreOptions } from '../../../kernel/store/serving/store.ts';
import notes from './notes.ts';
import { openBundled } from './open-shipped.ts';
import { shippedList } from './shipped-list.ts';

/** Milliseconds at which the clock of these stores stands. */
export const standingAt = Date.UTC(2026, 10, 20, 20);

// Path of the file of the store `notes`.
const notesFile: string = fileURLToPath(new URL('./notes.ts', import.meta.url));

/** The store `notes` as the loader hands it over. */
export const notesModule = { module: notes, file: notesFile };

/** Opens stores and makes folders, all of them gone after `tidy`. */
export class Stores {
  readonly #folders: string[] = [];
  readonly #stores: OpenStore[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'orb-store-'));
    this.#folders.push(folder);
    return folder;
  }

  async open(stateDir: string, options: Partial<StoreOptions> = {}): Promise<OpenStore> {
    const modules = options.modules ?? [notesModule];
    const isBundled =
      options.list === undefined && modules.every(({ file }) => file === undefined || file === notesFile);
    const store = await (isBundled ? openBundled : openStore)({
      stateDir,
      list: shippedList,
      version: '1.0.0',
      clock: { now: () => standingAt, monotonic: () => 0 },
      log: silentLog,
      ...options,
      modules,
    });
    this.#stores.push(store);
    return store;
  }

  /** Closes the stores; their folders stay. */
  async close(): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
  }

  async tidy(): Promise<void> {
    await this.close();
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Answers what a promise was rejected with; throws when it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const none = Symbol();
  const reason = await promise.then(
    () => none,
    (error: unknown) => error,
  );
  if (reason === none) throw new Error('expected a rejection');
  return reason;
}
