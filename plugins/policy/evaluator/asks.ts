import { compileLater, exactly, optional, type Infer, type Reason } from '../../../kernel/index.ts';
import type { ApprovalGroups, Ask } from '../../approvals/contract.ts';

/** Stable codes of denials by the engine and by the kinds of rules. */
export const denialCodes = [
  ...(['policy_unavailable', 'no_policy', 'not_allowed', 'policy_denied', 'policy_result_invalid'] as const),
  ...(['policy_builtin_error', 'policy_error', 'policy_timeout', 'policy_overloaded', 'policy_input_invalid'] as const),
  ...(['policy_integrity', 'policy_ask_invalid', 'unknown_obligation'] as const),
] as const;

/** Codes that an ask may not use: receipts and statistics give them a meaning of their own. */
export const reservedCodes: readonly string[] = [
  ...denialCodes,
  ...['no_decision', 'access_denied', 'credential_revoked'],
  ...['approval_required', 'approval_refused', 'approval_expired', 'approval_backlog'],
];

/** An ask as a policy gave it. */
export interface PolicyAsk {
  readonly policy: string;
  readonly ask: unknown;
}

// `compiler/asks.go` checks the same of asks that are written as literals.
const shape = exactly({
  code: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$', not: { enum: reservedCodes } },
  message: { type: 'string', minLength: 1, maxLength: 500 },
  approvers: { type: 'string' },
  of: optional({ type: 'integer', minimum: 1, default: 1 }),
  expires_s: optional({ type: 'integer', minimum: 60, maximum: 7 * 86_400, default: 3600 }),
  bind: optional({ enum: ['inputs', 'provider'], default: 'inputs' }),
});
const faultsOf = compileLater(shape);

// A receipt names so many reasons.
const mostAsks = 16;
const tooMany = `the policies ask for more than ${mostAsks} approvals of one run`;

/** What the asks of a decision need to be valid: the action, and the groups; absent: there is nobody to ask. */
export interface Asked {
  readonly action: string;
  readonly groups: ApprovalGroups | undefined;
}

/**
 * Reads the asks of the policies: equal ones (code and group) once, with the strictest of their demands, sorted by code.
 * `faults`: the reasons to deny because of asks that nobody could answer.
 */
export function readAsks(found: readonly PolicyAsk[], asked: Asked) {
  const faults: Reason[] = [];
  const merged = new Map<string, Ask>();
  for (const { policy, ask } of found) {
    // Filling in defaults changes the object.
    const given: unknown = structuredClone(ask);
    const fault = faultOf(given, asked);
    if (fault === undefined) {
      const { code, message, approvers, of = 1, expires_s = 3600, bind = 'inputs' } = given as Infer<typeof shape>;
      const one: Ask = { code, message, approvers, of, expires_s, bind, policies: [policy] };
      const key = `${code} ${approvers}`;
      const other = merged.get(key);
      merged.set(key, other === undefined ? one : strictest(other, one));
    } else faults.push({ code: 'policy_ask_invalid', policy, message: fault });
  }
  if (merged.size > mostAsks) faults.push({ code: 'policy_ask_invalid', message: tooMany });
  const asks = [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, ask]) => ask);
  return { asks, faults };
}

function faultOf(ask: unknown, { action, groups }: Asked): string | undefined {
  if (action !== 'execute') return `the policy asks about the action ${action}, and only runs can wait for an approval`;
  if (groups === undefined) return 'the policy asks for an approval, and the plugin `approvals` is not enabled';
  const [fault] = faultsOf(ask);
  if (fault !== undefined) return `the ask of the policy is faulty: ${fault.pointer} ${fault.detail}`;
  const { approvers, of = 1 } = ask as Infer<typeof shape>;
  const group = groups.get(approvers);
  if (group === undefined)
    return `the policy asks the group ${approvers}, which plugins.approvals.config.groups does not name`;
  const { length } = group.members;
  return of <= length ? undefined : `the policy asks for ${of} people of the group ${approvers}, which has ${length}`;
}

function strictest(one: Ask, other: Ask): Ask {
  return {
    ...one,
    message: one.message <= other.message ? one.message : other.message,
    of: Math.max(one.of, other.of),
    expires_s: Math.min(one.expires_s, other.expires_s),
    bind: one.bind === 'provider' ? 'provider' : other.bind,
    policies: [...new Set([...one.policies, ...other.policies])].sort(),
  };
}
