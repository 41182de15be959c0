import { watch, type FSWatcher } from 'node:fs';
import { readFolder, signatureOf, type Snapshot } from './read.ts';

/** Tells of a folder's states as they come to rest. */
export interface FolderWatch {
  /** Looks at once and resolves when what was found has been dealt with. */
  look(): Promise<void>;
  /** Between the two, changes are not looked at: the one who holds writes the folder. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** How a folder is watched. */
export interface WatchOptions {
  readonly pollMs: number;
  readonly debounceMs: number;
  /** Deals with a state that has come to rest (`undefined`: the folder cannot be read); false: tell it again. */
  readonly settled: (snapshot: Snapshot | undefined) => Promise<boolean>;
}

/**
 * Watches a folder by events and by a poll of its signature, since events get lost. A state is told only after two
 * equal looks, a debounce apart: a file that is still being written is not read.
 */
export function watchFolder(current: () => string, { pollMs, debounceMs, settled }: WatchOptions): FolderWatch {
  let told = '';
  let paused = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const rest = async (): Promise<void> => {
    const folder = current();
    let last = await signatureOf(folder);
    while (!stopped && paused === 0) {
      if (last === told) return;
      await new Promise((resolve) => setTimeout(resolve, debounceMs));
      const now = await signatureOf(folder);
      if (now === last) {
        const snapshot = await readFolder(folder).catch(() => undefined);
        // Written while it was read: what was read may be torn.
        if ((await signatureOf(folder)) !== now) continue;
        told = (await settled(snapshot)) ? now : '';
        return;
      }
      last = now;
    }
  };
  const look = (): Promise<void> => {
    running = running.then(rest, rest);
    return running;
  };
  const wake = (): void => {
    if (!stopped && paused === 0) void look().catch(() => undefined);
  };
  const poll = (): void => {
    timer = setTimeout(() => {
      wake();
      void running.catch(() => undefined).finally(() => stopped || poll());
    }, pollMs).unref();
  };
  const watcher = eventsOf(current(), wake);
  poll();
  return {
    look,
    pause: () => void (paused += 1),
    resume: () => void (paused -= 1),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      watcher?.close();
      await running.catch(() => undefined);
    },
  };
}

// A file system without events leaves the poll.
function eventsOf(folder: string, heard: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { recursive: true, persistent: false }, heard);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
