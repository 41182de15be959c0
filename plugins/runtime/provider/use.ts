import { generationsOf, type Binding } from './binding.ts';
import type { OrbUse } from '../tables/orb-uses.ts';

/** Says how this node uses the providers of an Orb now. */
export function useOf(binding: Binding): OrbUse {
  const in_flight: Record<string, number> = {};
  for (const { provider, in_flight: held } of generationsOf(binding))
    if (held > 0) in_flight[provider.name] = (in_flight[provider.name] ?? 0) + held;
  const generation = binding.order[0]?.generation?.number ?? 0;
  return { generation, draining: binding.draining.size > 0, in_flight };
}

/** Counts the runs of all providers. */
export function totalOf({ in_flight }: Pick<OrbUse, 'in_flight'>): number {
  return Object.values(in_flight).reduce((sum, held) => sum + held, 0);
}

interface Status {
  readonly swap_status: string;
  readonly providers: readonly { readonly name: string; readonly in_flight: number }[];
}

/** Adds to the status of this node what other nodes have in flight: to the first row of each provider. */
export function withOthers<S extends Status>(status: S, others: readonly OrbUse[]): S {
  const seen = new Set<string>();
  const providers = status.providers.map((row) => {
    if (seen.has(row.name)) return row;
    seen.add(row.name);
    return { ...row, in_flight: others.reduce((sum, use) => sum + (use.in_flight[row.name] ?? 0), row.in_flight) };
  });
  const drains = status.swap_status === 'stable' && others.some(({ draining }) => draining);
  return { ...status, ...(drains ? { swap_status: 'draining' } : {}), providers };
}
