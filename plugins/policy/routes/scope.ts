import {
  given,
  PlatformError,
  type Awaitable,
  type AwaitedReads,
  type Call,
  type PluginScope,
  type Principal,
} from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';
import type { DecisionReads } from '../decisions/decision-log.ts';
import type { Engine, EngineOptions } from '../decide/engine.ts';
import type { Changed, ChangeOptions, Changes, Wanted } from '../changes/changes.ts';
import { problems } from '../problems.ts';
import type { Tally } from '../decide/decider.ts';

/** Dependencies of the policy routes. */
export interface RouteScope
  extends Omit<EngineOptions, 'shipped'>, Pick<PluginScope<unknown, never>, 'ids' | 'version'> {
  readonly engine: Engine;
  readonly changes: Changes;
  readonly tally: Tally;
  readonly groups: ApprovalGroups | undefined;
  readonly lists: Pick<AwaitedReads<DecisionReads>, 'decisions'>;
}

/** Common members of the routes that read policies. */
export const reading = { service: 'policy', scope: 'policies:read', method: 'GET' } as const;

/** Common members of the routes that check policies and write drafts. */
export const writing = { service: 'policy', scope: 'policies:write' } as const;

/** Common members of the routes that change the active policies. */
export const activating = {
  service: 'policy',
  scope: 'policies:activate',
  live: true,
  keyAgain: true,
  reads: ['If-Match'],
} as const;

/** Problems of every route that changes the active policies. */
export const changeProblems = [
  ...([problems.policy_invalid, problems.policies_read_only] as const),
  ...(['precondition_failed', problems.policy_compiler_unavailable] as const),
] as const;

/** Makes the problem of a policy, or a draft, that is not there. */
export function noPolicy(what: string): PlatformError {
  return new PlatformError(problems.policy_not_found, `there is no ${what}`);
}

/** Activates the wanted files for the caller. Throws when the active revision is not the one in `If-Match`. */
export function changeFor(
  { changes }: RouteScope,
  { principal, headers }: Pick<Call<never, never, never, Principal>, 'principal' | 'headers'>,
  wanted: () => Awaitable<Wanted>,
  { folder, overwrite, message }: Pick<ChangeOptions, 'folder' | 'overwrite' | 'message'> = {},
): Promise<Changed> {
  const match = headers['if-match'];
  const ifMatch = typeof match === 'string' ? match.trim() : undefined;
  return changes.change(wanted, { actor: principal.id, ...given({ folder, overwrite, message, ifMatch }) });
}
