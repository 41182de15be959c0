import type { Infer, JsonSchema } from '../../../kernel/index.ts';
import { exactly, optional, described, oneOf, listOf } from './exactly.ts';
import {
  commitment,
  digest,
  head,
  id,
  natural,
  orbId,
  policyFacts,
  statementOf,
  text,
  time,
  word,
} from './schema-parts.ts';

// Schemas of a run's statement (receipts of the kind `run`). No floats, no null: absent values are omitted.

const risk = { type: 'string', enum: ['low', 'medium', 'high', 'critical'] } as const;

const reasons = [
  ...['recipient_gone', 'recipient_unknown', 'recipient_blocked'],
  ...['content_too_long', 'content_refused', 'sender_refused'],
] as const;

const attempt = exactly('Attempt', {
  provider: { ...text, description: 'Name of the provider' },
  adapter: { ...text, description: 'Name of the adapter' },
  generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
  config_digest: { ...digest, description: 'Digest of the configuration of the provider' },
  outcome: oneOf(
    ['accepted', 'invalid_outputs', 'rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'],
    'What is known of the attempt',
  ),
  phase: optional({ ...text, description: 'Where it failed' }),
  reason: optional({ title: 'ProviderReason', ...oneOf(reasons, 'Why the provider rejected it') }),
  lookup: optional(oneOf(['absent', 'present'], 'What a later look-up found')),
  latency_ms: { ...natural, description: 'How long it took, milliseconds' },
});

const tokens = (what: string) => ({ ...natural, description: what });

// Of a run whose Orb is metered; what is not known is absent.
const meteredFacts = {
  model: optional(
    described('Names of the model', {
      asked: { ...text, description: 'In the call' },
      sent: optional({ ...text, description: 'At the provider' }),
      answered: optional({ ...text, description: 'In its answer' }),
    }),
  ),
  usage: optional(
    described('What was used, as the vendor counts', {
      input_tokens: optional(tokens('All of the input, with what a cache read and wrote')),
      output_tokens: optional(tokens('All of the output, with reasoning')),
      cache_read_tokens: optional(tokens('Those of the input that a cache read')),
      cache_write_tokens: optional(
        listOf(
          'Those of the input that were written to a cache, by its time to live',
          exactly({ ttl: { ...text, description: 'Time to live' }, tokens: tokens('How many') }),
        ),
      ),
      reasoning_tokens: optional(tokens('Those of the output that were reasoning')),
      source: oneOf(['vendor', 'partial', 'absent'], '`partial`: the last count before the answer was cut'),
    }),
  ),
  cost: optional(
    described('What it cost, by the list of prices', {
      amount_nanos: { ...natural, description: 'In 10⁻⁹ of a unit of the currency' },
      currency: { ...text, description: 'The currency, ISO 4217' },
    }),
  ),
  prices_digest: optional({ ...digest, description: 'Digest of the list of prices' }),
} as const;

const oneApproval = {
  approval_id: { ...id('apr'), description: 'Id of the approval' },
  digest: { ...digest, description: 'Digest of what they were asked: `digest` of the receipts of their decisions' },
  decisions: listOf('Receipts of the decisions, the first one first', id('rec')),
};

/** Schema of `facts` of a run: what happened, in the receipt's terms. */
export const runFacts = exactly('RunFacts', {
  action: described('What the Orb does', {
    class: oneOf(['read', 'notify', 'write', 'delete', 'execute', 'payment'], 'Kind of action'),
    effect: oneOf(['none', 'idempotent', 'reversible', 'irreversible'], 'What a run changes in the world'),
    delivery: optional({ const: 'at_least_once', description: 'The caller accepted that it may be done twice' }),
    caller_deadline: optional({
      type: 'boolean',
      description: "True: the deadline that ended it was the caller's own",
    }),
  }),
  policy: { ...policyFacts, description: 'What was decided, and by what' },
  principal: { ...id('prn'), description: 'Id of who called, `prn_<ulid>`' },
  key: described('How the signing key is kept', { custody: { const: 'in_process', description: 'Where the key is' } }),
  orb: described('The Orb as it stood', {
    manifest_digest: { ...digest, description: '`sha256:<hex>` of the manifest in canonical form' },
    manifest_signed: { type: 'boolean', description: 'Whether the manifest is signed' },
    tier: oneOf(['none', 'bronze', 'silver', 'gold', 'platinum'], 'Its certification tier'),
    state: oneOf(['active', 'suspended'], 'Whether it was suspended'),
  }),
  schema: described('Whether inputs and outputs fit their schemas', {
    inputs: oneOf(['valid', 'absent'], 'Of the inputs'),
    outputs: oneOf(['valid', 'invalid', 'absent', 'unchecked'], 'Of the outputs'),
  }),
  provider: optional(
    described('The provider that served', {
      name: { ...text, description: 'Name of the provider' },
      generation: { ...natural, description: 'Number of the opening of a provider for the Orb' },
      health: oneOf(['up', 'degraded', 'down', 'unknown'], 'Its health when it was called'),
      swap_id: optional({ ...id('swp'), description: 'The swap that bound it' }),
    }),
  ),
  approval: optional(
    described('What people were asked before it could run; the last time, if they were asked again', {
      ...oneApproval,
      earlier: optional(
        listOf('Approvals before it that hold as well, the first one first', described('An approval', oneApproval)),
      ),
    }),
  ),
  attempts: listOf('Calls of providers, in order', attempt),
  latency: optional(
    described('What the Orb promises of its latency', {
      objective_ms: { type: 'integer', minimum: 1, description: 'How long a good run takes at most, milliseconds' },
    }),
  ),
  data: described('The data it handles', {
    classes: listOf('Classes of data', { type: 'string', enum: ['public', 'internal', 'confidential', 'restricted'] }),
  }),
  inputs: { ...commitment, description: 'Commitment to the inputs' },
  outputs: optional({ ...commitment, description: 'Commitment to the outputs' }),
  outcome: oneOf([...attempt.properties.outcome.enum, 'deadline', 'cancelled', 'denied'], 'What became of it'),
  channel: optional(
    described('How the caller reached the program; absent: by the HTTP API', {
      kind: { ...text, description: 'The protocol' },
      protocol: optional({ ...text, description: 'Its revision' }),
      client: optional(
        described('What the client said it is; nothing proves it', {
          name: { ...text, description: 'Its name' },
          version: optional({ ...text, description: 'Its version' }),
        }),
      ),
    }),
  ),
  upstream: optional(
    described('The tool of the provider that the Orb represents, as it was called', {
      server: described('What the server says of itself', {
        name: { ...text, description: 'Its name' },
        version: { ...text, description: 'Its version' },
      }),
      protocol: { ...text, description: 'Revision of the protocol that was spoken' },
      tool: { ...text, description: 'Name of the tool' },
      definition_digest: { ...digest, description: 'Digest of the definition under which it was called' },
      pinned: { type: 'boolean', description: 'False: another definition than the one of the manifest' },
    }),
  ),
  ...meteredFacts,
});
/** What happened in a run. */
export type RunFacts = Infer<typeof runFacts>;

