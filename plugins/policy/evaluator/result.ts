import type { Decision, Reason } from '../../../kernel/index.ts';

/** One message of one policy. */
export interface PolicyMessage {
  readonly policy: string;
  readonly message: string;
}

/** The validated result of an entrypoint. */
export interface PolicyResult {
  readonly allow: boolean;
  /** Ids of the enforcing policies that allowed. */
  readonly policies: readonly string[];
  readonly denies: readonly PolicyMessage[];
  readonly warns: readonly PolicyMessage[];
  readonly obligations: readonly unknown[];
  readonly shadow: { readonly would_deny: readonly PolicyMessage[]; readonly would_allow: readonly string[] };
}

/** Stable codes of denials. */
export type DenialCode =
  | 'policy_unavailable'
  | 'no_policy'
  | 'not_allowed'
  | 'policy_denied'
  | 'policy_result_invalid'
  | 'policy_builtin_error'
  | 'policy_error'
  | 'policy_timeout'
  | 'policy_overloaded'
  | 'policy_input_invalid'
  | 'policy_integrity'
  | 'unknown_obligation';

/**
 * Reads the result of an evaluation: `[{result: {…}}]`, with exactly one entry and every member. Returns undefined for
 * anything else; the caller then denies.
 */
export function readResult(answer: unknown): PolicyResult | undefined {
  if (!Array.isArray(answer) || answer.length !== 1) return undefined;
  const result = member(answer[0], 'result');
  const allow = member(result, 'allow');
  const policies = strings(member(result, 'policies'));
  const denies = messages(member(result, 'denies'));
  const warns = messages(member(result, 'warns'));
  const obligations = member(result, 'obligations');
  const would_deny = messages(member(member(result, 'shadow'), 'would_deny'));
  const would_allow = strings(member(member(result, 'shadow'), 'would_allow'));
  if (typeof allow !== 'boolean' || policies === undefined || denies === undefined || warns === undefined)
    return undefined;
  if (!Array.isArray(obligations) || would_deny === undefined || would_allow === undefined) return undefined;
  // Checks our combining rule again: an allow needs at least one allowing policy and no denial.
  if (allow && (policies.length === 0 || denies.length > 0)) return undefined;
  return { allow, policies, denies, warns, obligations, shadow: { would_deny, would_allow } };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

function messages(value: unknown): readonly PolicyMessage[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: PolicyMessage[] = [];
  for (const one of value) {
    const policy = member(one, 'policy');
    const message = member(one, 'message');
    if (typeof policy !== 'string' || message === undefined) return undefined;
    list.push({ policy, message: typeof message === 'string' ? message : JSON.stringify(message) });
  }
  return list;
}

/** A decision without its id; equal questions share it. */
export type Verdict = Omit<Decision, 'decision_id'>;

/** Turns a result into a verdict. An allow with an obligation becomes a denial: no obligation can be fulfilled. */
export function verdictOf(result: PolicyResult, revision: string): Verdict {
  const { allow, policies, denies, obligations } = result;
  const counted = { revision, warns: result.warns.length, shadow_denies: result.shadow.would_deny.length };
  if (allow && obligations.length === 0) return { allow: true, policies, ...counted };
  const reasons: Reason[] = denies.map(({ policy, message }) => ({ code: 'policy_denied', policy, message }));
  if (allow) reasons.push({ code: 'unknown_obligation', message: 'an obligation of the policy cannot be fulfilled' });
  else if (denies.length === 0) reasons.push({ code: 'not_allowed', message: 'no policy allows it' });
  return { allow: false, policies: [...new Set(denies.map(({ policy }) => policy))], reasons, ...counted };
}

/** Makes the verdict of a denial by the engine: no policy denied. */
export function denial(code: DenialCode, revision: string | undefined, message?: string): Verdict {
  return {
    allow: false,
    policies: [],
    reasons: [{ code, ...(message === undefined ? {} : { message }) }],
    warns: 0,
    shadow_denies: 0,
    ...(revision === undefined ? {} : { revision }),
  };
}
