import { exactly, optional } from '../../../kernel/index.ts';
import {
  described,
  componentNames,
  logSize,
  scoringPolicy,
  snapshotRef,
  tierEvent,
  unmetGate,
  tiers,
} from '../shapes.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const number = { type: 'number' } as const;
const day = { type: 'string', description: '`YYYY-MM-DD`, UTC' } as const;
const tier = { type: 'string', enum: tiers } as const;
const score = { type: ['integer', 'null'], minimum: 0, maximum: 100 } as const;
const exact = { type: ['number', 'null'], description: 'Tenths, rounded down' } as const;
const counts = { type: 'object', additionalProperties: number } as const;
const incident = exactly('IncidentDebt', {
  severity: { enum: ['critical', 'high', 'warning', 'info'], description: 'Severity' },
  state: { enum: ['open', 'acknowledged', 'resolved'], description: 'State of the incident' },
  opened_day: day,
  resolved_day: optional(day),
  debt_milli: { ...count, description: 'Debt of incidents, thousandths' },
  incident_id: optional({ type: 'string', description: 'With `incidents:read`' }),
  evidence: optional({ type: 'string', description: 'With `incidents:read`: URLs of the deliveries and receipts' }),
});

const component = exactly('ScoreComponent', {
  name: { enum: componentNames, description: 'Name of the component' },
  weight: { ...count, description: 'Its weight' },
  value: { ...number, description: 'Its value, 0 to 1' },
  points: { ...number, description: 'Points' },
  reason: { ...text, description: 'Why, in words' },
  counts: { ...counts, description: 'The numbers behind the value' },
});

const evidence = exactly('ScoreEvidence', {
  window_start: day,
  window_end: day,
  runs_counted: { ...count, description: 'Runs that count' },
  callers: optional({ ...count, description: 'Number of callers' }),
  active_days: optional({ ...count, description: 'Days with runs' }),
  last_run_day: optional(day),
  effective_runs: { ...number, description: 'Runs, weighted by age and caller' },
  effective_callers: { ...number, description: 'Callers, weighted by their runs' },
  reliability_lower_bound: optional({ ...number, description: 'Lower bound of the share of good runs' }),
  resolved_ok: optional({ ...count, description: 'Runs with an unknown outcome that a person resolved as good' }),
  excluded: {
    ...counts,
    description: 'Number of runs that do not count, by reason; caller_deadline is part of caller_fault',
  },
});

/** Schema of the profile of an Orb. */
export const orbProfile = exactly('Reputation', {
  orb_id: { ...text, description: 'Id of the Orb' },
  reputation_score: { ...score, description: '0 to 100; null: unscored' },
  score_exact: exact,
  status: { enum: ['suspended', 'unscored', 'provisional', 'scored'], description: 'Whether there is a score' },
  certification_tier: { ...tier, description: 'Certification tier' },
  suspension_causes: optional({ type: 'array', description: 'Why it is suspended', items: text }),
  suspended_tier: optional({ ...tier, description: 'Its tier before the suspension' }),
  tier_since: optional(day),
  limited_by: optional({ enum: componentNames, description: 'The component whose ceiling limits the score' }),
  components: { type: 'array', description: 'Components of the score', items: component },
  evidence: { ...evidence, description: 'Evidence of the score' },
  next_tier: optional(
    described('What the next tier needs', {
      tier: { ...tier, description: 'The next tier' },
      unmet: { type: 'array', description: 'Unmet conditions', items: unmetGate },
    }),
  ),
  lineage: optional(
    described('What it inherits from older versions', {
      version: { ...text, description: 'Semantic version' },
      inherits_from: optional({ ...text, description: 'The version it inherits from' }),
    }),
  ),
  incidents: optional(
    described('Incidents that lower the score', {
      open: { type: 'array', description: 'Open incidents', items: incident },
      decaying: { type: 'array', description: 'Ended incidents that still lower the score', items: incident },
      debt_milli: { ...count, description: 'Debt of incidents, thousandths' },
      retracted: { ...count, description: 'Number of retracted incidents' },
      resolved_by_operator: { ...count, description: 'Number of incidents that a person closed' },
      open_integrity: { ...count, description: 'Number of open integrity incidents' },
    }),
  ),
  profile: optional({ enum: ['single-org', 'multi-tenant'], description: 'Profile by which scores are computed' }),
  scoring_policy: optional({ ...scoringPolicy, description: 'The scoring document' }),
  manifest_signed: optional({ type: 'boolean', description: 'The signature verifies under the key granted now' }),
  as_of: optional(
    described('Position up to which the log is counted', {
      day,
      position: optional(
        described('The last entry that counts', {
          origin: { ...text, description: 'Name of the log' },
          index: { ...count, description: 'Position in the log, from 0' },
        }),
      ),
    }),
  ),
  snapshot: optional({ ...snapshotRef, description: 'The daily snapshot' }),
  log_checkpoint: optional({ ...logSize, description: 'Head of the log' }),
  links: optional({ type: 'object', description: 'Related URLs', additionalProperties: text }),
});

