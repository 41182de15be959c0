import { undecidedReasons } from './names.ts';
import type { RunPredicate, ScoreFact } from './run-statement.ts';

/** Computes the input of reputation from a run's facts: all of `score_fact` except the caller. */
export function deriveScoreFact(
  run: Pick<RunPredicate, 'status' | 'execution_ms' | 'facts'>,
): Pick<ScoreFact, 'outcome_class' | 'latency_ok'> {
  const objective = run.facts.latency?.objective_ms;
  const measured = run.status === 'completed' && objective !== undefined;
  return {
    ...(measured ? { latency_ok: run.execution_ms <= objective } : {}),
    outcome_class: outcomeClass(run.facts),
  };
}

function outcomeClass({ action, outcome, policy, provider }: RunPredicate['facts']): ScoreFact['outcome_class'] {
  switch (outcome) {
    case 'accepted':
      return 'ok';
    case 'rejected':
    case 'cancelled':
      return 'caller_fault';
    case 'denied':
      return policy.reasons?.some(({ code }) => undecidedReasons.includes(code)) ? 'platform_fault' : 'policy_denied';
    default:
      if (action.caller_deadline) return 'caller_fault';
      // Without a provider nothing of the Orb ran: empty order, empty allow-list, deadline before bind.
      return provider === undefined ? 'platform_fault' : 'orb_fault';
  }
}
