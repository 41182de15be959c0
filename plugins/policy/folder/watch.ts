import { watch, type FSWatcher } from 'node:fs';
import { every } from '../../../kernel/index.ts';
import { restsSince, signatureOf, type Snapshot } from './read.ts';

/** Reports the states of a folder once they are stable. */
export type FolderWatch = ReturnType<typeof watchFolder>;

/** How a folder is watched. */
export interface WatchOptions {
  readonly pollMs: number;
  readonly debounceMs: number;
  /** A folder that does not change while the program runs. */
  readonly fixed?: string;
  /** Reads the files of the folder. */
  readonly read: (folder: string) => Promise<Snapshot>;
  /** Handles a stable state (`undefined`: the folder cannot be read); false: report the state again. */
  readonly settled: (snapshot: Snapshot | undefined) => Promise<boolean>;
}

/**
 * Watches a folder with events and with a poll of its signature, because events get lost. It reports a state only after
 * two equal signatures, one debounce apart, so that it reads no half-written file. The first check, for which the start
 * waits, skips the debounce when the last change is old enough.
 */
export function watchFolder(current: () => string, options: WatchOptions) {
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
        const snapshot = await options.read(folder).catch(() => undefined);
        // The folder changed while it was read: the snapshot may be inconsistent.
        if ((await signatureOf(folder)) !== now) continue;
        told = (await options.settled(snapshot)) ? now : '';
        return;
      }
      last = now;
    }
  };
  const look = ({ again } = { again: false }): Promise<void> => {
    const begin = (): Promise<void> => {
      if (again) told = '';
      return rest();
    };
    return (running = running.then(begin, begin));
  };
  const wake = (): void => {
    if (!stopped && paused === 0) void look().catch(() => undefined);
  };
  const watcher = eventsOf(current(), wake);
  const poll = (): Promise<void> => (wake(), running.catch(() => undefined));
  const stopPolling = every(options.pollMs, poll, () => undefined);
  return {
    /** Checks the folder at once; resolves when its state was handled. `again`: report it even if it has not changed. */
    look,
    /** Ignores changes until `resume`, while the caller writes the folder. Resolves when no check is running. */
    async pause() {
      paused += 1;
      await running.catch(() => undefined);
    },
    resume: () => void (paused -= 1),
    async stop() {
      stopped = true;
      stopPolling();
      watcher?.close();
      await running.catch(() => undefined);
    },
  };
}

// The first check waits only when the folder changed recently.
function createDebounce({ debounceMs, fixed }: WatchOptions): (folder: string) => Promise<void> {
  let first = true;
  return async (folder) => {
    const still = first && (folder === fixed || (await restsSince(folder, 10 * debounceMs)));
    first = false;
    if (!still) await new Promise((resolve) => setTimeout(resolve, debounceMs));
  };
}

// Watches the folder itself; the poll covers subfolders and file systems without events. Node's recursive watcher
// throws inside its listeners, where no caller can catch the error.
function eventsOf(folder: string, heard: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, heard);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