/** Schema of `score`: how far this run was under known-good controls, explained. */
export const runScore = exactly('RunScore', {
  model: { const: 'tsm-1', description: 'Name of the model' },
  trust_score: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'How far the run went under known-good controls, 0 to 100',
  },
  band: oneOf(['A', 'B', 'C', 'D'], 'Band of the score'),
  inherent_risk: { ...risk, description: 'Risk of such an action' },
  risk_level: { ...risk, description: 'The risk of the run, by its effect and its score' },
  deductions: listOf(
    'Why points are missing',
    exactly({
      code: { ...word, description: 'Code of the deduction' },
      points: { ...natural, description: 'Points taken' },
      evidence: { type: 'string', pattern: '^/facts/', description: 'JSON Pointer to the fact behind it' },
    }),
  ),
  gates: listOf(
    'Why the score is capped',
    exactly({
      code: { ...word, description: 'Code of the gate' },
      max: { ...natural, description: 'The highest score it lets through' },
    }),
  ),
});
/** The trust score with its reasons. */
export type RunScore = Infer<typeof runScore>;

/** Schema of how a run counts. */
export const outcomeClass = {
  type: 'string',
  enum: ['ok', 'caller_fault', 'policy_denied', 'platform_fault', 'orb_fault'],
} as const satisfies JsonSchema;

/** Schema of `score_fact`: the input of reputation from a run. */
export const scoreFact = exactly('ScoreFact', {
  outcome_class: { ...outcomeClass, description: 'How the run counts' },
  is_self: { type: 'boolean', description: 'Whether the publisher ran its own Orb' },
  caller_ref: optional({ type: 'string', pattern: '^[0-9a-f]{64}$', description: 'A pseudonym of the caller' }),
  latency_ok: optional({ type: 'boolean', description: 'Whether it was within the latency objective' }),
});
/** The input of reputation from a run. */
export type ScoreFact = Infer<typeof scoreFact>;

/** Schema of the predicate of a run. */
export const runPredicate = exactly('RunPredicate', {
  ...head,
  tenant: { ...text, description: 'The tenant it belongs to' },
  run_id: { ...id('run'), description: 'Id of the run' },
  orbiset_id: { ...text, description: 'Id of the Orbiset' },
  orb_id: { ...orbId, description: 'Id of the Orb' },
  mode: oneOf(['live', 'sandbox'], '`sandbox`: nothing left the machine'),
  sequence: { type: 'integer', minimum: 1, description: 'Number of the receipt in its Orbiset, from 1' },
  previous_digest: optional({ ...digest, description: 'Digest of the receipt before it in the same Orbiset' }),
  started_at: { ...time, description: 'When it began' },
  finished_at: { ...time, description: 'When it ended' },
  execution_ms: { ...natural, description: 'How long it took, milliseconds' },
  status: oneOf(['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'], 'How the run ended'),
  reason: optional({ ...word, description: 'Why it did not complete' }),
  facts: { ...runFacts, description: 'What happened' },
  score: { ...runScore, description: 'The trust score, explained' },
  score_fact: { ...scoreFact, description: 'What reputation reads of it' },
});
/** The predicate of a run. */
export type RunPredicate = Infer<typeof runPredicate>;

/** Schema of the statement of a run: in-toto Statement v1. */
export const runStatement = {
  title: 'RunStatement',
  ...statementOf(
    { const: 'urn:agent-orb:run:v1', description: 'Kind of what is attested' },
    { ...runPredicate, description: 'What is attested' },
  ),
};
/** The statement of a run. */
export type RunStatement = Infer<typeof runStatement>;
