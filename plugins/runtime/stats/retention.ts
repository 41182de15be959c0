import type { RuntimeScope } from '../facts/scope.ts';
import runtimeStore from '../store.ts';
import { countedBefore, dayOf, hourOf } from '../tables/caller-counts.ts';
import { startOf, steps } from '../tables/counts.ts';
import { type Clock, type Held, operation, type Store, every } from '../../../kernel/index.ts';

/** How long counts of a step are kept, in seconds; then they are folded into the next step, and days are deleted. */
export const kept = { minute: 2 * steps.day, hour: 60 * steps.day, day: 3 * 366 * steps.day } as const;

const everyMs = 60_000;
const gatherEveryMs = 10_000;
// Parts that were not gathered for this long belong to a process that has ended.
const leftMs = 300_000;

/** Folds the counts that are due and deletes the oldest; one write for each hour or day, as little as that is. */
export async function foldCounts(store: Pick<Store, 'write'>, clock: Pick<Clock, 'now'>): Promise<void> {
  const seconds = Math.floor(clock.now() / 1000);
  for (const [step, next] of [['minute', 'hour'] as const, ['hour', 'day'] as const]) {
    const due = { from: steps[step], into: steps[next], before: startOf(seconds - kept[step], steps[next]) };
    for (let folded = true; folded;) [folded] = await store.write([operation(runtimeStore, 'foldCounts', due)]);
  }
  await store.write([operation(runtimeStore, 'forgetCounts', { step: steps.day, before: seconds - kept.day })]);
}

/** Adds the parts that this process has made since a time to the counts, and in `all` those that others left. */
export async function gatherCounts(
  store: Pick<Store, 'write'>,
  { since, now, all }: { readonly since: number; readonly now: number; readonly all: boolean },
): Promise<void> {
  // A clock may have gone back meanwhile.
  await store.write([operation(runtimeStore, 'gatherCounts', { from: since - everyMs, to: now, own: true })]);
  if (all) await store.write([operation(runtimeStore, 'gatherCounts', { from: 0, to: now - leftMs, own: false })]);
}

/** Counts the runs that are due by their callers, folds their hours into days, and deletes the oldest. */
export async function countCallers(store: Pick<Store, 'write'>, clock: Pick<Clock, 'now'>): Promise<void> {
  const now = clock.now();
  const due = { before: countedBefore(now) };
  for (let more = true; more;) [more] = await store.write([operation(runtimeStore, 'countCallers', due)]);
  const before = (age: number): number => startOf(now / 1000 - age, steps.day);
  const ends = { hour: hourOf(before(kept.hour)), day: dayOf(before(kept.day)) };
  await store.write([operation(runtimeStore, 'foldCallers', ends)]);
}

/**
 * Folds counts once a minute, on one node, and gathers their parts where there are some: each node its own, and one what
 * others left. The function that is returned ends that.
 */
export function keepCounts({ store, clock, log }: Pick<RuntimeScope, 'clock' | 'log' | 'store'>): Held['stop'] {
  const failed = (err: unknown): void =>
    log.warn({ err }, 'old statistics could not be summed up; the server tries again');
  const fold = async (): Promise<void> => {
    await foldCounts(store, clock);
    await countCallers(store, clock);
  };
  const folding = store.peers.whenHeld('housekeeping', () => every(everyMs, fold, failed));
  if (store.place.address === undefined) return folding.stop;
  let since = clock.now();
  let round = 0;
  const gather = async (): Promise<void> => {
    const now = clock.now();
    await gatherCounts(store, { since, now, all: folding.now && round++ % (everyMs / gatherEveryMs) === 0 });
    since = now;
  };
  const stopGathering = every(gatherEveryMs, gather, failed);
  return async () => {
    await folding.stop();
    stopGathering();
  };
}
