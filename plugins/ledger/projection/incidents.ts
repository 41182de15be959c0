import type { IncidentLine } from '../fact/line.ts';
import { dayNumber } from '../score/day.ts';
import { isOpen } from '../score/debt.ts';
import type { OrbState } from './orb.ts';
import type { State } from './state.ts';
import { isExposed, recheck } from './suspension.ts';
import type { Minutes } from './tallies.ts';
import type { Incident } from '../fact/incident.ts';

/** An incident as one of its entries leaves it, on the day of the entry, with the Orbs that it concerns. */
export type Weighed = ReturnType<typeof weigh>;

/** Weighs an entry of an incident against the state before it; changes nothing. */
export function weigh({ incidents, orbs }: Pick<State, 'incidents' | 'orbs'>, line: IncidentLine, minutes: Minutes) {
  const known = incidents.get(line.incident_id);
  const incident = mergeIncident(known, line);
  const day = dayNumber(line.at);
  const late = known !== undefined && known.change_number >= line.change_number;
  const touched = [...incident.scope, ...(late ? line.scope : (known?.scope ?? []))];
  const named = new Set(touched.filter(({ kind }) => kind === 'orb').map(({ id }) => id));
  const reaching = touched.some(({ kind }) => kind === 'provider');
  const over = !isOpen(incident, day);
  const concerned = [...orbs.values()].filter((orb) => {
    const reached = reaching && (isExposed(orb) || orb.critical.length > 0);
    // The incident was of the version before this Orb's: no subject of the incident names this Orb.
    const freed = over && orb.critical.includes(incident.incident_id);
    return named.has(orb.orb_id) || reached || freed;
  });
  return {
    incident,
    day,
    /** The entry is older than a folded one. */
    late,
    /** Their critical incidents are up to date. */
    orbs: concerned.map((orb): OrbState => ({ ...orb, critical: recheck(orb, incident, day, minutes) })),
  };
}

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

// Only sources and strengths of deliveries count, so keep one delivery of each combination: the first by id.
function provenBy(deliveries: Deliveries): Deliveries {
  const kept = new Map<string, Deliveries[number]>();
  for (const delivery of deliveries) {
    const name = `${delivery.source_id} ${delivery.auth_strength}`;
    const before = kept.get(name);
    if (before === undefined || delivery.delivery_id < before.delivery_id) kept.set(name, delivery);
  }
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delivery]) => delivery);
}
