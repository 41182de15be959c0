import limitsStore from './store.ts';
import { operation, type Held, type Store, every, type Log } from '../../../../kernel/index.ts';

const hourMs = 3_600_000;

/** Deletes windows of limits that are over, once an hour, on one node; the function that is returned ends that. */
export function forgetWindows({ log, store }: ForgettingOptions): Held['stop'] {
  if (!store.shared) return () => undefined;
  const forget = () => store.write([operation(limitsStore, 'forgetWindows', { ms: hourMs })]);
  const failed = (err: unknown): void => log.warn({ err }, 'the server could not delete old windows of rate limits');
  return store.peers.whenHeld('housekeeping', () => every(hourMs, forget, failed)).stop;
}

/** What forgetting needs. */
interface ForgettingOptions {
  readonly store: Pick<Store, 'peers' | 'shared' | 'write'>;
  readonly log: Pick<Log, 'warn'>;
}
