import type { RunPredicate } from '../contract.ts';
import { deriveScoreFact } from '../format/score-fact.ts';
import { scoreRun } from '../format/score.ts';
import type { Check } from './report.ts';
import { canonicalForm } from './statement.ts';

/** Checks that the facts of a run yield its score, and what reputation reads of it but for who called. */
export function checkScore(predicate: RunPredicate): Check {
  const derived = deriveScoreFact(predicate);
  const fact = predicate.score_fact;
  const recomputes =
    canonicalForm(scoreRun(predicate)) === canonicalForm(predicate.score) &&
    derived.outcome_class === fact.outcome_class &&
    derived.latency_ok === fact.latency_ok;
  if (recomputes) return { name: 'score_recomputes', result: 'pass' };
  return { name: 'score_recomputes', result: 'fail', detail: 'the facts yield another score or outcome class' };
}
