import type { TierEvent } from '../contract.ts';
import { dayText } from '../score/day.ts';
import { burdensOf, isOpen, names, type Burden, type Debt } from '../score/debt.ts';
import { isCritical, rankOf } from '../tier/gates.ts';
import type { OrbState } from './orb.ts';
import type { Minutes } from './tallies.ts';
import type { Incident } from '../fact/incident.ts';

const gold = rankOf('gold');

/** Says whether an Orb's tier is high enough for an incident to suspend it by its share of the runs. */
export function isExposed({ machine }: OrbState): boolean {
  return rankOf(machine.tier) >= gold;
}

/** Lists the open critical incidents that take half of an Orb's runs; empty below gold. */
export function criticalOf(orb: OrbState, { burdens }: Pick<Debt, 'burdens'>): readonly string[] {
  if (!isExposed(orb)) return [];
  return [...new Set(burdens.filter(takesHalf).map(({ incident }) => incident.incident_id))].sort();
}

/** Says whether a burden is critical and of half of the runs. */
export function takesHalf(burden: Burden): boolean {
  return isCritical(burden) && burden.share.n * 2 >= burden.share.d;
}

/** Checks one incident again, on a day: answers the list of `criticalOf` with or without it. */
export function recheck(orb: OrbState, incident: Incident, day: number, minutes: Minutes): readonly string[] {
  const others = orb.critical.filter((id) => id !== incident.incident_id);
  if (incident.integrity || !isExposed(orb)) return others;
  const burdens = burdensOf({ orb_id: orb.orb_id }, incident, day, (from, to) => minutes(orb.orb_id, from, to));
  return burdens.some(takesHalf) ? [...others, incident.incident_id].sort() : others;
}

/** Makes the event when a suspension begins or ends: compares the stored causes of an Orb with those of a day. */
export function turned(orb: OrbState, causes: readonly string[], day: number, actor: TierEvent['actor']): TierEvent[] {
  const { tier } = orb.machine;
  const event = { day: dayText(day), actor };
  if (causes.length > 0 && orb.causes.length === 0)
    return [{ ...event, change: 'suspended', from: tier, to: 'none', rules: causes }];
  if (causes.length === 0 && orb.causes.length > 0)
    return [{ ...event, change: 'restored', from: 'none', to: tier, rules: orb.causes }];
  return [];
}

type Incidents = ReadonlyMap<string, Incident>;

/** Lists why an Orb is suspended on a day; empty when it is not. `revoked`: the namespace was revoked. */
export function causesOf(orb: OrbState, incidents: Incidents, day: number, revoked: boolean): readonly string[] {
  return [
    ...(orb.suspended ? ['operator'] : []),
    ...(failsAudit(orb, incidents, day) ? ['integrity_incident'] : []),
    ...(orb.critical.length > 0 ? ['critical_incident'] : []),
    ...(revoked ? ['namespace_revoked'] : []),
  ];
}

function failsAudit({ orb_id }: OrbState, incidents: Incidents, day: number): boolean {
  // Filter first; avoid copying other incidents.
  for (const incident of incidents.values())
    if (incident.integrity && names(incident, orb_id) && isOpen(incident, day)) return true;
  return false;
}
