import type { OrbisetManifest } from '../../frame/wire.ts';

/** Writes the limits of an Orbiset; undefined: it has none. */
export function limitsText({ limits = {} }: Pick<OrbisetManifest, 'limits'>): string | undefined {
  const { rate, concurrency, async_concurrency } = limits;
  const all = [
    rate && `${rate.count.toLocaleString('en')} runs in ${rate.window_s} s`,
    concurrency !== undefined && `${concurrency} at the same time`,
    async_concurrency !== undefined && `${async_concurrency} queued runs at the same time`,
  ].filter((one) => typeof one === 'string');
  return all.length === 0 ? undefined : all.join(', ');
}
