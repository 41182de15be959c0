import type { Decision, Reason } from '../../../kernel/index.ts';
import type { Ask } from '../../approvals/contract.ts';
import { readAsks, type Asked, type denialCodes, type PolicyAsk } from './asks.ts';

/** One message of one policy. */
interface PolicyMessage {
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
  readonly asks: readonly PolicyAsk[];
  readonly shadow: {
    readonly would_deny: readonly PolicyMessage[];
    readonly would_allow: readonly string[];
    readonly would_ask: readonly PolicyMessage[];
  };
}

/** Stable codes of denials. */
export type DenialCode = (typeof denialCodes)[number];

/**
 * Reads the result of an evaluation: `[{result: {…}}]`, with exactly one entry and every member; those about asks may be
 * absent, as a module of an earlier version has none. Returns undefined for anything else; the caller then denies.
 */
export function readResult(answer: unknown): PolicyResult | undefined {
  if (!Array.isArray(answer) || answer.length !== 1) return undefined;
  const result = member(answer[0], 'result');
  const allow = member(result, 'allow');
  const policies = strings(member(result, 'policies'));
  const denies = messages(member(result, 'denies'));
  const warns = messages(member(result, 'warns'));
  const obligations = member(result, 'obligations');
  const shadow = member(result, 'shadow');
  const would_deny = messages(member(shadow, 'would_deny'));
  const would_allow = strings(member(shadow, 'would_allow'));
  const would_ask = messages(member(shadow, 'would_ask') ?? []);
  const asks = asksIn(member(result, 'asks') ?? []);
  if (typeof allow !== 'boolean' || policies === undefined || denies === undefined || warns === undefined)
    return undefined;
  if (!Array.isArray(obligations) || would_deny === undefined || would_allow === undefined) return undefined;
  if (asks === undefined || would_ask === undefined) return undefined;
  // Checks our combining rule again: an allow needs at least one allowing policy, no denial and no ask.
  if (allow && (policies.length === 0 || denies.length > 0 || asks.length > 0)) return undefined;
  return { allow, policies, denies, warns, obligations, asks, shadow: { would_deny, would_allow, would_ask } };
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
    // Of an ask whose policy only warns.
    const inside = member(message, 'message');
    const told = typeof inside === 'string' ? inside : message;
    list.push({ policy, message: typeof told === 'string' ? told : JSON.stringify(told) });
  }
  return list;
}

function asksIn(value: unknown): readonly PolicyAsk[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: PolicyAsk[] = [];
  for (const one of value) {
    const policy = member(one, 'policy');
    const ask = member(one, 'ask');
    if (typeof policy !== 'string' || ask === undefined) return undefined;
    list.push({ policy, ask });
  }
  return list;
}

/** A decision without its id; equal questions share it. */
export type Verdict = Omit<Decision, 'decision_id'>;

/**
 * Turns a result into a verdict. Any denial wins over an ask, and a faulty ask denies. An allow or an ask with an
 * obligation becomes a denial: no obligation can be fulfilled.
 */
export function verdictOf(result: PolicyResult, revision: string, asked: Asked): Verdict {
  const { allow, policies, denies, obligations, shadow } = result;
  const shadow_denies = shadow.would_deny.length + shadow.would_ask.length;
  const counted = { revision, warns: result.warns.length, shadow_denies };
  if (allow && obligations.length === 0) return { allow: true, policies, ...counted };
  const { asks, faults } = readAsks(result.asks, asked);
  const reasons: Reason[] = denies.map(({ policy, message }) => ({ code: 'policy_denied', policy, message }));
  reasons.push(...faults);
  const allowed = allow || (asks.length > 0 && policies.length > 0 && reasons.length === 0);
  if (allowed && obligations.length === 0) return { ...asking(asks), ...counted };
  if (allowed) reasons.push({ code: 'unknown_obligation', message: 'an obligation of the policy cannot be fulfilled' });
  else if (reasons.length === 0) reasons.push({ code: 'not_allowed', message: 'no policy allows it' });
  const denying = [...denies, ...faults].flatMap(({ policy }) => policy ?? []);
  return { allow: false, policies: [...new Set(denying)], reasons, ...counted };
}

/**
 * Takes away the asks that people have answered: `context.approvals` has the code and the group of the ask, and as many
 * distinct people as it needs. What nothing else asks or denies is allowed then.
 */
export function withApprovals(verdict: Verdict, { approvals }: Readonly<Record<string, unknown>>): Verdict {
  const { asks = [], reasons: _, asks: __, ...rest } = verdict;
  if (asks.length === 0 || !Array.isArray(approvals) || approvals.length === 0) return verdict;
  const enough = ({ code, approvers, of }: Ask): boolean =>
    approvals.some((one: unknown) => {
      const people = strings(member(one, 'approved_by')) ?? [];
      return member(one, 'code') === code && member(one, 'approvers') === approvers && new Set(people).size >= of;
    });
  const open = asks.filter((ask) => !enough(ask));
  return open.length === 0 ? { ...rest, allow: true } : { ...rest, ...asking(open) };
}

function asking(asks: readonly Ask[]) {
  // One for each ask, so that a receipt has room for all.
  const reasons = asks.map(({ code, message, policies: [policy = ''] }) => ({ code, policy, message }));
  return { allow: false, policies: [...new Set(asks.flatMap(({ policies }) => policies))], reasons, asks } as const;
}

/** Names the outcome of a decision: it is allowed, people are asked first, or it is denied. */
export function outcomeOf({ allow, asks = [] }: Pick<Decision, 'allow'> & { readonly asks?: readonly unknown[] }) {
  return allow ? 'allow' : asks.length > 0 ? 'ask' : 'deny';
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
