import type { Clock } from '../../../kernel/index.ts';
import type { SourceRecord } from '../sources/settings/schema.ts';

/** Token buckets, one per source. */
export type Rates = ReturnType<typeof createRates>;

/** Creates the buckets of deliveries: 50 per second and a burst of 500, unless the source sets other limits. */
export function createRates(clock: Clock) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    /** Takes one token; returns 0, or the seconds until a token is available. */
    take({ source_id, limits }: SourceRecord): number {
      const { rate_per_second = 50, burst = 500 } = limits ?? {};
      const now = clock.monotonic();
      const bucket = buckets.get(source_id) ?? { tokens: burst, at: now };
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * rate_per_second);
      bucket.at = now;
      buckets.set(source_id, bucket);
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / rate_per_second);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
