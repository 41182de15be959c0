/** Health of a component or provider: `unknown` until measured. */
export type Health = 'up' | 'degraded' | 'down' | 'unknown';

/** Returns the current health of a component from memory. It is called often, so it does no work. */
export type HealthCheck = () => ComponentHealth;

/** Health of a component, and the reason. */
export interface ComponentHealth {
  readonly health: Health;
  readonly reason?: string;
  /** True while the component refuses every run, whatever its health. */
  readonly refuses_runs?: true;
}

/** Makes a check that marks only its own component as down when it throws. */
export function guarded(check: HealthCheck): HealthCheck {
  return () => {
    try {
      return check();
    } catch {
      return { health: 'down', reason: 'its health check fails' };
    }
  };
}
