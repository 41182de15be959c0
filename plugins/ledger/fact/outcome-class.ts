import { resolvedClass, undecidedReasons } from '../../receipts/contract.ts';
import type { OutcomeClass, ResolutionLine, RunLine } from './line.ts';

/** Derives how a run counts from its facts: the first matching row of the table. */
export function classOf({ outcome, caller_deadline, codes, bound }: RunLine): OutcomeClass {
  if (outcome === 'accepted') return 'ok';
  if (outcome === 'rejected' || outcome === 'cancelled') return 'caller_fault';
  if (outcome === 'denied')
    return codes.some((code) => undecidedReasons.includes(code)) ? 'platform_fault' : 'policy_denied';
  if (caller_deadline) return 'caller_fault';
  return bound ? 'orb_fault' : 'platform_fault';
}

/** Derives whether a run met its latency objective; undefined when it was not completed or has none. */
export function latencyOf({ outcome, execution_ms, objective_ms }: RunLine): boolean | undefined {
  return outcome === 'accepted' && objective_ms !== undefined ? execution_ms <= objective_ms : undefined;
}

/** Answers why a run or a resolution is refused: the claim that contradicts its own facts. */
export function disagreement(line: RunLine | ResolutionLine): 'outcome_class' | 'latency_ok' | undefined {
  if (line.kind === 'resolution')
    return line.outcome_class === resolvedClass(line.outcome, line.supersedes) ? undefined : 'outcome_class';
  if (line.outcome_class !== classOf(line)) return 'outcome_class';
  return line.latency_ok === latencyOf(line) ? undefined : 'latency_ok';
}
