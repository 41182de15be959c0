import { canonical, given, timestamp } from '../../../../kernel/index.ts';
import type { DeliveryRef } from '../model/event.ts';
import type { Desired } from './incident.ts';
import type { Attested, IncidentRecord, Shown } from '../model/record.ts';
import type { changes } from '../../fact.ts';

/** One change to attest: the whole state, and the added deliveries. */
export interface Change {
  readonly incident_id: string;
  readonly change: (typeof changes)[number];
  readonly facts: Attested;
  readonly deliveries: readonly DeliveryRef[];
  readonly shown: Shown;
  /** The stored incident; absent when it opens. */
  readonly before?: IncidentRecord;
  readonly desired?: Desired;
  /** Incidents whose signals now belong to this one: they are retracted after it. */
  readonly takes: readonly string[];
}

/** The changes that bring the stored incidents of one key to the desired state. */
export interface Plan {
  /** In the order of attestation. */
  readonly changes: readonly Change[];
  /** Stored incidents whose view changes, but not their attested state. */
  readonly shown: readonly { readonly record: IncidentRecord; readonly shown: Shown }[];
  /** Events that are now assigned to another incident than before. */
  readonly assigned: readonly Readonly<Record<'event_id' | 'fingerprint' | 'incident_id', string>>[];
}

/**
 * Compares stored incidents of one key with the desired ones and matches them by their signals. When two incidents
 * became one, the later one is retracted. An incident that lists a source which no longer belongs to it is replaced. So
 * the attested result does not depend on the order in which signals arrived.
 */
export function planOf(stored: readonly IncidentRecord[], desired: readonly Desired[], newId: () => string): Plan {
  const live = new Map(stored.filter(({ retracted }) => !retracted).map((record) => [record.incident_id, record]));
  const changes: Change[] = [];
  const shown: Plan['shown'][number][] = [];
  const assigned: Plan['assigned'][number][] = [];
  for (const incident of desired) {
    if (incident.retraction !== undefined) {
      const record = live.get(incident.retraction.incident_id);
      if (record !== undefined) changes.push(retraction(record, incident.retraction));
      live.delete(incident.retraction.incident_id);
      continue;
    }
    const [keep, ...others] = candidates(incident, live);
    const before = keep !== undefined && lists(incident, keep) ? keep : undefined;
    const incident_id = before?.incident_id ?? newId();
    const replaced = before === undefined && keep !== undefined;
    const takes = replaced ? [keep, ...others] : others;
    if (before !== undefined) live.delete(before.incident_id);
    const change = changeOf(incident_id, before, incident, takes);
    if (change !== undefined) changes.push(change);
    else if (before !== undefined && differs(before.shown, shownOf(incident)))
      shown.push({ record: before, shown: shownOf(incident) });
    for (const { event_id, fingerprint, incident_id: known } of incident.events)
      if (known !== incident_id) assigned.push({ event_id, fingerprint, incident_id });
    // Removes them now, so that no other cluster matches an incident that is retracted.
    for (const record of takes) {
      live.delete(record.incident_id);
      const why = replaced && record === keep ? 'superseded' : 'merged';
      changes.push(retraction({ ...record, merged_into: incident_id }, { reason: why }));
    }
  }
  for (const record of live.values())
    changes.push(retraction(record, { reason: record.merged_into === undefined ? 'withdrawn' : 'merged' }));
  return { changes, shown, assigned };
}

function candidates({ events }: Desired, live: ReadonlyMap<string, IncidentRecord>): readonly IncidentRecord[] {
  const ids = new Set(events.map(({ incident_id }) => incident_id ?? ''));
  const found = [...ids].map((id) => live.get(id)).filter((record) => record !== undefined);
  const order = ({ facts, incident_id }: IncidentRecord): string => `${facts.starts_at} ${incident_id}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

// Listed deliveries cannot be withdrawn, and sources and strengths affect the result: all listed ones must still
// belong.
function lists({ deliveries }: Desired, { deliveries: listed }: IncidentRecord): boolean {
  const word = ({ source_id, auth_strength }: DeliveryRef): string => `${source_id} ${auth_strength}`;
  const right = new Set(deliveries.map(word));
  return listed.every((delivery) => right.has(word(delivery)));
}

function changeOf(
  incident_id: string,
  before: IncidentRecord | undefined,
  desired: Desired,
  takes: readonly IncidentRecord[],
): Change | undefined {
  const facts = attestedOf(desired);
  const listed = new Set(before?.deliveries.map(({ delivery_id }) => delivery_id));
  const deliveries = desired.deliveries.filter(({ delivery_id }) => !listed.has(delivery_id));
  if (before !== undefined && deliveries.length === 0 && takes.length === 0 && !differs(before.facts, facts))
    return undefined;
  return {
    incident_id,
    change: before === undefined ? 'opened' : 'changed',
    facts,
    deliveries,
    shown: shownOf(desired),
    ...given({ before }),
    desired,
    takes: takes.map((record) => record.incident_id),
  };
}

function retraction(record: IncidentRecord, word: Pick<Attested, 'principal' | 'reason'>): Change {
  const { principal: _, reason: __, ...state } = record.facts;
  return {
    incident_id: record.incident_id,
    change: 'retracted',
    facts: { ...state, ...given({ principal: word.principal }), reason: word.reason ?? 'false positive' },
    deliveries: [],
    shown: record.shown,
    before: record,
    takes: [],
  };
}

function differs(a: object, b: object): boolean {
  return canonical(a) !== canonical(b);
}

/** Makes the state to attest for a desired incident. */
export function attestedOf(desired: Desired): Attested {
  const { state, severity, scope, starts_ms, ends_ms, principal, reason, receipt_id } = desired;
  return given({
    state,
    severity,
    scope: scope.map(({ kind, id }) => ({ kind, id })),
    starts_at: timestamp(starts_ms),
    ends_at: moment(ends_ms),
    ...{ principal, reason, receipt_id },
  });
}

/** Makes the view of a desired incident. */
export function shownOf(desired: Desired): Shown {
  const { phase, ending, acknowledged_ms, corroborated, flapping, reopened, stretches, title } = desired;
  return given({
    ...{ phase, ending, acknowledged_at: moment(acknowledged_ms), corroborated, flapping, reopen_count: reopened },
    stretches: stretches.map(({ from_ms, to_ms, severity, impact }, index) => {
      // During the hold time after its end, an incident still counts as active.
      const held = index === stretches.length - 1 && desired.state !== 'resolved';
      return given({ from: timestamp(from_ms), to: held ? undefined : moment(to_ms), severity, impact });
    }),
    title,
  });
}

function moment(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timestamp(ms);
}
