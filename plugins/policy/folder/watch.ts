import { watch, type FSWatcher } from 'node:fs';
import { after } from '../../../kernel/index.ts';
import { readFolder, restsSince, signatureOf, type Snapshot } from './read.ts';

/** Tells of a folder's states as they come to rest. */
export interface FolderWatch {
  /** Looks at once and resolves when what was found has been dealt with; `anew`: even if it has not changed. */
  look(how?: { readonly anew: boolean }): Promise<void>;
  /** Between the two, changes are not looked at: the one who holds writes the folder. Resolves when no look is under way. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** How a folder is watched. */
export interface WatchOptions {
  readonly pollMs: number;
  readonly debounceMs: number;
  /** A folder that nobody writes while the program runs. */
  readonly fixed?: string;
  /** Deals with a state that has come to rest (`undefined`: the folder cannot be read); false: tell it again. */
  readonly settled: (snapshot: Snapshot | undefined) => Promise<boolean>;
}

/**
 * Watches a folder by events and by a poll of its signature, since events get lost. A state is told only after two
 * equal looks, a debounce apart: a file that is still being written is not read. The first look, for which the start
 * waits, takes a folder at its word that was last changed long ago.
 */
export function watchFolder(current: () => string, options: WatchOptions): FolderWatch {
  const debounce = createDebounce(options);
  let told = '';
  let paused = 0;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const rest = async (): Promise<void> => {
    const folder = current();
    let last = await signatureOf(folder);
    while (!stopped && paused === 0) {
      if (last === told) return;
      await debounce(folder);
      const now = await signatureOf(folder);
      if (now === last) {
        const snapshot = await readFolder(folder).catch(() => undefined);
        // Written while it was read: what was read may be torn.
        if ((await signatureOf(folder)) !== now) continue;
        told = (await options.settled(snapshot)) ? now : '';
        return;
      }
      last = now;
    }
  };
  const look = ({ anew } = { anew: false }): Promise<void> => {
    const begin = (): Promise<void> => {
      if (anew) told = '';
      return rest();
    };
    running = running.then(begin, begin);
    return running;
  };
  const wake = (): void => {
    if (!stopped && paused === 0) void look().catch(() => undefined);
  };
  const watcher = eventsOf(current(), wake);
  const poll = every(options.pollMs, () => (wake(), running.catch(() => undefined)));
  return {
    look,
    async pause() {
      paused += 1;
      await running.catch(() => undefined);
    },
    resume: () => void (paused -= 1),
    async stop() {
      stopped = true;
      poll.stop();
      watcher?.close();
      await running.catch(() => undefined);
    },
  };
}

// The first time, only where somebody may be writing.
function createDebounce({ debounceMs, fixed }: WatchOptions): (folder: string) => Promise<void> {
  let first = true;
  return async (folder) => {
    const still = first && (folder === fixed || (await restsSince(folder, 10 * debounceMs)));
    first = false;
    if (!still) await new Promise((resolve) => setTimeout(resolve, debounceMs));
  };
}

// Files of the folder itself; those below it, and a file system without events, are left to the poll. Node's own watcher
// of whole trees throws in its listeners, where nobody can catch it.
function eventsOf(folder: string, heard: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, heard);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

// The pause begins when what was begun has ended.
function every(ms: number, run: () => Promise<void>): { readonly stop: () => void } {
  let stopTimer = (): void => undefined;
  let stopped = false;
  const next = (): void => {
    if (stopped) return;
    stopTimer = after(
      ms,
      () => run().finally(next),
      () => undefined,
    );
  };
  next();
  return { stop: () => ((stopped = true), stopTimer()) };
}
