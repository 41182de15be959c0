import { given, type Call, type PluginScope, type Principal } from '../../../kernel/index.ts';
import type { Engine, EngineOptions } from '../decide/engine.ts';
import type { Changed, ChangeOptions, Changes, Wanted } from '../revisions/changes.ts';
import { problems } from '../problems.ts';
import type { Tally } from '../decide/tally.ts';

/** What the routes of policies work on. */
export interface RouteScope
  extends Omit<EngineOptions, 'shipped'>, Pick<PluginScope<unknown, never>, 'ids' | 'version'> {
  readonly engine: Engine;
  readonly changes: Changes;
  readonly tally: Tally;
}

/** What the routes have in common that read policies. */
export const reading = { service: 'policy', scope: 'policies:read', method: 'GET' } as const;

/** What the routes have in common that check policies and write drafts. */
export const writing = { service: 'policy', scope: 'policies:write' } as const;

/** What the routes have in common that change the policies in force. */
export const activating = { service: 'policy', scope: 'policies:activate', live: true, reads: ['If-Match'] } as const;

/** Problems of every change of the policies in force. */
export const changeProblems = [
  ...([problems.policy_invalid, problems.policies_read_only] as const),
  ...(['precondition_failed', problems.policy_compiler_unavailable] as const),
] as const;

/** Makes what is wanted the revision in force, for the caller, unless another one is active than `If-Match` names. */
export function changeFor(
  { changes }: RouteScope,
  { principal, headers }: Pick<Call<never, never, never, Principal>, 'principal' | 'headers'>,
  wanted: () => Wanted,
  { overwrite, message }: Pick<ChangeOptions, 'overwrite'> & { readonly message?: string | undefined } = {},
): Promise<Changed> {
  const match = headers['if-match'];
  const ifMatch = typeof match === 'string' ? match.trim() : undefined;
  return changes.change(wanted, { actor: principal.id, ...given({ overwrite, message, ifMatch }) });
}
