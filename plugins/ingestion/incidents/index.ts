import { every, whenKnown, type PluginScope, type Scopes } from '../../../kernel/index.ts';
import type { Auditor } from '../../receipts/contract.ts';
import type { Incidents } from '../contract.ts';
import { createActs } from './routes/incident-acts.ts';
import { Engine } from './engine.ts';
import { Integrity } from './integrity.ts';
import { reportProviders } from './runs/provider-health.ts';
import { watchDefinitions } from './runs/definitions.ts';
import { measureOutages } from './runs/measured.ts';
import { recordTroubles } from './runs/troubles.ts';
import { actRoutes } from './routes/acts.ts';
import { evidenceRoute } from './routes/evidence.ts';
import { incidentRoutes } from './routes/incidents.ts';
import { maintenanceRoutes } from './routes/maintenance.ts';
import type { RouteScope } from './routes/wire.ts';
import { createService } from './service.ts';
import { createSink, existingOf } from './sink.ts';
import { impacts } from './fact.ts';

export { incidentPart } from './store/store-part.ts';
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
  readonly auditor: Auditor;
}

const hourMs = 3_600_000;
// How long events of resolved incidents are kept, ms: debt decays within 98 days of an incident's end.
const keptMs = 120 * 86_400_000;
const forgettingFailed = 'events of old incidents could not be forgotten; the server tries again in an hour';

/** What opens incidents by itself. */
interface Watch {
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
}

/** Creates the incident part of ingestion: pure folds of signals; each change is attested. */
export async function openIncidents(
  scope: Pick<
    PluginScope<unknown, never>,
    'calls' | 'clock' | 'hooks' | 'ids' | 'log' | 'platform' | 'store' | 'metrics'
  >,
  deps: IncidentServices,
) {
  const { clock, log, platform, metrics } = scope;
  const { reads, auditor } = deps;
  const told = await createService({ reads, clock, log });
  const report = reportProviders(platform, told.service, log);
  const engine = new Engine({
    ...scope,
    reads,
    seen: (fingerprints) => whenKnown(deps.signals.lastSeen(fingerprints), (times) => times.map(momentOf)),
    changed: ({ incident_id }) => whenKnown(told.changed(incident_id), report),
  });
  const integrity = new Integrity({ ...scope, auditor, verifies: deps.log.verifies, engine, reads });
  const watching = { ...scope, engine, reads };
  const troubles = recordTroubles(watching);
  const watches: readonly Watch[] = [measureOutages(watching), watchDefinitions(watching), troubles];
  const acts = createActs({ ...scope, engine, reads, told });
  metrics.collect('orb_incidents_open', 'Open incidents by impact', 'gauge', () => openByImpact(told.service));
  const failed = (err: unknown): void => log.warn({ err }, forgettingFailed);
  const stopForgetting = every(hourMs, () => engine.forget(clock.now() - keptMs), failed);
  return {
    sink: createSink(engine, reads, { existing: existingOf(platform.catalog), log }),
    service: { ...told.service, report: troubles.report } satisfies Incidents,
    /** Applies changes that depend on time now, instead of within a second. */
    look: () => engine.settle(),
    /** Deletes the events of incidents that were over before a moment, ms, now instead of within an hour. */
    forget: (beforeMs: number) => engine.forget(beforeMs),
    routes: routesOf({ ...deps, acts, clock }),
    /** Runs in the hook `ready`, before the first batch: attests the changes left by a crash. */
    async ready() {
      report();
      await engine.start();
      const open = (await reads.open()).filter(({ kind }) => kind === 'integrity');
      await integrity.start(open.flatMap(({ facts }) => failingOf(facts)));
      for (const watch of watches) await watch.start();
    },
    /** Call after the pipeline has stopped. */
    async stop() {
      stopForgetting();
      for (const watch of watches) await watch.stop();
      await integrity.stop();
      await engine.stop();
    },
  };
}

function momentOf(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
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
