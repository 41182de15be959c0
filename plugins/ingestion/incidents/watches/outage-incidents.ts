import type { Ids } from '../../../../kernel/index.ts';
import { ownEvent, type AlertEvent } from '../model/event.ts';
import type { Engine } from '../engine/engine.ts';
import type { IncidentScope } from '../store/scope.ts';
import { allOrbs, outageMs, recoveryMs, type OutageEvent, type OutageRecord } from './outage.ts';

// Key of measured incidents.
const measuredKey = 'measured:runtime';

/** Opens an incident of the runtime for a measured outage (a critical one when no Orb can be served), and closes it. */
export function outageIncidents({ ids, reads }: IncidentScope, engine: Pick<Engine, 'add'>): OutageRecord {
  return {
    open: async () => [...(await firingOutages(reads)).keys()],
    record: (event) => engine.add(() => alertOf(event, ids)),
  };
}

/** Finds the subjects whose last recorded event is firing, each with the time of the event. */
export async function firingOutages(reads: IncidentScope['reads']): Promise<ReadonlyMap<string, number>> {
  const firing = (await reads.newestOf(measuredKey)).filter(({ state }) => state === 'firing');
  return new Map(firing.map((event) => [event.fingerprint.slice(fingerprintOf('').length), event.occurred_ms]));
}

function fingerprintOf(subject: string): string {
  return `${measuredKey}:${subject}`;
}

function alertOf({ subject, state, at_ms, reason }: OutageEvent, ids: Ids): AlertEvent {
  const said = {
    ...{ fingerprint: fingerprintOf(subject), key: measuredKey, occurred_ms: at_ms, state },
    severity: subject === allOrbs ? 'critical' : 'high',
    scope: [{ kind: 'component', id: 'runtime' }],
    rule: 'measured',
    vendor: 'platform',
    title: `${reason} (for ${outageMs / 1000} s)`,
  } as const;
  // An outage is recorded after one bad minute and ends after five good ones; the hold keeps it open until then.
  return ownEvent(ids, said, recoveryMs / 1000);
}
