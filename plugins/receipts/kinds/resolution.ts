import type { Infer } from '../../../kernel/index.ts';
import { exactly, optional } from '../format/exactly.ts';
import { outcomeClass, runPredicate } from '../format/run-statement.ts';
import { commitment, digest, id, orbId, text, time } from '../format/schema-parts.ts';

const { caller_ref, is_self } = runPredicate.properties.score_fact.properties;

/** Schema of the predicate of a resolution: the later known outcome of a run whose outcome was unknown. */
export const resolutionPredicate = exactly({
  tenant: text,
  run_id: id('run'),
  orbiset_id: text,
  orb_id: orbId,
  mode: { type: 'string', enum: ['live', 'sandbox'] },
  sequence: { type: 'integer', minimum: 1 },
  previous_digest: optional(digest),
  score_fact: exactly({ outcome_class: outcomeClass, supersedes: outcomeClass, is_self, caller_ref }),
  facts: exactly({
    resolves: exactly({ receipt_id: id('rec'), digest, finished_at: time }),
    outcome: { type: 'string', enum: ['sent', 'not_sent'] },
    status: { type: 'string', enum: ['completed', 'failed'] },
    by: { type: 'string', enum: ['operator', 'lookup'] },
    principal: optional(id('prn')),
    note: optional(commitment),
  }),
});
/** The predicate of a resolution, without its head. */
export type ResolutionPredicate = Infer<typeof resolutionPredicate>;

/** Answers how a resolution counts, given the class it supersedes: a caller's fault remains one. */
export function resolvedClass(outcome: unknown, supersedes: unknown): 'ok' | 'orb_fault' | 'caller_fault' {
  if (supersedes === 'caller_fault') return 'caller_fault';
  return outcome === 'sent' ? 'ok' : 'orb_fault';
}
