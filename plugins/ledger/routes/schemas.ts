import type { JsonSchema } from '../../../kernel/index.ts';
import { componentNames } from '../contract.ts';
import { tiers } from '../tier/tiers.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const number = { type: 'number' } as const;
const day = { type: 'string', description: '`YYYY-MM-DD`, UTC' } as const;
const tier = { type: 'string', enum: tiers } as const;
const score = { type: ['integer', 'null'], minimum: 0, maximum: 100 } as const;
const exact = { type: ['number', 'null'], description: 'Tenths, rounded down' } as const;
const counts = { type: 'object', additionalProperties: number } as const;
const policy = {
  title: 'ScoringPolicy',
  type: 'object',
  required: ['id', 'digest'],
  properties: {
    id: { ...text, description: 'Name of the scoring document' },
    digest: { ...text, description: '`sha256:<hex>`' },
  },
} as const;

/** Schema of the head of a shard. */
export const logSize = {
  title: 'LogSize',
  type: 'object',
  required: ['origin', 'tree_size', 'root_hash'],
  properties: {
    origin: { ...text, description: 'Name of the log' },
    tree_size: { ...count, description: 'Number of entries of the log' },
    root_hash: { ...text, description: 'Root of the tree, base64' },
  },
} as const satisfies JsonSchema;

/** Schema of the name of a snapshot. */
export const snapshotRef = {
  title: 'SnapshotReference',
  type: 'object',
  required: ['day', 'digest', 'logs', 'profile', 'scoring_policy'],
  properties: {
    day,
    digest: { ...text, description: '`sha256:<hex>`' },
    logs: { type: 'array', description: 'Heads of the logs it was computed from', items: logSize },
    profile: { ...text, description: 'Profile by which scores are computed' },
    scoring_policy: { ...policy, description: 'The scoring document' },
  },
} as const satisfies JsonSchema;

const incident = {
  title: 'IncidentDebt',
  type: 'object',
  required: ['severity', 'state', 'opened_day', 'debt_milli'],
  properties: {
    severity: { enum: ['critical', 'high', 'warning', 'info'], description: 'How bad it is' },
    state: { enum: ['open', 'acknowledged', 'resolved'], description: 'State of the incident' },
    opened_day: day,
    resolved_day: day,
    debt_milli: { ...count, description: 'Debt of incidents, thousandths' },
    incident_id: { type: 'string', description: 'With `incidents:read`' },
    evidence: { type: 'string', description: 'With `incidents:read`: where deliveries and receipts are found' },
  },
} as const;

const unmet = {
  title: 'UnmetGate',
  type: 'object',
  required: ['gate', 'needed', 'present', 'detail'],
  properties: {
    gate: { ...text, description: 'Name of the condition' },
    needed: { ...text, description: 'What it needs' },
    present: { ...text, description: 'What there is' },
    detail: { ...text, description: 'In words' },
  },
} as const;

/** Schema of a change of tier. */
const tierEvent = {
  title: 'TierEvent',
  type: 'object',
  required: ['day', 'change', 'from', 'to', 'rules', 'actor'],
  properties: {
    day,
    change: { enum: ['promoted', 'demoted', 'suspended', 'restored', 'lost', 'ended'], description: 'What changed' },
    from: { ...tier, description: 'Tier before' },
    to: { ...tier, description: 'Tier after' },
    rules: { type: 'array', description: 'Rules that made it', items: text },
    actor: { enum: ['auto', 'operator'], description: 'Who made it' },
  },
} as const satisfies JsonSchema;

const component = {
  title: 'ScoreComponent',
  type: 'object',
  required: ['name', 'weight', 'value', 'points', 'reason', 'counts'],
  properties: {
    name: { enum: componentNames, description: 'Name of the component' },
    weight: { ...count, description: 'Its weight' },
    value: { ...number, description: 'Its value, 0 to 1' },
    points: { ...number, description: 'Points it gives' },
    reason: { ...text, description: 'Why, in words' },
    counts: { ...counts, description: 'Numbers it was computed from' },
  },
} as const;

