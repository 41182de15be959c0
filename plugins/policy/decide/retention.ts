import { every, operation, type Clock, type Log, type Store } from '../../../kernel/index.ts';
import policyStore from '../store.ts';

const hour = 3_600_000;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

// Most rows deleted per write, so that the writer can commit runs in between.
const most = 5_000;

/** How long and how many decisions are kept. */
export interface Retention {
  readonly days: number;
  readonly rows: number;
}

/** Deletes decisions that are older than `days` or beyond the newest `rows`; returns how many. */
export async function forgetDecisions(store: Store, clock: Clock, { days, rows }: Retention): Promise<number> {
  const before = firstIdAt(clock.now() - days * 24 * hour);
  for (let total = 0; ;) {
    const [forgotten] = await store.write([operation(policyStore, 'prune', { before, rows, most })]);
    total += Number(forgotten);
    if (Number(forgotten) < most) return total;
  }
}

/** Deletes old decisions once an hour; returns a function that stops it. */
export function keepDecisions(store: Store, clock: Clock, retention: Retention, log: Log): () => void {
  return every(
    hour,
    () => forgetDecisions(store, clock, retention),
    (error) => log.error({ err: error }, 'old decisions could not be deleted'),
  );
}

/** Returns the smallest decision id of a time in ms: a ULID begins with its time. */
export function firstIdAt(ms: number): string {
  let text = '';
  for (let left = Math.max(0, ms), place = 0; place < 10; place += 1) {
    text = `${alphabet[left % 32] ?? '0'}${text}`;
    left = Math.floor(left / 32);
  }
  return `dec_${text}${'0'.repeat(16)}`;
}
