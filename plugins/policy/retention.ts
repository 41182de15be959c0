import { operation, type Clock, type Log, type Store } from '../../kernel/index.ts';
import policyStore from './store.ts';

const hour = 3_600_000;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Forgets decisions older than `days`, once an hour. */
export function keepDecisions(store: Store, clock: Clock, days: number, log: Log): NodeJS.Timeout {
  return setInterval(() => {
    const before = firstIdAt(clock.now() - days * 24 * hour);
    store
      .write([operation(policyStore, 'prune', { before })])
      .catch((error: unknown) => log.error({ err: error }, 'old decisions could not be forgotten'));
  }, hour).unref();
}

/** The smallest decision id of a moment: its ULID begins with the time. */
export function firstIdAt(ms: number): string {
  let text = '';
  for (let left = Math.max(0, ms), place = 0; place < 10; place += 1) {
    text = `${alphabet[left % 32] ?? '0'}${text}`;
    left = Math.floor(left / 32);
  }
  return `dec_${text}${'0'.repeat(16)}`;
}
