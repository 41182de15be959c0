import limitsStore from './store.ts';
import { operation, type Store, every, type Log } from '../../../../kernel/index.ts';

const hourMs = 3_600_000;

/** Deletes windows of limits that are over, once an hour, on one node; the function that is returned ends that. */
export function forgetWindows({ log, store }: ForgettingOptions): () => void {
  if (!store.shared) return () => undefined;
  const role = store.peers.role('housekeeping');
  const forget = async (): Promise<void> => {
    if (role.held) await store.write([operation(limitsStore, 'forgetWindows', { ms: hourMs })]);
  };
  return every(hourMs, forget, (err) => log.warn({ err }, 'the server could not delete old windows of rate limits'));
}

/** What forgetting needs. */
interface ForgettingOptions {
  readonly store: Pick<Store, 'peers' | 'shared' | 'write'>;
  readonly log: Pick<Log, 'warn'>;
}
