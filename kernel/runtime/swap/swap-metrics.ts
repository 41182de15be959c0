import type { Metrics } from '../../tools/metrics.ts';

/** Counts swaps by result and measures their drains. */
export interface SwapMetrics {
  finished(result: 'completed' | 'failed', drainMs: number): void;
}

/** Creates the metrics of swaps. */
export function createSwapMetrics(metrics: Metrics): SwapMetrics {
  const swaps = metrics.counter('orb_swaps_total', 'Swaps by result', ['result']);
  const drains = metrics.histogram('orb_drain_seconds', 'How long old generations took to drain');
  return {
    finished(result, drainMs) {
      swaps.inc({ result });
      if (result === 'completed') drains.observe({}, drainMs / 1000);
    },
  };
}
