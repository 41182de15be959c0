import type { Infer, JsonSchema } from '../../kernel/index.ts';
import {
  closed,
  commitment,
  digest,
  headProperties,
  headRequired,
  id,
  natural,
  orbId,
  policyFacts,
  statementProperties,
  statementRequired,
  text,
  time,
  word,
} from './schema-parts.ts';

// Schemas of a run's statement (receipts of the kind `run`). No floats, no null: what there is not is left out.

const risk = { type: 'string', enum: ['low', 'medium', 'high', 'critical'] } as const;

const attempt = {
  ...closed,
  required: ['provider', 'adapter', 'generation', 'config_digest', 'outcome', 'latency_ms'],
  properties: {
    provider: text,
    adapter: text,
    generation: natural,
    config_digest: digest,
    outcome: {
      type: 'string',
      enum: ['accepted', 'invalid_outputs', 'rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'],
    },
    phase: text,
    lookup: { type: 'string', enum: ['absent', 'present'] },
    latency_ms: natural,
  },
} as const;

/** Schema of `facts` of a run: what happened, in the receipt's words. */
export const runFacts = {
  ...closed,
  required: ['action', 'policy', 'principal', 'key', 'orb', 'schema', 'attempts', 'data', 'inputs', 'outcome'],
  properties: {
    action: {
      ...closed,
      required: ['class', 'effect'],
      properties: {
        class: { type: 'string', enum: ['read', 'notify', 'write', 'delete', 'execute', 'payment'] },
        effect: { type: 'string', enum: ['none', 'idempotent', 'reversible', 'irreversible'] },
        delivery: { const: 'at_least_once' },
        caller_deadline: { const: true },
      },
    },
    policy: policyFacts,
    principal: id('prn'),
    key: { ...closed, required: ['custody'], properties: { custody: { const: 'in_process' } } },
    orb: {
      ...closed,
      required: ['manifest_digest', 'manifest_signed', 'tier', 'state'],
      properties: {
        manifest_digest: digest,
        manifest_signed: { type: 'boolean' },
        tier: { type: 'string', enum: ['none', 'bronze', 'silver', 'gold', 'platinum'] },
        state: { type: 'string', enum: ['active', 'suspended'] },
      },
    },
    schema: {
      ...closed,
      required: ['inputs', 'outputs'],
      properties: {
        inputs: { type: 'string', enum: ['valid', 'absent'] },
        outputs: { type: 'string', enum: ['valid', 'invalid', 'absent', 'unchecked'] },
      },
    },
    provider: {
      ...closed,
      required: ['name', 'generation', 'health'],
      properties: {
        name: text,
        generation: natural,
        health: { type: 'string', enum: ['up', 'degraded', 'down', 'unknown'] },
        swap_id: id('swp'),
      },
    },
    attempts: { type: 'array', items: attempt },
    latency: { ...closed, required: ['objective_ms'], properties: { objective_ms: { type: 'integer', minimum: 1 } } },
    data: {
      ...closed,
      required: ['classes'],
      properties: {
        classes: {
          type: 'array',
          items: { type: 'string', enum: ['public', 'internal', 'confidential', 'restricted'] },
        },
      },
    },
    inputs: commitment,
    outputs: commitment,
    outcome: {
      type: 'string',
      enum: [...attempt.properties.outcome.enum, 'deadline', 'cancelled', 'denied'],
    },
  },
} as const satisfies JsonSchema;
/** What happened in a run. */
export type RunFacts = Infer<typeof runFacts>;

/** Schema of `score`: how far this run went under known-good controls, explained. */
export const runScore = {
  ...closed,
  required: ['model', 'trust_score', 'band', 'inherent_risk', 'risk_level', 'deductions', 'gates'],
  properties: {
    model: { const: 'tsm-1' },
    trust_score: { type: 'integer', minimum: 0, maximum: 100 },
    band: { type: 'string', enum: ['A', 'B', 'C', 'D'] },
    inherent_risk: risk,
    risk_level: risk,
    deductions: {
      type: 'array',
      items: {
        ...closed,
        required: ['code', 'points', 'evidence'],
        properties: { code: word, points: natural, evidence: { type: 'string', pattern: '^/facts/' } },
      },
    },
    gates: {
      type: 'array',
      items: { ...closed, required: ['code', 'max'], properties: { code: word, max: natural } },
    },
  },
} as const satisfies JsonSchema;
/** The trust score with its reasons. */
export type RunScore = Infer<typeof runScore>;

/** Schema of `score_fact`: what reputation reads of a run. */
export const scoreFact = {
  ...closed,
  required: ['outcome_class', 'is_self'],
  properties: {
    outcome_class: { type: 'string', enum: ['ok', 'caller_fault', 'policy_denied', 'platform_fault', 'orb_fault'] },
    is_self: { type: 'boolean' },
    caller_ref: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    latency_ok: { type: 'boolean' },
  },
} as const satisfies JsonSchema;
/** What reputation reads of a run. */
export type ScoreFact = Infer<typeof scoreFact>;

/** Schema of the predicate of a run. */
export const runPredicate = {
  ...closed,
  required: [
    ...headRequired,
    ...(['tenant', 'run_id', 'orbiset_id', 'orb_id', 'mode', 'sequence', 'started_at', 'finished_at'] as const),
    ...(['execution_ms', 'status', 'facts', 'score', 'score_fact'] as const),
  ],
  properties: {
    ...headProperties,
    tenant: text,
    run_id: id('run'),
    orbiset_id: text,
    orb_id: orbId,
    mode: { type: 'string', enum: ['live', 'sandbox'] },
    sequence: { type: 'integer', minimum: 1 },
    previous_digest: digest,
    started_at: time,
    finished_at: time,
    execution_ms: natural,
    status: { type: 'string', enum: ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'] },
    reason: word,
    facts: runFacts,
    score: runScore,
    score_fact: scoreFact,
  },
} as const satisfies JsonSchema;
/** The predicate of a run. */
export type RunPredicate = Infer<typeof runPredicate>;

/** Schema of the statement of a run: in-toto Statement v1. */
export const runStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:run:v1' },
    predicate: runPredicate,
  },
} as const satisfies JsonSchema;
/** The statement of a run. */
export type RunStatement = Infer<typeof runStatement>;
