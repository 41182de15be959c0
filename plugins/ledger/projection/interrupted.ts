import type { IncidentLine, Line } from '../fact/line.ts';
import { dayNumber, minuteNumber } from '../score/day.ts';
import { burdensOf, isOpen, names } from '../score/debt.ts';
import type { OrbState } from './orb.ts';
import { isExposed, takesHalf } from './suspension.ts';
import type { Minutes } from './tallies.ts';
import type { Incident } from '../fact/incident.ts';

/** Lines that can start a suspension, and the data to judge them. */
export interface Interval {
  readonly lines: readonly Line[];
  readonly incidents: ReadonlyMap<string, Incident>;
  readonly minutes: Minutes;
}

/**
 * Says whether a suspension of an Orb, which was not suspended at the last snapshot, began since: from the lines since
 * then alone, whatever the order in which their shards were read.
 */
export function isInterrupted(orb: OrbState, { incidents, lines, minutes }: Interval): boolean {
  return lines.some((line) => {
    if (line.kind === 'standing') return line.change === 'suspended' && line.orb_id === orb.orb_id;
    if (line.kind === 'namespace') return line.change === 'revoked' && line.namespace === orb.namespace;
    const incident = line.kind === 'incident' ? incidents.get(line.incident_id) : undefined;
    return line.kind === 'incident' && incident !== undefined && suspends(line, asOf(line, incident), orb, minutes);
  });
}

/** An incident in the state that one of its entries gives it. */
export function asOf({ change, ends_at, scope, severity, starts_at, state }: IncidentLine, known: Incident): Incident {
  const { ends_at: _, ...rest } = known;
  const ended = ends_at === undefined ? {} : { ends_at };
  return { ...rest, scope, severity, starts_at, state, ...ended, retracted: change === 'retracted' };
}

function suspends(line: IncidentLine, incident: Incident, orb: OrbState, minutes: Minutes): boolean {
  const day = dayNumber(line.at);
  if (incident.integrity) return names(incident, orb.orb_id) && isOpen(incident, day);
  if (!isExposed(orb)) return false;
  // The runs until the entry. The counts do not distinguish runs after it from runs that were logged late.
  const last = minuteNumber(line.at);
  const counts = (from: number, to: number) => minutes(orb.orb_id, from, Math.min(to, last));
  return burdensOf({ orb_id: orb.orb_id }, incident, day, counts).some(takesHalf);
}
