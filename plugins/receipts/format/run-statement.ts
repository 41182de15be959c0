import type { Infer, JsonSchema } from '../../../kernel/index.ts';
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
  title: 'Attempt',
  ...closed,
  required: ['provider', 'adapter', 'generation', 'config_digest', 'outcome', 'latency_ms'],
  properties: {
    provider: { ...text, description: 'Name of the provider' },
    adapter: { ...text, description: 'Name of the adapter' },
    generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
    config_digest: { ...digest, description: 'Digest of the configuration of the provider' },
    outcome: {
      type: 'string',
      enum: ['accepted', 'invalid_outputs', 'rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'],
      description: 'What is known of the attempt',
    },
    phase: { ...text, description: 'Where it failed' },
    lookup: { type: 'string', enum: ['absent', 'present'], description: 'What a later look-up found' },
    latency_ms: { ...natural, description: 'How long it took, milliseconds' },
  },
} as const;

/** Schema of `facts` of a run: what happened, in the receipt's words. */
export const runFacts = {
  title: 'RunFacts',
  ...closed,
  required: ['action', 'policy', 'principal', 'key', 'orb', 'schema', 'attempts', 'data', 'inputs', 'outcome'],
  properties: {
    action: {
      ...closed,
      description: 'What the Orb does',
      required: ['class', 'effect'],
      properties: {
        class: {
          type: 'string',
          enum: ['read', 'notify', 'write', 'delete', 'execute', 'payment'],
          description: 'Kind of action',
        },
        effect: {
          type: 'string',
          enum: ['none', 'idempotent', 'reversible', 'irreversible'],
          description: 'What a run changes in the world',
        },
        delivery: { const: 'at_least_once', description: 'The caller accepted that it may be done twice' },
        caller_deadline: { type: 'boolean', description: "True: the deadline that ended it was the caller's own" },
      },
    },
    policy: { ...policyFacts, description: 'What was decided, and by what' },
    principal: { ...id('prn'), description: 'Id of who called, `prn_<ulid>`' },
    key: {
      ...closed,
      description: 'How the signing key is kept',
      required: ['custody'],
      properties: { custody: { const: 'in_process', description: 'Where the key is' } },
    },
    orb: {
      ...closed,
      description: 'The Orb as it stood',
      required: ['manifest_digest', 'manifest_signed', 'tier', 'state'],
      properties: {
        manifest_digest: { ...digest, description: '`sha256:<hex>` of the manifest in canonical form' },
        manifest_signed: { type: 'boolean', description: 'Whether the manifest is signed' },
        tier: {
          type: 'string',
          enum: ['none', 'bronze', 'silver', 'gold', 'platinum'],
          description: 'Its certification tier',
        },
        state: { type: 'string', enum: ['active', 'suspended'], description: 'Whether it was suspended' },
      },
    },
    schema: {
      ...closed,
      description: 'Whether inputs and outputs fit their schemas',
      required: ['inputs', 'outputs'],
      properties: {
        inputs: { type: 'string', enum: ['valid', 'absent'], description: 'Of the inputs' },
        outputs: { type: 'string', enum: ['valid', 'invalid', 'absent', 'unchecked'], description: 'Of the outputs' },
      },
    },
    provider: {
      ...closed,
      description: 'The provider that served',
      required: ['name', 'generation', 'health'],
      properties: {
        name: { ...text, description: 'Name of the provider' },
        generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
        health: {
          type: 'string',
          enum: ['up', 'degraded', 'down', 'unknown'],
          description: 'Its health when it was called',
        },
        swap_id: { ...id('swp'), description: 'The swap that bound it' },
      },
    },
    attempts: { type: 'array', description: 'Calls of providers, in order', items: attempt },
    latency: {
      ...closed,
      description: 'What the Orb promises of its latency',
      required: ['objective_ms'],
      properties: {
        objective_ms: { type: 'integer', minimum: 1, description: 'How long a good run takes at most, milliseconds' },
      },
    },
    data: {
      ...closed,
      description: 'The data it handles',
      required: ['classes'],
      properties: {
        classes: {
          type: 'array',
          description: 'Classes of data',
          items: { type: 'string', enum: ['public', 'internal', 'confidential', 'restricted'] },
        },
      },
    },
    inputs: { ...commitment, description: 'Commitment to the inputs' },
    outputs: { ...commitment, description: 'Commitment to the outputs' },
    outcome: {
      type: 'string',
      enum: [...attempt.properties.outcome.enum, 'deadline', 'cancelled', 'denied'],
      description: 'What became of it',
    },
  },
} as const satisfies JsonSchema;
/** What happened in a run. */
export type RunFacts = Infer<typeof runFacts>;

