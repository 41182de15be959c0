import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from '../pure/note.ts';
import { replaceFile, replaceFileSync, type Awaitable } from '../../../../kernel/index.ts';

/** Name of the file in the state dir that holds a copy of the newest checkpoint. */
export const checkpointFile = 'checkpoint';

/** Reads the copy of the newest checkpoint; undefined when there is none. */
export function readCheckpointFile(stateDir: string): string | undefined {
  return readIfThere(join(stateDir, checkpointFile));
}

/** Reads a file; undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether a checkpoint is of an earlier size of its log than the copy in the state dir. */
function isBehind(note: string, stateDir: string): boolean {
  const [next, seen] = [note, readCheckpointFile(stateDir)].map((text) => readCheckpoint(text)?.checkpoint);
  return next !== undefined && seen !== undefined && next.origin === seen.origin && next.size < seen.size;
}

/** Replaces the copy synchronously: only for the start, when no request waits. */
export function replaceCheckpointFile(stateDir: string, note: string): void {
  replaceFileSync(join(stateDir, checkpointFile), note);
}

const everyMs = 1000;

/**
 * Copies the newest checkpoint to the state dir, at most once a second and never while an answer waits for it: the copy
 * reveals a store that was put back to an older state. `failed` is called when a copy could not be written.
 */
export function copyCheckpoints(
  stateDir: string,
  newest: () => Awaitable<string | undefined>,
  failed: (error: unknown) => void,
): { moved(): void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let written: string | undefined;
  let writing = Promise.resolve();
  const write = (): Promise<void> => {
    timer = undefined;
    writing = writing
      .then(async () => {
        const note = await newest();
        // A store that was put back meanwhile is behind the copy, which is there to show it.
        if (note === undefined || note === written || isBehind(note, stateDir)) return;
        await replaceFile(join(stateDir, checkpointFile), note);
        written = note;
      })
      .catch(failed);
    return writing;
  };
  return {
    /** Schedules a copy within a second, because the log has grown. */
    moved() {
      if (timer !== undefined) return;
      timer = setTimeout(() => void write(), everyMs);
      timer.unref();
    },
    /** Writes the copy a last time. */
    async close() {
      clearTimeout(timer);
      await write();
    },
  };
}
