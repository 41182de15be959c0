import type { Clock } from '../../tools/clock.ts';
import type { Log } from '../../tools/log.ts';
import { operation, type Store } from '../../store/contract.ts';
import { every } from '../../tools/every.ts';
import runtimeStore from '../store.ts';
import { startOf, steps } from './counts.ts';

/** How long counts of a step are kept, in seconds; then they are folded into the next step, and days are deleted. */
export const kept = { minute: 2 * steps.day, hour: 60 * steps.day, day: 3 * 366 * steps.day } as const;

const everyMs = 60_000;

/** Folds the counts that are due and deletes the oldest; one write for each hour or day, as little as that is. */
export async function foldCounts(store: Pick<Store, 'write'>, clock: Pick<Clock, 'now'>): Promise<void> {
  const seconds = Math.floor(clock.now() / 1000);
  for (const [step, next] of [['minute', 'hour'] as const, ['hour', 'day'] as const]) {
    const due = { from: steps[step], into: steps[next], before: startOf(seconds - kept[step], steps[next]) };
    for (let folded = true; folded;) [folded] = await store.write([operation(runtimeStore, 'foldCounts', due)]);
  }
  await store.write([operation(runtimeStore, 'forgetCounts', { step: steps.day, before: seconds - kept.day })]);
}

/** What folding needs. */
interface Keeping {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Folds counts once a minute; the function that is returned ends that. */
export function keepCounts({ store, clock, log }: Keeping): () => void {
  let folding = false;
  const fold = async (): Promise<void> => {
    if (folding) return;
    folding = true;
    await foldCounts(store, clock).finally(() => (folding = false));
  };
  return every(everyMs, fold, (err) => log.warn({ err }, 'old counts could not be folded; the server tries again'));
}