/** Schema of `score`: how far this run went under known-good controls, explained. */
export const runScore = {
  title: 'RunScore',
  ...closed,
  required: ['model', 'trust_score', 'band', 'inherent_risk', 'risk_level', 'deductions', 'gates'],
  properties: {
    model: { const: 'tsm-1', description: 'Name of the model' },
    trust_score: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'How far the run went under known-good controls, 0 to 100',
    },
    band: { type: 'string', enum: ['A', 'B', 'C', 'D'], description: 'Band of the score' },
    inherent_risk: { ...risk, description: 'Risk of such an action' },
    risk_level: { ...risk, description: 'The risk of the run, by its effect and its score' },
    deductions: {
      type: 'array',
      description: 'Why points are missing',
      items: {
        ...closed,
        required: ['code', 'points', 'evidence'],
        properties: {
          code: { ...word, description: 'Code of the deduction' },
          points: { ...natural, description: 'Points taken' },
          evidence: { type: 'string', pattern: '^/facts/', description: 'JSON Pointer to the fact behind it' },
        },
      },
    },
    gates: {
      type: 'array',
      description: 'Why the score is capped',
      items: {
        ...closed,
        required: ['code', 'max'],
        properties: {
          code: { ...word, description: 'Code of the gate' },
          max: { ...natural, description: 'The highest score it lets through' },
        },
      },
    },
  },
} as const satisfies JsonSchema;
/** The trust score with its reasons. */
export type RunScore = Infer<typeof runScore>;

/** Schema of `score_fact`: what reputation reads of a run. */
export const scoreFact = {
  title: 'ScoreFact',
  ...closed,
  required: ['outcome_class', 'is_self'],
  properties: {
    outcome_class: {
      type: 'string',
      enum: ['ok', 'caller_fault', 'policy_denied', 'platform_fault', 'orb_fault'],
      description: 'How the run counts',
    },
    is_self: { type: 'boolean', description: 'Whether the publisher ran its own Orb' },
    caller_ref: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Stands for the caller' },
    latency_ok: { type: 'boolean', description: 'Whether it was within the latency objective' },
  },
} as const satisfies JsonSchema;
/** What reputation reads of a run. */
export type ScoreFact = Infer<typeof scoreFact>;

/** Schema of the predicate of a run. */
export const runPredicate = {
  title: 'RunPredicate',
  ...closed,
  required: [
    ...headRequired,
    ...(['tenant', 'run_id', 'orbiset_id', 'orb_id', 'mode', 'sequence', 'started_at', 'finished_at'] as const),
    ...(['execution_ms', 'status', 'facts', 'score', 'score_fact'] as const),
  ],
  properties: {
    ...headProperties,
    tenant: { ...text, description: 'The tenant it belongs to' },
    run_id: { ...id('run'), description: 'Id of the run' },
    orbiset_id: { ...text, description: 'Id of the Orbiset' },
    orb_id: { ...orbId, description: 'Id of the Orb' },
    mode: { type: 'string', enum: ['live', 'sandbox'], description: '`sandbox`: nothing left the machine' },
    sequence: { type: 'integer', minimum: 1, description: 'Number of the receipt in its Orbiset, from 1' },
    previous_digest: { ...digest, description: 'Digest of the receipt before it in the same Orbiset' },
    started_at: { ...time, description: 'When it began' },
    finished_at: { ...time, description: 'When it ended' },
    execution_ms: { ...natural, description: 'How long it took, milliseconds' },
    status: {
      type: 'string',
      enum: ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'],
      description: 'How the run ended',
    },
    reason: { ...word, description: 'Why it did not complete' },
    facts: { ...runFacts, description: 'What happened' },
    score: { ...runScore, description: 'The trust score, explained' },
    score_fact: { ...scoreFact, description: 'What reputation reads of it' },
  },
} as const satisfies JsonSchema;
/** The predicate of a run. */
export type RunPredicate = Infer<typeof runPredicate>;

/** Schema of the statement of a run: in-toto Statement v1. */
export const runStatement = {
  title: 'RunStatement',
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:run:v1', description: 'Kind of what is attested' },
    predicate: { ...runPredicate, description: 'What is attested' },
  },
} as const satisfies JsonSchema;
/** The statement of a run. */
export type RunStatement = Infer<typeof runStatement>;