/** Schema of the history of an Orb. */
export const orbHistory = exactly('ReputationHistory', {
  orb_id: { ...text, description: 'Id of the Orb' },
  days: {
    type: 'array',
    description: 'One per snapshot, oldest first',
    items: exactly({
      day,
      reputation_score: { ...score, description: '0 to 100; null: unscored' },
      score_exact: exact,
      status: { ...text, description: 'Whether there was a score' },
      certification_tier: { ...tier, description: 'Certification tier' },
      limited_by: optional({ ...text, description: 'The component whose ceiling limits the score' }),
      effective_runs: optional({ ...number, description: 'Runs, weighted by age and caller' }),
      effective_callers: optional({ ...number, description: 'Callers, weighted by their runs' }),
      debt_milli: optional({ ...count, description: 'Debt of incidents, thousandths' }),
      swaps: { ...count, description: 'Number of swaps' },
      snapshot: optional({ type: 'string', description: 'Digest of the snapshot' }),
    }),
  },
  events: { type: 'array', description: 'Changes of tier', items: tierEvent },
});

const runCounts = {
  ok: { ...count, description: 'Runs that were good' },
  fault: { ...count, description: 'Runs that failed through a fault of the Orb' },
  broken: { ...count, description: 'Runs whose outputs did not fit the schema' },
  fast: { ...count, description: 'Runs within the latency objective' },
  slow: { ...count, description: 'Runs slower than the latency objective' },
} as const;

const dayCounts = exactly({
  day,
  callers: { ...count, description: 'Number of callers' },
  ...runCounts,
  resolved_ok: optional({ ...count, description: 'Runs that were resolved as good' }),
  swaps: optional({ ...count, description: 'Number of swaps' }),
  excluded: { ...counts, description: 'Number of runs that do not count, by reason' },
});

/** Schema of the evidence of an Orb. */
export const orbEvidence = exactly('ReputationEvidence', {
  orb_id: { ...text, description: 'Id of the Orb' },
  days: { type: 'array', description: 'Oldest first', items: dayCounts },
  callers: optional({
    type: 'array',
    description: 'With `by=caller`',
    items: exactly({ day, caller_ref: { ...text, description: 'A pseudonym of the caller' }, ...runCounts }),
  }),
});

/** Schema of the head of an export. */
export const ledgerExport = exactly('LedgerExport', {
  logs: { type: 'array', description: 'Heads of all shards', items: logSize },
  checkpoints: { type: 'array', description: 'Signed checkpoints of all shards', items: { type: 'string' } },
  profile: { type: 'string', description: 'Profile by which scores are computed' },
  scoring_policy: {
    type: 'object',
    description: 'Name and digest of the scoring document',
    additionalProperties: { type: 'string' },
  },
  scoring: { type: 'object', description: 'The scoring document', additionalProperties: true },
  snapshots: { type: 'array', description: 'All daily snapshots', items: snapshotRef },
});
