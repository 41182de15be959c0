/** What an incident can concern. */
export const subjectKinds = ['component', 'provider', 'orb'] as const;

/** Who raised an incident: alerts of sources, one weak alert, an operator, the auditor of receipts, or the platform's measures. */
export const incidentKinds = ['alerts', 'weak', 'operator', 'integrity', 'measured'] as const;

/** Where an incident stands. */
export const incidentStates = ['open', 'acknowledged', 'resolved'] as const;

/** How bad an incident is; `info` colours nothing. */
export const incidentSeverities = ['critical', 'high', 'warning', 'info'] as const;

/** What /status says of a severity. */
export const impacts = ['major_outage', 'partial_outage', 'degraded_performance', 'none'] as const;

/** Where the work on an incident stands. */
export const phases = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

/** What becomes of an incident by one attested change. */
export const changes = ['opened', 'changed', 'retracted'] as const;

/** One of `incidentSeverities`. */
export type IncidentSeverity = (typeof incidentSeverities)[number];

/** One of `impacts`. */
export type Impact = (typeof impacts)[number];

/** One of `phases`. */
export type Phase = (typeof phases)[number];
