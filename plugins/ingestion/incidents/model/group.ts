import type { AlertEvent } from './event.ts';
import type { Act, IncidentRecord } from './record.ts';

/** What is to be read of a key: all of it, or only some alerts, acts and acknowledgements. */
export interface AskedGroup {
  /** Absent: its alerts and incidents are known. */
  readonly key?: string;
  readonly fingerprints: readonly string[];
  readonly acts: readonly string[];
  /** Incidents whose acts are asked for. */
  readonly acked: readonly string[];
}

/** What was read, with the acts that the events name. */
export interface FoundGroup {
  readonly fingerprints: readonly string[];
  readonly incidents: readonly IncidentRecord[];
  readonly alerts: readonly (readonly [fingerprint: string, events: readonly AlertEvent[]])[];
  readonly acts: readonly Act[];
  readonly acked: readonly (readonly [incidentId: string, acts: readonly Act[]])[];
}

/** The reads that a group is made of. */
interface Parts {
  fingerprints(key: string): readonly string[];
  incidents(key: string): readonly IncidentRecord[];
  events(fingerprint: string): readonly AlertEvent[];
  act(id: string): Act | undefined;
  acts(incidentId: string): readonly Act[];
}

/** Makes the read of a key: one for all its rows, so that an engine of another process is asked once. */
export function groupReading(parts: Parts) {
  return (asked: AskedGroup): FoundGroup => {
    const { key } = asked;
    const fingerprints = key === undefined ? [] : parts.fingerprints(key);
    const incidents = key === undefined ? [] : parts.incidents(key);
    const wanted = new Set([...fingerprints, ...asked.fingerprints]);
    const alerts = [...wanted].map((fingerprint) => [fingerprint, parts.events(fingerprint)] as const);
    const events = alerts.flatMap(([, own]) => own);
    const acts = new Set([...asked.acts, ...events.flatMap(({ act_id }) => act_id ?? [])]);
    const acked = new Set([...asked.acked, ...events.flatMap(({ incident_id }) => incident_id ?? [])]);
    return {
      ...{ fingerprints, incidents, alerts },
      acts: [...acts].flatMap((id) => parts.act(id) ?? []),
      acked: [...acked].map((id) => [id, parts.acts(id)] as const),
    };
  };
}
