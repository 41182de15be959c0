/** How a provider of the order of an Orb is. */
export interface ProviderRow {
  readonly name: string;
  readonly adapter: string;
  readonly role: 'active' | 'standby' | 'draining';
  readonly health: 'up' | 'degraded' | 'down' | 'unknown';
  readonly breaker: 'closed' | 'open' | 'half_open';
  readonly generation: number;
  readonly in_flight: number;
  readonly oldest_ms: number;
  readonly error_rate: number;
  readonly p95_ms: number;
  readonly probe_failure?: LastFailure;
  readonly call_failure?: LastFailure;
}

/** The last failure of a probe or of a call, at the node that answered. */
export interface LastFailure {
  readonly at: string;
  readonly reason: string;
}

/** The providers of an Orb, in the order in which they are tried. */
export interface ProviderStatus {
  readonly orb_id: string;
  readonly active_provider?: string;
  readonly generation: number;
  readonly source: 'config' | 'swap';
  readonly swap_status: 'stable' | 'swapping' | 'draining';
  readonly last_swap?: Swap;
  readonly providers: readonly ProviderRow[];
}

/** A change of the provider of an Orb. */
export interface Swap {
  readonly swap_id: string;
  readonly orb_id: string;
  readonly from?: string;
  readonly to: string;
  readonly state: string;
  readonly generation: number;
  readonly rolls_back?: string;
  readonly started_at: string;
  readonly switched_at?: string;
  readonly reason?: string;
  readonly receipt_id?: string;
}

/** Events after which what is shown of providers is read again. */
export const providerEvents = ['swap.completed', 'swap.failed', 'health.changed'] as const;

/** Writes an error rate. */
export const percentOf = (rate: number): string => `${(rate * 100).toFixed(rate > 0 && rate < 0.1 ? 1 : 0)} %`;

/** Finds why a provider is down: its newest failure; undefined when it is not down, or the reason is unknown. */
export function whyDown({ health, probe_failure: probe, call_failure: call }: ProviderRow): LastFailure | undefined {
  if (health !== 'down') return undefined;
  return (probe?.at ?? '') >= (call?.at ?? '') ? probe : call;
}
