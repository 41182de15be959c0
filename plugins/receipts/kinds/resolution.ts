import type { JsonSchema } from '../../../kernel/index.ts';
import {
  closed,
  commitment,
  digest,
  headProperties,
  headRequired,
  id,
  orbId,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../format/schema-parts.ts';

const outcomeClass = {
  type: 'string',
  enum: ['ok', 'caller_fault', 'policy_denied', 'platform_fault', 'orb_fault'],
} as const satisfies JsonSchema;

/** Schema of the statement of a resolution: what became of a run whose outcome was unknown. */
export const resolutionStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:resolution:v1' },
    predicate: {
      ...closed,
      required: [
        ...headRequired,
        ...(['tenant', 'at', 'run_id', 'orbiset_id', 'orb_id', 'mode', 'sequence', 'score_fact', 'facts'] as const),
      ],
      properties: {
        ...headProperties,
        tenant: text,
        at: time,
        run_id: id('run'),
        orbiset_id: text,
        orb_id: orbId,
        mode: { type: 'string', enum: ['live', 'sandbox'] },
        sequence: { type: 'integer', minimum: 1 },
        previous_digest: digest,
        score_fact: {
          ...closed,
          required: ['outcome_class', 'supersedes', 'is_self'],
          properties: {
            outcome_class: outcomeClass,
            supersedes: outcomeClass,
            is_self: { type: 'boolean' },
            caller_ref: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          },
        },
        facts: {
          ...closed,
          required: ['resolves', 'outcome', 'status', 'by'],
          properties: {
            resolves: {
              ...closed,
              required: ['receipt_id', 'digest', 'finished_at'],
              properties: { receipt_id: id('rec'), digest, finished_at: time },
            },
            outcome: { type: 'string', enum: ['sent', 'not_sent'] },
            status: { type: 'string', enum: ['completed', 'failed'] },
            by: { type: 'string', enum: ['operator', 'lookup'] },
            principal: id('prn'),
            note: commitment,
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Says how a resolution counts, given the class of what it resolves: a caller's fault stays one. */
export function resolvedClass(outcome: unknown, supersedes: unknown): 'ok' | 'orb_fault' | 'caller_fault' {
  if (supersedes === 'caller_fault') return 'caller_fault';
  return outcome === 'sent' ? 'ok' : 'orb_fault';
}
