import { exactly, type Answered } from '../../kernel/index.ts';

/** Schema of an object with these members and no others. */
export const described = <const M extends object>(description: string, members: M) => ({
  description,
  ...exactly(members),
});

/** Certification tiers, lowest first; the index in the list is the rank. */
export const tiers = ['none', 'bronze', 'silver', 'gold', 'platinum'] as const;

/** A certification tier. */
export type Tier = (typeof tiers)[number];

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const day = { type: 'string', description: '`YYYY-MM-DD`, UTC' } as const;
const tier = { type: 'string', enum: tiers } as const;

/** Who counts as one caller. */
export type Profile = 'single-org' | 'multi-tenant';

/** Names of the components, in the order of the scoring document. */
export const componentNames = [
  'reliability',
  'contract',
  'latency',
  'integrity',
  'incidents',
  'maturity',
  'freshness',
] as const;
/** Name of a component of the score. */
export type ComponentName = (typeof componentNames)[number];

/** Schema of the name and the digest of a scoring document. */
export const scoringPolicy = exactly('ScoringPolicy', {
  id: { ...text, description: 'Name of the scoring document' },
  digest: { ...text, description: '`sha256:<hex>`' },
});

/** Schema of the head of a shard. */
export const logSize = exactly('LogSize', {
  origin: { ...text, description: 'Name of the log' },
  tree_size: { ...count, description: 'Number of entries of the log' },
  root_hash: { ...text, description: 'Root of the tree, base64' },
});

/** Schema of the name of a snapshot. */
export const snapshotRef = exactly('SnapshotReference', {
  day,
  digest: { ...text, description: '`sha256:<hex>`' },
  logs: { type: 'array', description: 'Heads of the logs it was computed from', items: logSize },
  profile: { ...text, description: 'Profile by which scores are computed' },
  scoring_policy: { ...scoringPolicy, description: 'The scoring document' },
});

/** The head of one shard of the log, as a snapshot names it. */
export type LogSize = Answered<typeof logSize>;

/** A daily snapshot: attested, and recomputed bit for bit by anyone who replays the log. */
export type SnapshotRef = Omit<Answered<typeof snapshotRef>, 'profile'> & { readonly profile: Profile };

/** Picks the members of a shard's head. */
export function logSizeOf({ origin, tree_size, root_hash }: LogSize): LogSize {
  return { origin, tree_size, root_hash };
}

/** Picks the members that identify a snapshot. */
export function snapshotRefOf({ day, digest, logs, profile, scoring_policy }: SnapshotRef): SnapshotRef {
  return { day, digest, logs: logs.map(logSizeOf), profile, scoring_policy };
}

/** Schema of a gate of a tier. */
export const unmetGate = exactly('UnmetGate', {
  gate: { ...text, description: 'Name of the condition' },
  needed: { ...text, description: 'What it needs' },
  present: { ...text, description: 'What there is' },
  detail: { ...text, description: 'In words' },
});

/** One gate of a tier that is not met, in words and numbers. */
export type UnmetGate = Answered<typeof unmetGate>;

/** Schema of a change of tier. */
export const tierEvent = exactly('TierEvent', {
  day,
  change: { enum: ['promoted', 'demoted', 'suspended', 'restored', 'lost', 'ended'], description: 'What changed' },
  from: { ...tier, description: 'Tier before' },
  to: { ...tier, description: 'Tier after' },
  rules: { type: 'array', description: 'Rules that made it', items: text },
  actor: { enum: ['auto', 'operator'], description: 'Who made it' },
});

/** A change of tier, computed from the log. */
export type TierEvent = Answered<typeof tierEvent>;

/** Longest latency objective an Orb of an action class may be published with, milliseconds. */
export const objectiveMaximumMs = {
  read: 2000,
  notify: 10_000,
  write: 10_000,
  delete: 10_000,
  execute: 60_000,
  payment: 30_000,
} as const;

/** How far a score can be used: `unscored` has none, `provisional` has a number and no tier. */
export type ScoreStatus = 'suspended' | 'unscored' | 'provisional' | 'scored';
