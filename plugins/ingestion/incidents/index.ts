import { whenKnown, type Log, type PluginScope, type Scopes, type Store } from '../../../kernel/index.ts';
import type { Auditor, TransparencyLog } from '../../receipts/contract.ts';
import type { Incidents } from '../contract.ts';
import { topics } from '../topics.ts';
import { createActs } from './routes/incident-acts.ts';
import { Engine } from './engine/engine.ts';
import { createFolding, type Folding } from './requests/folding.ts';
import type { RequestReads } from './requests/store.ts';
import type { OutageReads } from './watches/store.ts';
import { Integrity } from './watches/integrity.ts';
import { watchLost } from './watches/lost.ts';
import { hearAgain } from './engine/repeats.ts';
import { reportProviders } from './watches/provider-health.ts';
import { watchDefinitions } from './watches/definitions.ts';
import { measureOutages } from './watches/measured.ts';
import { recordTroubles } from './watches/troubles.ts';
import { actRoutes } from './routes/acts.ts';
import { evidenceRoute } from './routes/evidence.ts';
import { incidentRoutes } from './routes/incidents.ts';
import { maintenanceRoutes } from './routes/maintenance.ts';
import type { RouteScope } from './routes/wire.ts';
import { createService, type IncidentService, type PastReads } from './service.ts';
import { createSink, existingOf } from './sink.ts';
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

/** Services that incidents need besides the plugin's scope. */
interface IncidentServices extends Omit<RouteScope, 'acts' | 'clock'> {
  readonly reads: RouteScope['reads'] & RequestReads & OutageReads;
  readonly lists: RouteScope['lists'] & PastReads;
  readonly log: RouteScope['log'] & Pick<TransparencyLog, 'heads' | 'lostBefore' | 'onAppend'>;
  readonly auditor: Auditor;
}

type IncidentScope = Pick<
  PluginScope<unknown, never>,
  'calls' | 'clock' | 'hooks' | 'ids' | 'log' | 'platform' | 'publicUrl' | 'store' | 'metrics'
>;

/** What opens incidents by itself. */
interface Watch {
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
}

/** Creates the incident part of ingestion: pure folds of signals; each change is attested. */
export async function openIncidents(scope: IncidentScope, deps: IncidentServices) {
  const { clock, log, platform, metrics, store } = scope;
  const { reads, auditor } = deps;
  const told = await createService({ reads, past: deps.lists, clock, log });
  const report = reportProviders(platform, told.service, log);
  const engine = new Engine({
    ...scope,
    reads,
    heard: (deliveryIds) => hearAgain(deliveryIds, deps.signals, store),
    changed: ({ incident_id }) => whenKnown(told.changed(incident_id), report),
  });
  const folding = createFolding({ ...scope, engine, reads });
  const { ask } = folding;
  follow({ store, engine, folding, told, report, log });
  const integrity = new Integrity({ ...scope, auditor, verifies: deps.log.verifies, ask, reads });
  const watching = { ...scope, ask, reads };
  const troubles = recordTroubles(watching);
  const { outages } = folding;
  const lost = watchLost({ ...watching, transparency: deps.log });
  const watches: readonly Watch[] = [measureOutages({ ...scope, outages }), watchDefinitions(watching), troubles, lost];
  const acts = createActs({ ...scope, ask, plan: folding.plan, reads, told });
  metrics.collect('orb_incidents_open', 'Open incidents by impact', 'gauge', () => openByImpact(told.service));
  return {
    sink: createSink(engine, reads, {
      existing: existingOf(platform.catalog),
      ...{ log, publicUrl: scope.publicUrl, recorded: deps.signals, refreshed: folding.refreshed },
    }),
    service: { ...told.service, report: troubles.report } satisfies Incidents,
    /** Applies changes that depend on time now, instead of within a second. */
    look: () => engine.settle(),
    /** Deletes the events of incidents that were over before a moment, ms, now instead of within an hour. */
    forget: (beforeMs: number) => engine.forget(beforeMs),
    routes: routesOf({ ...deps, acts, clock }),
    /** Folds incidents on this node from now on: attests the changes left by a crash. Call it before `ready` if so. */
    begin: folding.begin,
    /** Runs in the hook `ready`, before the first batch: watches for what opens incidents by itself. */
    async ready() {
      report();
      const open = (await reads.open()).filter(({ kind }) => kind === 'integrity');
      await integrity.start(open.flatMap(({ facts }) => failingOf(facts)));
      // Where another node answers, it need not be there yet.
      if (folding.begun) await integrity.settled();
      for (const watch of watches) await watch.start();
    },
    /** Call after the pipeline has stopped. */
    async stop() {
      await folding.stop();
      for (const watch of watches) await watch.stop();
      await integrity.stop();
      await engine.stop();
    },
  };
}

interface Following {
  readonly store: Pick<Store, 'peers'>;
  readonly engine: Engine;
  readonly folding: Folding;
  readonly told: IncidentService;
  readonly report: () => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Follows what other nodes write of incidents and windows. */
function follow({ engine, folding, log, report, store: { peers }, told }: Following): void {
  peers.onChange(topics.incidents, async (ids) => {
    await told.changedElsewhere(ids);
    report();
  });
  peers.onChange(topics.windows, async () => {
    await told.planned();
    engine.replanned();
  });
  const failed = (err: unknown): void => log.warn({ err }, 'a repeated delivery could not refresh its incident');
  peers.onChange(topics.refreshed, (ids) => {
    if (folding.begun) folding.refreshed(ids).catch(failed);
  });
}

function routesOf(scope: RouteScope) {
  return [...incidentRoutes(scope), ...actRoutes(scope), evidenceRoute(scope), ...maintenanceRoutes(scope)];
}

function failingOf({
  receipt_id,
  scope,
}: {
  readonly receipt_id?: string;
  readonly scope: readonly { readonly id: string }[];
}) {
  const [orb] = scope;
  if (receipt_id === undefined) return [];
  return [orb === undefined ? { receipt_id } : { receipt_id, orb_id: orb.id }];
}

function openByImpact(incidents: Pick<Incidents, 'open'>) {
  const open = incidents.open();
  return impacts.map((impact) => ({
    labels: { impact },
    value: open.filter((incident) => incident.impact === impact).length,
  }));
}
