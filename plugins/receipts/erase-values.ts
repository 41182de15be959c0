import { every, operation, type PluginScope, type Store } from '../../kernel/index.ts';
import receiptsStore from './store.ts';

const hourMs = 3_600_000;

// Most rows deleted per write, so that the writer can commit runs in between.
const most = 5000;

/** Erases the kept values that are due at a time, milliseconds since the Unix epoch; returns how many. */
export async function eraseValues(store: Pick<Store, 'write'>, before: number): Promise<number> {
  for (let total = 0; ;) {
    const [erased] = await store.write([operation(receiptsStore, 'eraseValues', { before, most })]);
    total += Number(erased);
    if (Number(erased) < most) return total;
  }
}

/**
 * Erases the kept values that are due, now and once an hour; the function that is returned ends that. Values are kept for
 * whole days, so an hour more or less does not matter.
 */
export function eraseRegularly({
  clock,
  log,
  store,
}: Pick<PluginScope<object, Record<never, never>>, 'clock' | 'log' | 'store'>): () => void {
  const failed = (err: unknown): void =>
    log.warn({ err }, 'kept values could not be erased; the server tries again in an hour');
  const erase = (): Promise<number> => eraseValues(store, clock.now());
  erase().catch(failed);
  return every(hourMs, erase, failed);
}
