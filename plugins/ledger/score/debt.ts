import type { Incident } from '../fact/incident.ts';
import { dayNumber, minuteNumber, minutesOf } from './day.ts';
import { incidentDecay } from './decay.ts';
import { incidentNumbers, unit, windowDays } from './model.ts';

/** Counted runs of an Orb at one provider in a range of minutes. */
export interface ProviderMinutes {
  readonly provider: string;
  readonly n: number;
  readonly fault: number;
}

/** Counts the runs of the Orb per provider in minutes `from`…`to` (since the epoch, both included). */
export type MinuteCounts = (from: number, to: number) => readonly ProviderMinutes[];

/** The effect of one incident on one Orb. */
export interface Burden {
  readonly incident: Incident;
  /** `orb:<id>` or `provider:<name>`. */
  readonly subject: string;
  readonly open: boolean;
  readonly from: number;
  readonly to: number;
  /** Share of the Orb's runs that the incident affects, as a fraction. */
  readonly share: { readonly n: number; readonly d: number };
  /** Authority of its sources: 10, 6 or 0. */
  readonly authority: number;
  readonly debt_milli: number;
}

/** The effect of all incidents on one Orb on one day. */
export interface Debt {
  readonly debt_milli: number;
  /** An integrity incident of the Orb is open. */
  readonly integrity: boolean;
  readonly burdens: readonly Burden[];
}

/** No incident. */
export const noDebt: Debt = Object.freeze({ debt_milli: 0, integrity: false, burdens: [] });

/** Says whether an incident has begun and not ended at the end of a day. */
export function isOpen(incident: Incident, day: number): boolean {
  if (incident.retracted || dayNumber(incident.starts_at) > day) return false;
  if (incident.state !== 'resolved' || incident.ends_at === undefined) return true;
  return dayNumber(incident.ends_at) > day;
}

/** An Orb, and the previous version, whose open incidents count for it too. */
export interface Subject {
  readonly orb_id: string;
  readonly parent?: string;
}

/** Sums the cost of incidents for an Orb on a day; overlapping windows of one subject count once, by the largest. */
export function debtOf(subject: Subject, incidents: Iterable<Incident>, day: number, counts: MinuteCounts): Debt {
  const burdens: Burden[] = [];
  let integrity = false;
  for (const incident of incidents) {
    if (incident.integrity) integrity ||= names(incident, subject.orb_id) && isOpen(incident, day);
    else burdens.push(...burdensOf(subject, incident, day, counts));
  }
  const counted = largestOfOverlapping(burdens);
  return { debt_milli: counted.reduce((sum, { debt_milli }) => sum + debt_milli, 0), integrity, burdens };
}

/** Says whether an incident names an Orb in its scope. */
export function names({ scope }: Incident, orbId: string): boolean {
  return scope.some(({ kind, id }) => kind === 'orb' && id === orbId);
}

/** Lists the effects of one incident on an Orb on a day, per subject; empty when it does not affect the Orb. */
export function burdensOf(subject: Subject, incident: Incident, day: number, counts: MinuteCounts): Burden[] {
  if (incident.retracted || dayNumber(incident.starts_at) > day) return [];
  const open = isOpen(incident, day);
  const decay = decayOf(incident, open, day);
  const inherits = open && subject.parent !== undefined && names(incident, subject.parent);
  const orb = names(incident, subject.orb_id) || inherits;
  const providers = incident.scope.filter(({ kind }) => kind === 'provider').map(({ id }) => id);
  if (decay === 0 || (!orb && providers.length === 0)) return [];
  const window = windowOf(incident, open, day);
  const minutes = counts(window.from, window.to);
  const all = minutes.reduce((sum, { n }) => sum + n, 0);
  const faults = minutes.some(({ fault }) => fault > 0);
  const corroborated = faults || sourcesOf(incident) >= 2;
  const one = (subjectName: string, n: number, d: number): Burden => ({
    incident,
    subject: subjectName,
    open,
    ...window,
    share: { n, d },
    authority: authorityOf(incident),
    debt_milli: cost(incident, { n, d }, corroborated, decay),
  });
  if (orb) return [one(`orb:${subject.orb_id}`, 1, 1)];
  return [...new Set(providers)].map((name) => {
    const n = minutes.find(({ provider }) => provider === name)?.n ?? 0;
    return all > 0 ? one(`provider:${name}`, n, all) : one(`provider:${name}`, 0, 1);
  });
}

function decayOf({ ends_at }: Incident, open: boolean, day: number): number {
  if (open || ends_at === undefined) return unit;
  return incidentDecay[day - dayNumber(ends_at)] ?? 0;
}

// Minutes are kept as long as the window of runs.
function windowOf(incident: Incident, open: boolean, day: number): { readonly from: number; readonly to: number } {
  const oldest = minutesOf(day - windowDays + 1).first;
  const to = open || incident.ends_at === undefined ? minutesOf(day).last : minuteNumber(incident.ends_at);
  return { from: Math.max(oldest, minuteNumber(incident.starts_at)), to };
}

/** Answers the authority of an incident's sources. */
function authorityOf({ deliveries, own }: Incident): number {
  const { strong, shared_secret, other } = incidentNumbers.authority;
  if (own || deliveries.some(({ auth_strength }) => auth_strength === 'strong')) return strong;
  return deliveries.some(({ auth_strength }) => auth_strength === 'shared_secret') ? shared_secret : other;
}

function sourcesOf({ deliveries, own }: Incident): number {
  const eligible = deliveries.filter(
    ({ auth_strength }) => auth_strength === 'strong' || auth_strength === 'shared_secret',
  );
  return new Set(eligible.map(({ source_id }) => source_id)).size + (own ? 1 : 0);
}

function cost(incident: Incident, { n, d }: Burden['share'], corroborated: boolean, decay: number): number {
  const severity = incidentNumbers.severity[incident.severity];
  const factors = [1000, severity, corroborated ? 2 : 1, authorityOf(incident), n, decay].map(BigInt);
  const product = factors.reduce((sum, factor) => sum * factor, 1n);
  return Number(product / BigInt(incidentNumbers.divisor * d * unit));
}

function largestOfOverlapping(burdens: readonly Burden[]): readonly Burden[] {
  const order = [...burdens].sort(
    (a, b) =>
      b.debt_milli - a.debt_milli || a.from - b.from || (a.incident.incident_id < b.incident.incident_id ? -1 : 1),
  );
  const taken: Burden[] = [];
  for (const burden of order) {
    const overlaps = taken.some(
      ({ subject, from, to }) => subject === burden.subject && from <= burden.to && burden.from <= to,
    );
    if (!overlaps) taken.push(burden);
  }
  return taken;
}
