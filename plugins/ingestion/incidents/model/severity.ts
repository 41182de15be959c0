import type { IncidentSeverity } from '../../contract.ts';
import type { Severity } from '../../signals/words.ts';

const ranks = { debug: 0, info: 1, warning: 2, high: 3, critical: 4 } as const satisfies Record<Severity, number>;

/** Says whether a severity is equal to another, or worse. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return ranks[severity] >= ranks[least];
}

/** Maps a signal's severity to that of an incident, which has no `debug`. */
export function severityOf(severity: Severity): IncidentSeverity {
  return severity === 'debug' ? 'info' : severity;
}

/** Finds the worst of several severities; `info` for an empty list. */
export function worst(severities: readonly IncidentSeverity[]): IncidentSeverity {
  let found: IncidentSeverity = 'info';
  for (const severity of severities) if (ranks[severity] > ranks[found]) found = severity;
  return found;
}
