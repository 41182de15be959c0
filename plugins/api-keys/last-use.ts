import { operation, timestamp, type Log, type Store } from '../../kernel/index.ts';
import apiKeysStore, { type KeyUse } from './store.ts';

// Two nodes note their uses within seconds of each other, and each of them once a minute.
const aheadMs = 60_000;

/** Creates a writer of last uses, for which no request waits: one write at a time, with all uses noted during the previous write. */
export function createLastUse(store: Pick<Store, 'write'>, log: Log) {
  const pending = new Map<string, KeyUse>();
  let running: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (pending.size > 0) {
      const uses = [...pending.values()];
      pending.clear();
      try {
        await store.write([operation(apiKeysStore, 'touch', uses)]);
      } catch (error) {
        log.warn({ err: error, keys: uses.length }, 'the server could not record the last use of keys');
      }
    }
    running = undefined;
  }

  return {
    /** Adds one use; `at` in milliseconds since the Unix epoch. */
    note(keyId: string, at: number) {
      pending.set(keyId, { key_id: keyId, at: timestamp(at), until: timestamp(at + aheadMs) });
      running ??= flush();
    },
    /** Resolves when everything noted so far was written, or failed and was logged. */
    settled: async () => running,
  };
}
