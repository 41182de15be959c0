import type { Decision } from '../../../kernel/index.ts';

// Codes of denials that mean the engine could not decide.
const undecided: ReadonlySet<string> = new Set([
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
]);

/** Returns the code of the reason by which the engine failed and no policy denied; it may succeed later (503). */
export function undecidedReason({ reasons = [] }: Decision): string | undefined {
  return reasons.find(({ code }) => undecided.has(code))?.code;
}
