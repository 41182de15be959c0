import type { Log } from '../../../../kernel/index.ts';
import type { IncidentView, Incidents } from '../../contract.ts';
import type { Runtime } from '../../../runtime/contract.ts';

type Reported = 'up' | 'degraded' | 'down';

const gravity: Readonly<Record<Reported, number>> = { up: 0, degraded: 1, down: 2 };

/**
 * Reports the effect of open incidents on each provider, and withdraws it when they end. Returns a function that
 * reports again.
 */
export function reportProviders(
  runtime: Pick<Runtime, 'reportProvider'>,
  incidents: Pick<Incidents, 'open'>,
  log: Pick<Log, 'error'>,
): () => void {
  let reported = new Map<string, Reported>();
  return () => {
    const now = new Map<string, { readonly health: Reported; readonly incident_id: string }>();
    for (const incident of incidents.open())
      for (const { kind, id } of incident.scope) {
        if (kind !== 'provider') continue;
        const health = healthOf(incident);
        if (gravity[health] > gravity[now.get(id)?.health ?? 'up'])
          now.set(id, { health, incident_id: incident.incident_id });
      }
    const names = new Set([...reported.keys(), ...now.keys()]);
    for (const name of names) {
      const { health, incident_id } = now.get(name) ?? { health: 'up' as const, incident_id: undefined };
      if (health === (reported.get(name) ?? 'up')) continue;
      try {
        runtime.reportProvider(name, health, incident_id === undefined ? 'incidents_over' : `incident ${incident_id}`);
      } catch (error) {
        log.error({ err: error, provider: name }, `the health of provider ${name} could not be reported`);
      }
    }
    reported = new Map([...now].map(([name, { health }]) => [name, health]));
  };
}

function healthOf({ impact }: IncidentView): Reported {
  if (impact === 'none') return 'up';
  return impact === 'major_outage' ? 'down' : 'degraded';
}
