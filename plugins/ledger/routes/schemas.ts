import type { JsonSchema } from '../../../kernel/index.ts';
import { componentNames, tiers } from '../contract.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const number = { type: 'number' } as const;
const day = { type: 'string', description: '`YYYY-MM-DD`, UTC' } as const;
const tier = { type: 'string', enum: tiers } as const;
const score = { type: ['integer', 'null'], minimum: 0, maximum: 100 } as const;
const exact = { type: ['number', 'null'], description: 'Tenths, rounded down' } as const;
const counts = { type: 'object', additionalProperties: number } as const;
const policy = {
  type: 'object',
  required: ['id', 'digest'],
  properties: { id: text, digest: text },
} as const;

/** Schema of the head of a shard. */
export const logSize = {
  type: 'object',
  required: ['origin', 'tree_size', 'root_hash'],
  properties: { origin: text, tree_size: count, root_hash: text },
} as const satisfies JsonSchema;

/** Schema of the name of a snapshot. */
export const snapshotRef = {
  type: 'object',
  required: ['day', 'digest', 'logs', 'profile', 'scoring_policy'],
  properties: {
    day,
    digest: text,
    logs: { type: 'array', items: logSize },
    profile: text,
    scoring_policy: policy,
  },
} as const satisfies JsonSchema;

const incident = {
  type: 'object',
  required: ['severity', 'state', 'opened_day', 'debt_milli'],
  properties: {
    severity: { enum: ['critical', 'high', 'warning', 'info'] },
    state: { enum: ['open', 'acknowledged', 'resolved'] },
    opened_day: day,
    resolved_day: day,
    debt_milli: count,
    incident_id: { type: 'string', description: 'With `incidents:read`' },
    evidence: { type: 'string', description: 'With `incidents:read`: where deliveries and receipts are found' },
  },
} as const;

const unmet = {
  type: 'object',
  required: ['gate', 'needed', 'present', 'detail'],
  properties: { gate: text, needed: text, present: text, detail: text },
} as const;

/** Schema of a change of tier. */
const tierEvent = {
  type: 'object',
  required: ['day', 'change', 'from', 'to', 'rules', 'actor'],
  properties: {
    day,
    change: { enum: ['promoted', 'demoted', 'suspended', 'restored', 'lost', 'ended'] },
    from: tier,
    to: tier,
    rules: { type: 'array', items: text },
    actor: { enum: ['auto', 'operator'] },
  },
} as const satisfies JsonSchema;

const component = {
  type: 'object',
  required: ['name', 'weight', 'value', 'points', 'reason', 'counts'],
  properties: { name: { enum: componentNames }, weight: count, value: number, points: number, reason: text, counts },
} as const;

const evidence = {
  type: 'object',
  required: ['window_start', 'window_end', 'runs_counted', 'effective_runs', 'effective_callers', 'excluded'],
  properties: {
    window_start: day,
    window_end: day,
    runs_counted: count,
    callers: count,
    active_days: count,
    last_run_day: day,
    effective_runs: number,
    effective_callers: number,
    reliability_lower_bound: number,
    resolved_ok: { ...count, description: 'Good only since somebody said so of a run whose outcome was unknown' },
    excluded: {
      ...counts,
      description: 'Raw numbers of what does not count, by why; caller_deadline is part of caller_fault',
    },
  },
} as const;

/** Schema of the profile of an Orb. */
export const orbProfile = {
  $id: 'Reputation',
  type: 'object',
  required: ['orb_id', 'reputation_score', 'score_exact', 'status', 'certification_tier', 'components', 'evidence'],
  properties: {
    orb_id: text,
    reputation_score: score,
    score_exact: exact,
    status: { enum: ['suspended', 'unscored', 'provisional', 'scored'] },
    certification_tier: tier,
    suspension_causes: { type: 'array', items: text },
    suspended_tier: tier,
    tier_since: day,
    limited_by: { enum: componentNames },
    components: { type: 'array', items: component },
    evidence,
    next_tier: {
      type: 'object',
      required: ['tier', 'unmet'],
      properties: { tier, unmet: { type: 'array', items: unmet } },
    },
    lineage: { type: 'object', required: ['version'], properties: { version: text, inherits_from: text } },
    incidents: {
      type: 'object',
      required: ['open', 'decaying', 'debt_milli', 'retracted', 'resolved_by_operator', 'open_integrity'],
      properties: {
        open: { type: 'array', items: incident },
        decaying: { type: 'array', items: incident },
        debt_milli: count,
        retracted: count,
        resolved_by_operator: count,
        open_integrity: count,
      },
    },
    profile: { enum: ['single-org', 'multi-tenant'] },
    scoring_policy: policy,
    manifest_signed: { type: 'boolean', description: 'The signature verifies under the key granted now' },
    as_of: {
      type: 'object',
      required: ['day'],
      properties: {
        day,
        position: {
          type: 'object',
          required: ['origin', 'index'],
          properties: { origin: text, index: count },
        },
      },
    },
    snapshot: snapshotRef,
    log_checkpoint: logSize,
    links: { type: 'object', additionalProperties: text },
  },
} as const satisfies JsonSchema;

/** Schema of the history of an Orb. */
export const orbHistory = {
  $id: 'ReputationHistory',
  type: 'object',
  required: ['orb_id', 'days', 'events'],
  properties: {
    orb_id: text,
    days: {
      type: 'array',
      description: 'One per snapshot, oldest first',
      items: {
        type: 'object',
        required: ['day', 'reputation_score', 'score_exact', 'status', 'certification_tier', 'swaps'],
        properties: {
          day,
          reputation_score: score,
          score_exact: exact,
          status: text,
          certification_tier: tier,
          limited_by: text,
          effective_runs: number,
          effective_callers: number,
          debt_milli: count,
          swaps: count,
          snapshot: { type: 'string', description: 'Digest of the snapshot' },
        },
      },
    },
    events: { type: 'array', items: tierEvent },
  },
} as const satisfies JsonSchema;

const dayCounts = {
  type: 'object',
  required: ['day', 'callers', 'ok', 'fault', 'broken', 'fast', 'slow', 'excluded'],
  properties: {
    day,
    callers: count,
    ok: count,
    fault: count,
    broken: count,
    fast: count,
    slow: count,
    resolved_ok: count,
    swaps: count,
    excluded: counts,
  },
} as const;

/** Schema of the evidence of an Orb. */
export const orbEvidence = {
  $id: 'ReputationEvidence',
  type: 'object',
  required: ['orb_id', 'days'],
  properties: {
    orb_id: text,
    days: { type: 'array', items: dayCounts },
    callers: {
      type: 'array',
      description: 'With `by=caller`',
      items: {
        type: 'object',
        required: ['day', 'caller_ref', 'ok', 'fault', 'broken', 'fast', 'slow'],
        properties: {
          day,
          caller_ref: text,
          ok: count,
          fault: count,
          broken: count,
          fast: count,
          slow: count,
        },
      },
    },
  },
} as const satisfies JsonSchema;
