import { whenKnown, type Scopes } from '../../../kernel/index.ts';
import type { Incidents } from '../contract.ts';
import { topics } from '../topics.ts';
import { createActs } from './routes/incident-acts.ts';
import { Engine } from './engine/engine.ts';
import { createFolding, type Folding } from './requests/fold-role.ts';
import type { RequestReads } from './requests/store.ts';
import type { NodesScope } from './watches/outages-of-nodes.ts';
import type { IncidentScope } from './store/scope.ts';
import { watchIntegrity } from './watches/integrity.ts';
import { watchLost } from './watches/lost-entries.ts';
import { reportProviders } from './watches/provider-health.ts';
import { watchDefinitions } from './watches/definitions.ts';
import { measureOutages } from './watches/outage.ts';
import { recordTroubles } from './watches/troubles.ts';
import { actRoutes } from './routes/acts.ts';
import { evidenceRoute } from './routes/evidence.ts';
import { incidentRoutes } from './routes/incidents.ts';
import { maintenanceRoutes } from './routes/maintenance.ts';
import type { RouteScope } from './routes/wire.ts';
import { createService, type IncidentService } from './service.ts';
import { createSink } from './sink.ts';
import { impacts } from '../fact.ts';

export { incidentCommands } from './commands.ts';

/** Scopes of the routes of incidents. */
export const incidentScopes = {
  'incidents:read': { title: 'Read incidents, their evidence and maintenance windows', installation: true },
  'incidents:manage': {
    title: 'Open, acknowledge, resolve and retract incidents; plan maintenance',
    installation: true,
  },
} as const satisfies Scopes;

// A search looks through the titles of so many incidents, the newest.
const mostFound = 500;

/** What opens incidents automatically. */
type Watch = { start(): Promise<void> | void; stop(): Promise<void> | void };

/** Creates the incident part of ingestion: pure folds of signals; each change is attested. */
export async function openIncidents(scope: IncidentScope & NodesScope & { readonly reads: RequestReads }) {
  const { log, metrics, runtime } = scope;
  const told = await createService(scope);
  const report = reportProviders(runtime, told.service, log);
  const engine = new Engine({ ...scope, changed: ({ incident_id }) => whenKnown(told.changed(incident_id), report) });
  const folding = createFolding(scope, engine);
  follow(scope, { engine, folding, told, report });
  const asking = { ...scope, ask: folding.ask };
  const integrity = watchIntegrity(asking);
  const troubles = recordTroubles(asking);
  const outages = measureOutages(scope, folding.outages);
  const watches: readonly Watch[] = [outages, watchDefinitions(asking), troubles, watchLost(asking)];
  const acts = createActs({ ...asking, plan: folding.plan, told });
  const titles = () => scope.lists.titles(mostFound);
  runtime.findable({ kind: 'incident', scope: 'incidents:read', list: titles });
  metrics.collect('orb_incidents_open', 'Open incidents by impact', 'gauge', () => openByImpact(told.service));
  return {
    sink: createSink({ ...scope, engine, refreshed: folding.refreshed }),
    service: { ...told.service, report: troubles.report } satisfies Incidents,
    /** Applies changes that depend on time now, instead of within a second. */
    look: () => engine.settle(),
    /** Deletes the events of incidents that were over before a moment, ms, now instead of within an hour. */
    forget: (beforeMs: number) => engine.forget(beforeMs),
    routes: routesOf({ ...scope, acts }),
    /** Folds incidents on this node from now on: attests the changes left by a crash. Call it before `ready` if so. */
    begin: folding.begin,
    /** Runs in the hook `ready`, before the first batch: watches for what opens incidents automatically. */
    async ready() {
      report();
      await integrity.start();
      // Where another node answers, it need not be there yet.
      if (folding.begun) await integrity.settled();
      for (const watch of watches) await watch.start();
    },
    /** Call after the pipeline has stopped. */
    async stop() {
      await folding.stop();
      for (const watch of [...watches, integrity]) await watch.stop();
      await engine.stop();
    },
  };
}

type Followers = { engine: Engine; folding: Folding; told: IncidentService; report: () => void };

/** Follows what other nodes write of incidents and windows. */
function follow({ log, store: { peers } }: IncidentScope, { engine, folding, report, told }: Followers): void {
  peers.follow(topics.incidents, async (ids) => {
    await told.changedElsewhere(ids);
    report();
  });
  peers.follow(topics.windows, async () => {
    await told.planned();
    engine.replanned();
  });
  const failed = (err: unknown): void => log.warn({ err }, 'a repeated delivery could not refresh its incident');
  peers.follow(topics.refreshed, (ids) => {
    if (folding.begun) folding.refreshed(ids).catch(failed);
  });
}

function routesOf(scope: RouteScope) {
  return [...incidentRoutes(scope), ...actRoutes(scope), evidenceRoute(scope), ...maintenanceRoutes(scope)];
}

function openByImpact(incidents: Pick<Incidents, 'open'>) {
  const open = incidents.open();
  return impacts.map((impact) => ({
    labels: { impact },
    value: open.filter((incident) => incident.impact === impact).length,
  }));
}
