import { canonical, type Decision } from '../../../kernel/index.ts';
import type { Commit } from '../format/commitment.ts';
import type { RunFacts } from '../format/run-statement.ts';

/** Turns a decision into `facts.policy`, its members in canonical order. */
export function policyOf(decision: Decision, commit: Commit): RunFacts['policy'] {
  const accepted = decision.accepted_decision_id;
  return {
    ...(accepted === undefined ? {} : { accepted_decision_id: accepted }),
    decision: decision.allow ? 'allow' : 'deny',
    ...(decision.decision_id === undefined ? {} : { decision_id: decision.decision_id }),
    policies: [...decision.policies],
    ...(decision.allow ? {} : { reasons: reasonsOf(decision, commit) }),
    ...(decision.revision === undefined ? {} : { revision: decision.revision }),
    shadow_denies: decision.shadow_denies,
    warns: decision.warns,
  };
}

const mostReasons = 16;
const longestMessage = 500;

// Messages may contain request data, so only a commitment to them is signed.
function reasonsOf({ reasons = [] }: Decision, commit: Commit): NonNullable<RunFacts['policy']['reasons']> {
  return reasons.slice(0, mostReasons).map(({ code, message, policy }) => ({
    code,
    ...(message === undefined ? {} : { message_commitment: commit(canonical(cut(message))).digest }),
    ...(policy === undefined ? {} : { policy }),
  }));
}

// Cut by code point: half a surrogate pair has no canonical form.
function cut(message: string): string {
  return message.length <= longestMessage ? message : Array.from(message).slice(0, longestMessage).join('');
}
