// So many buckets between a power of two and the next, as a power of two itself.
const fineness = 2;
const exact = 2 ** (fineness + 1);

/**
 * Finds the upper end of the bucket of a duration: whole milliseconds up to 8, above that four buckets up to each power
 * of two. The end is never below the duration, and less than a quarter above it.
 */
export function bucketOf(ms: number): number {
  const whole = Math.max(0, Math.min(Math.ceil(ms), 2 ** 31));
  if (whole <= exact) return whole;
  const width = 2 ** (31 - Math.clz32(whole - 1) - fineness);
  return Math.ceil(whole / width) * width;
}

/** How many fell into each bucket, by its upper end. */
export type Histogram = ReadonlyMap<number, number>;

/** Finds the bucket that a share of all is in or below: its upper end; undefined without any. */
export function quantile(histogram: Histogram, share: number): number | undefined {
  const ends = [...histogram].sort(([a], [b]) => a - b);
  const rank = Math.ceil(share * ends.reduce((sum, [, count]) => sum + count, 0));
  let below = 0;
  return ends.find(([, count]) => (below += count) >= rank)?.[0];
}
