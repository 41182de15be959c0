/** How a component or provider is: `unknown` until measured. */
export type Health = 'up' | 'degraded' | 'down' | 'unknown';

/** Tells that a component (store, plugin) or provider changed its health. */
export interface HealthChange {
  readonly kind: 'component' | 'provider';
  readonly name: string;
  readonly from: Health;
  readonly to: Health;
  readonly reason?: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** Answers how a component is at this moment, from memory; called often, so it does no work. */
export type HealthCheck = () => ComponentHealth;

/** How a component is, and why. */
export interface ComponentHealth {
  readonly health: Health;
  readonly reason?: string;
  /** It works, or does not, and lets no run through: every one is refused. */
  readonly refuses_runs?: true;
}
