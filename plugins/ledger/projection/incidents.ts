import type { IncidentLine } from '../fact/line.ts';
import type { Incident } from '../score/debt.ts';

/**
 * Adds one entry to the state of an incident. The highest `change_number` gives the state, deliveries add up, so the
 * order of the entries and duplicates do not matter.
 */
export function mergeIncident(known: Incident | undefined, line: IncidentLine): Incident {
  const opened = line.change === 'opened';
  const once = {
    incident_id: line.incident_id,
    // Only the auditor opens an incident for a receipt that does not verify, and it does so without a principal.
    integrity: known?.integrity === true || (opened && line.reason === 'integrity' && line.principal === undefined),
    own: known?.own === true || (opened && line.deliveries.length === 0),
    deliveries: provenBy([...(known?.deliveries ?? []), ...line.deliveries]),
  };
  if (known !== undefined && known.change_number >= line.change_number) return { ...known, ...once };
  const { change_number, state, severity, scope, starts_at, ends_at, principal } = line;
  const retracted = line.change === 'retracted';
  return {
    ...once,
    change_number,
    state,
    severity,
    scope,
    starts_at,
    ...(ends_at === undefined ? {} : { ends_at }),
    retracted,
    closed_by_person: principal !== undefined && (retracted || state === 'resolved'),
  };
}

type Deliveries = Incident['deliveries'];

// Of thousands of deliveries only their sources and strengths count: one of each stays, the first by id.
function provenBy(deliveries: Deliveries): Deliveries {
  const kept = new Map<string, Deliveries[number]>();
  for (const delivery of deliveries) {
    const name = `${delivery.source_id} ${delivery.auth_strength}`;
    const before = kept.get(name);
    if (before === undefined || delivery.delivery_id < before.delivery_id) kept.set(name, delivery);
  }
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delivery]) => delivery);
}