const evidence = {
  title: 'ScoreEvidence',
  type: 'object',
  required: ['window_start', 'window_end', 'runs_counted', 'effective_runs', 'effective_callers', 'excluded'],
  properties: {
    window_start: day,
    window_end: day,
    runs_counted: { ...count, description: 'Runs that count' },
    callers: { ...count, description: 'Number of callers' },
    active_days: { ...count, description: 'Days with runs' },
    last_run_day: day,
    effective_runs: { ...number, description: 'Runs, weighted by age and caller' },
    effective_callers: { ...number, description: 'Callers, weighted by their runs' },
    reliability_lower_bound: { ...number, description: 'Lower bound of the share of good runs' },
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
    orb_id: { ...text, description: 'Id of the Orb' },
    reputation_score: { ...score, description: '0 to 100; null: unscored' },
    score_exact: exact,
    status: { enum: ['suspended', 'unscored', 'provisional', 'scored'], description: 'Whether there is a score' },
    certification_tier: { ...tier, description: 'Certification tier' },
    suspension_causes: { type: 'array', description: 'Why it is suspended', items: text },
    suspended_tier: { ...tier, description: 'The tier it had' },
    tier_since: day,
    limited_by: { enum: componentNames, description: 'The component whose ceiling holds the score down' },
    components: { type: 'array', description: 'What the score is made of', items: component },
    evidence: { ...evidence, description: 'What it was counted from' },
    next_tier: {
      type: 'object',
      description: 'What the next tier needs',
      required: ['tier', 'unmet'],
      properties: {
        tier: { ...tier, description: 'The next tier' },
        unmet: { type: 'array', description: 'Conditions that are not met', items: unmet },
      },
    },
    lineage: {
      type: 'object',
      description: 'What it inherits from older versions',
      required: ['version'],
      properties: {
        version: { ...text, description: 'Semantic version' },
        inherits_from: { ...text, description: 'The version it inherits from' },
      },
    },
    incidents: {
      type: 'object',
      description: 'Incidents that weigh on it',
      required: ['open', 'decaying', 'debt_milli', 'retracted', 'resolved_by_operator', 'open_integrity'],
      properties: {
        open: { type: 'array', description: 'Those that are open', items: incident },
        decaying: { type: 'array', description: 'Those that still weigh', items: incident },
        debt_milli: { ...count, description: 'Debt of incidents, thousandths' },
        retracted: { ...count, description: 'Number that was retracted' },
        resolved_by_operator: { ...count, description: 'Number that a person closed' },
        open_integrity: { ...count, description: 'Number of open integrity incidents' },
      },
    },
    profile: { enum: ['single-org', 'multi-tenant'], description: 'Profile by which scores are computed' },
    scoring_policy: { ...policy, description: 'The scoring document' },
    manifest_signed: { type: 'boolean', description: 'The signature verifies under the key granted now' },
    as_of: {
      type: 'object',
      description: 'Until when the log is counted',
      required: ['day'],
      properties: {
        day,
        position: {
          type: 'object',
          description: 'The last entry that counts',
          required: ['origin', 'index'],
          properties: {
            origin: { ...text, description: 'Name of the log' },
            index: { ...count, description: 'Position in the log, from 0' },
          },
        },
      },
    },
    snapshot: { ...snapshotRef, description: 'The daily snapshot' },
    log_checkpoint: { ...logSize, description: 'Head of the log' },
    links: { type: 'object', description: 'Addresses of the rest', additionalProperties: text },
  },
} as const satisfies JsonSchema;

/** Schema of the history of an Orb. */
export const orbHistory = {
  $id: 'ReputationHistory',
  type: 'object',
  required: ['orb_id', 'days', 'events'],
  properties: {
    orb_id: { ...text, description: 'Id of the Orb' },
    days: {
      type: 'array',
      description: 'One per snapshot, oldest first',
      items: {
        type: 'object',
        required: ['day', 'reputation_score', 'score_exact', 'status', 'certification_tier', 'swaps'],
        properties: {
          day,
          reputation_score: { ...score, description: '0 to 100; null: unscored' },
          score_exact: exact,
          status: { ...text, description: 'Whether there was a score' },
          certification_tier: { ...tier, description: 'Certification tier' },
          limited_by: { ...text, description: 'The component whose ceiling holds the score down' },
          effective_runs: { ...number, description: 'Runs, weighted by age and caller' },
          effective_callers: { ...number, description: 'Callers, weighted by their runs' },
          debt_milli: { ...count, description: 'Debt of incidents, thousandths' },
          swaps: { ...count, description: 'Number of swaps' },
          snapshot: { type: 'string', description: 'Digest of the snapshot' },
        },
      },
    },
    events: { type: 'array', description: 'Changes of tier', items: tierEvent },
  },
} as const satisfies JsonSchema;

const dayCounts = {
  type: 'object',
  required: ['day', 'callers', 'ok', 'fault', 'broken', 'fast', 'slow', 'excluded'],
  properties: {
    day,
    callers: { ...count, description: 'Number of callers' },
    ok: { ...count, description: 'Runs that were good' },
    fault: { ...count, description: 'Runs that failed by the fault of the Orb' },
    broken: { ...count, description: 'Runs whose outputs broke the schema' },
    fast: { ...count, description: 'Runs within the latency objective' },
    slow: { ...count, description: 'Runs beyond the latency objective' },
    resolved_ok: { ...count, description: 'Runs that were settled as good' },
    swaps: { ...count, description: 'Number of swaps' },
    excluded: { ...counts, description: 'Raw numbers of what does not count, by why' },
  },
} as const;

/** Schema of the evidence of an Orb. */
export const orbEvidence = {
  $id: 'ReputationEvidence',
  type: 'object',
  required: ['orb_id', 'days'],
  properties: {
    orb_id: { ...text, description: 'Id of the Orb' },
    days: { type: 'array', description: 'Oldest first', items: dayCounts },
    callers: {
      type: 'array',
      description: 'With `by=caller`',
      items: {
        type: 'object',
        required: ['day', 'caller_ref', 'ok', 'fault', 'broken', 'fast', 'slow'],
        properties: {
          day,
          caller_ref: { ...text, description: 'Stands for the caller' },
          ok: { ...count, description: 'Runs that were good' },
          fault: { ...count, description: 'Runs that failed by the fault of the Orb' },
          broken: { ...count, description: 'Runs whose outputs broke the schema' },
          fast: { ...count, description: 'Runs within the latency objective' },
          slow: { ...count, description: 'Runs beyond the latency objective' },
        },
      },
    },
  },
} as const satisfies JsonSchema;
