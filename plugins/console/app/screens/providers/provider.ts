import type { LastFailure, ProviderRow } from '../../frame/wire.ts';

/** Events after which what is shown of providers is read again. */
export const providerEvents = [
  ...(['swap.completed', 'swap.failed', 'health.changed', 'order.changed', 'order.removed'] as const),
] as const;

/** Writes an error rate. */
export const percentOf = (rate: number): string => `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`;

/** Finds why a provider is down: its newest failure; undefined when it is not down, or the reason is unknown. */
export function whyDown({ health, probe_failure: probe, call_failure: call }: ProviderRow): LastFailure | undefined {
  if (health !== 'down') return undefined;
  return (probe?.at ?? '') >= (call?.at ?? '') ? probe : call;
}
