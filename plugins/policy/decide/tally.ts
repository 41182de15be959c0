import type { Metrics } from '../../../kernel/index.ts';
import type { Verdict } from '../evaluator/result.ts';

/** Counts decisions without keeping an object per decision; the metrics and the status show the counts. */
export type Tally = Readonly<ReturnType<typeof createTally>>;

/** Creates the tally and registers its metrics. */
export function createTally(metrics: Metrics) {
  const counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  const tally = { hits: 0, misses: 0, timeouts: 0 };
  const duration = metrics.histogram(
    'orb_policy_evaluation_seconds',
    'Duration of decisions that were not answered from the cache',
    ['action'],
    [0.0002, 0.0005, 0.001, 0.005, 0.02, 0.05, 0.2],
  );
  metrics.collect('orb_policy_decisions_total', 'Decisions by action and outcome', 'counter', () => [
    ...counts.values(),
  ]);
  metrics.collect('orb_policy_cache_total', 'Decisions by cache result', 'counter', () => [
    { labels: { result: 'hit' }, value: tally.hits },
    { labels: { result: 'miss' }, value: tally.misses },
  ]);
  metrics.gauge('orb_policy_cache_hit_ratio', 'Share of decisions that were answered from the cache', () =>
    tally.hits + tally.misses === 0 ? 0 : tally.hits / (tally.hits + tally.misses),
  );
  return Object.assign(tally, {
    decided(action: string, verdict: Verdict, cached: boolean, milliseconds: number) {
      if (cached) tally.hits += 1;
      else {
        tally.misses += 1;
        duration.observe({ action }, milliseconds / 1000);
      }
      const outcome = verdict.allow ? 'allow' : (verdict.reasons?.[0]?.code ?? 'deny');
      if (outcome === 'policy_timeout') tally.timeouts += 1;
      const key = `${action} ${outcome}`;
      const found = counts.get(key);
      if (found === undefined) counts.set(key, { labels: { action, outcome }, value: 1 });
      else found.value += 1;
    },
  });
}
