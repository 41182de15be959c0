import type { Impact, IncidentSeverity } from '../../contract.ts';
import type { Severity } from '../../signals/words.ts';

const ranks = { debug: 0, info: 1, warning: 2, high: 3, critical: 4 } as const satisfies Record<Severity, number>;

const impacts = {
  critical: 'major_outage',
  high: 'partial_outage',
  warning: 'degraded_performance',
  info: 'none',
} as const satisfies Record<IncidentSeverity, Impact>;

/** Says whether a severity is as bad as another, or worse. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return ranks[severity] >= ranks[least];
}

/** The severity of an incident: it knows no `debug`. */
export function severityOf(severity: Severity): IncidentSeverity {
  return severity === 'debug' ? 'info' : severity;
}

/** The worst of several; `info` of none. */
export function worst(severities: readonly IncidentSeverity[]): IncidentSeverity {
  let found: IncidentSeverity = 'info';
  for (const severity of severities) if (ranks[severity] > ranks[found]) found = severity;
  return found;
}

/** What /status says of a severity. */
export function impactOf(severity: IncidentSeverity): Impact {
  return impacts[severity];
}
