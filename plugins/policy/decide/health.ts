import type { HealthCheck, PluginScope } from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';
import type { PolicyInfo } from '../contract.ts';
import type { Engine } from './engine.ts';
import { concernOf, type Concern, type Runtime } from '../../runtime/contract.ts';

/**
 * Reports the health of policy: down without a revision, degraded when no run can be allowed, or when a policy asks a group
 * that is not configured. A folder that is not active concerns only the operator, because decisions do not change.
 */
export function healthOf(engine: Engine, { deciding, groups }: Scope): ReturnType<HealthCheck> {
  if (engine.active === undefined)
    // When another plugin decides, a failure of this plugin refuses no run.
    return { health: 'down', reason: 'no policy revision is active', ...(deciding && { refuses_runs: true }) };
  if (deciding && !engine.active.policies.some(mayAllowRuns))
    return { health: 'degraded', reason: 'no active policy can allow a run', refuses_runs: true };
  if (deciding && engine.outdated)
    return {
      health: 'degraded',
      reason: 'the active policies must be compiled again; this needs the policy compiler',
      refuses_runs: true,
    };
  const asking = deciding ? engine.active.policies.find((policy) => asksNobody(policy, groups)) : undefined;
  if (asking !== undefined)
    return { health: 'degraded', reason: `the policy ${asking.id} asks a group that is not configured, and denies` };
  return { health: 'up' };
}

interface Scope {
  readonly deciding: boolean;
  /** The groups that a policy may ask; absent: there is nobody to ask. */
  readonly groups: ApprovalGroups | undefined;
}

// A check refuses such a policy, but the groups may have changed since.
function asksNobody({ mode, rules, approvers = [] }: PolicyInfo, groups: ApprovalGroups | undefined): boolean {
  if (mode !== 'enforce' || !rules.includes('ask')) return false;
  return groups === undefined || approvers.some((name) => !groups.has(name));
}

function mayAllowRuns({ action, mode, rules }: PolicyInfo): boolean {
  return mode === 'enforce' && rules.includes('allow') && (action === undefined || action === 'execute');
}

/** Reports the health of policy to the kernel, what needs a person, and which policies are found by name. */
export function reportHealth(
  engine: Engine,
  scope: Pick<PluginScope<unknown, never>, 'health' | 'metrics'> &
    Scope & { readonly runtime: Pick<Runtime, 'concern' | 'findable'> },
) {
  scope.health(() => healthOf(engine, scope));
  scope.runtime.concern(faultyPolicy(engine, scope));
  const list = () => engine.active?.policies ?? [];
  scope.runtime.findable({ kind: 'policy', scope: 'policies:read', list });
  scope.metrics.gauge(
    'orb_policy_folder_rejected',
    'Whether the policies folder was rejected, so that its files are not active',
    () => (engine.rejected === undefined ? 0 : 1),
  );
}

// Finds policies that are not active as written, or cannot decide.
function faultyPolicy(engine: Engine, scope: Scope): Concern {
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
