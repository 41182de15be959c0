import type { HealthCheck, PluginScope } from '../../../kernel/index.ts';
import type { PolicyInfo } from '../contract.ts';
import type { Engine } from './engine.ts';
import { concernOf, type Concern, type Runtime } from '../../runtime/contract.ts';

/**
 * Reports the health of policy: down without a revision, degraded when no run can be allowed. A folder that is not
 * active concerns only the operator, because decisions do not change.
 */
export function healthOf(engine: Engine, { deciding }: { readonly deciding: boolean }): ReturnType<HealthCheck> {
  if (engine.active === undefined)
    // When another plugin decides, a failure of this plugin refuses no run.
    return { health: 'down', reason: 'no policy revision is active', ...(deciding && { refuses_runs: true }) };
  if (deciding && !engine.active.policies.some(mayAllowRuns))
    return { health: 'degraded', reason: 'no active policy can allow a run', refuses_runs: true };
  return { health: 'up' };
}

function mayAllowRuns({ action, mode, rules }: PolicyInfo): boolean {
  return mode === 'enforce' && rules.includes('allow') && (action === undefined || action === 'execute');
}

/** Reports the health of policy to the kernel, and what needs a person. */
export function reportHealth(
  engine: Engine,
  scope: Pick<PluginScope<unknown, never>, 'health' | 'deciding' | 'metrics'> & {
    readonly runtime: Pick<Runtime, 'concern'>;
  },
) {
  scope.health(() => healthOf(engine, scope));
  scope.runtime.concern(faultyPolicy(engine, scope));
  scope.metrics.gauge(
    'orb_policy_folder_rejected',
    'Whether the policies folder was rejected, so that its files are not active',
    () => (engine.rejected === undefined ? 0 : 1),
  );
}

// Finds policies that are not active as written, or cannot decide.
function faultyPolicy(engine: Engine, scope: { readonly deciding: boolean }): Concern {
  return {
    name: 'faulty_policy',
    scope: 'policies:read',
    link: '/policies/-/status',
    find() {
      const { rejected } = engine;
      const { health, reason = 'the policy engine has a fault' } = healthOf(engine, scope);
      if (health === 'up' && rejected === undefined) return concernOf([]);
      return concernOf([{ id: 'policies', title: health === 'up' ? notInForce : reason, at: rejected?.at }]);
    },
  };
}

const notInForce = 'the policies folder is not active; GET /policies/-/status shows why';
