import { concernOf, type Concern, type HealthCheck, type PluginScope } from '../../../kernel/index.ts';
import type { PolicyInfo } from '../contract.ts';
import type { Engine } from './engine.ts';

/** Reports the health of policy: down without a revision, degraded while the folder's content is not served. */
export function healthOf(engine: Engine, { deciding }: { readonly deciding: boolean }): ReturnType<HealthCheck> {
  if (engine.active === undefined)
    return { health: 'down', reason: 'no policy revision is active', ...refusing(deciding) };
  if (deciding && !engine.active.policies.some(mayAllowRuns))
    return { health: 'degraded', reason: 'no active policy can allow a run', refuses_runs: true };
  if (engine.rejected === undefined) return { health: 'up' };
  return { health: 'degraded', reason: 'the folder is not served; see GET /policies/-/status' };
}

// When another plugin decides, a failure of this plugin refuses no run.
function refusing(deciding: boolean): { readonly refuses_runs?: true } {
  return deciding ? { refuses_runs: true } : {};
}

function mayAllowRuns({ action, mode, rules }: PolicyInfo): boolean {
  return mode === 'enforce' && rules.includes('allow') && (action === undefined || action === 'execute');
}

/** Reports the health of policy to the kernel, and what needs a person. */
export function reportHealth(
  engine: Engine,
  scope: Pick<PluginScope<unknown, never>, 'health' | 'concern' | 'deciding'>,
) {
  scope.health(() => healthOf(engine, scope));
  scope.concern(faultyPolicy(engine, scope));
}

// Policies that are not in force as they were written, or do not decide.
function faultyPolicy(engine: Engine, scope: { readonly deciding: boolean }): Concern {
  return {
    name: 'faulty_policy',
    scope: 'policies:read',
    link: '/policies/-/status',
    find() {
      const { health, reason = 'the policy engine does not work as it should' } = healthOf(engine, scope);
      return concernOf(health === 'up' ? [] : [{ id: 'policies', title: reason, at: engine.rejected?.at }]);
    },
  };
}
