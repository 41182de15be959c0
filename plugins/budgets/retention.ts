import {
  eraseAll,
  every,
  operation,
  timestamp,
  type Clock,
  type Held,
  type Log,
  type Store,
} from '../../kernel/index.ts';
import budgetsStore from './store.ts';
import { firstRowAfter } from './windows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What is erased, and when. */
export interface Retention {
  readonly store: Pick<Store, 'peers' | 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
  readonly days: number;
}

/**
 * Erases old windows and usage, and takes for assumed what was reserved a day ago and never settled, by runs that ended
 * while the plugin was off.
 */
export async function tidy({ clock, days, store }: Omit<Retention, 'log'>): Promise<void> {
  const now = clock.now();
  await eraseAll(store, (most) => operation(budgetsStore, 'lapse', { before: now - dayMs, most }));
  const ended = firstRowAfter(now - dayMs);
  await eraseAll(store, (most) => operation(budgetsStore, 'eraseWindows', { before: ended, most }));
  const before = timestamp(now - days * dayMs).slice(0, 10);
  await eraseAll(store, (most) => operation(budgetsStore, 'eraseUsage', { before, most }));
}

/** Tidies every hour, on one node; answers how it ends. */
export function keepTidy(retention: Retention): Held['stop'] {
  const failed = (err: unknown): void => retention.log.warn({ err }, 'old usage and budgets could not be erased');
  return retention.store.peers.whenHeld('budgets', () => every(hourMs, () => tidy(retention), failed)).stop;
}
