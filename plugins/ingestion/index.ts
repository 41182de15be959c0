import {
  definePlugin,
  type Clock,
  type Infer,
  type Log,
  type PluginScope,
  type Store,
  grouped,
} from '../../kernel/index.ts';
import { reputation } from '../ledger/contract.ts';
import { receiptAuditor, transparencyLog } from '../receipts/contract.ts';
import { ingestionConcerns } from './concerns.ts';
import { ingestionCommands } from './api/commands.ts';
import { incidentChanged, incidentFact, incidents, webhookVendors, type WebhookVendors } from './contract.ts';
import { deliveryRoutes } from './api/delivery-routes.ts';
import { keepUsage } from './deliveries/usage-retention.ts';
import { ingestMetrics } from './deliveries/metrics.ts';
import { createAdmission } from './intake/admission.ts';
import { guardedVendor } from './intake/guarded-vendor.ts';
import { createRates } from './intake/rate.ts';
import type { Intake } from './intake/receive.ts';
import { createRejections } from './intake/rejections.ts';
import { hookRoutes } from './intake/routes.ts';
import { incidentCommands, incidentScopes, openIncidents } from './incidents/index.ts';
import { ingestionKeeps } from './keeps.ts';
import { createBacklog, type Backlog } from './deliveries/queue/backlog.ts';
import { openLanes } from './deliveries/queue/lanes.ts';
import { createNormalizerThread } from './deliveries/queue/normalizer-thread.ts';
import { Pipeline } from './deliveries/queue/pipeline.ts';
import { createSourceAdmin } from './sources/source-admin.ts';
import { openRegistry, type Registry } from './sources/registry.ts';
import { sourceRoutes } from './api/source-routes.ts';
import ingestionStore from './store.ts';
import { problems } from './problems.ts';
import { topics } from './topics.ts';
import { addVendor } from './sources/vendor-list.ts';
import { createReports } from './reports/reports.ts';
import { deliveryReports, runSettled, runtime, type Runtime } from '../runtime/contract.ts';

const whole = (minimum: number, byDefault: number, description: string) =>
  ({ type: 'integer', minimum, default: byDefault, description }) as const;

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    most_queued: whole(
      1,
      100_000,
      'Maximum number of waiting deliveries, at most half of them of one source; above it, hooks answer 503',
    ),
    most_bytes: whole(1_048_576, 268_435_456, 'Maximum number of body bytes in transfer at the same time'),
    read_ms: whole(100, 10_000, 'Timeout for receiving a body'),
    normalize_ms: whole(100, 30_000, 'Timeout for processing a large delivery'),
    retention_days: {
      type: 'integer',
      minimum: 3,
      maximum: 3650,
      description:
        'How many days bodies of deliveries are kept at least, also of sources that say less. Absent: as each source says',
    },
    usage_retention_days: {
      type: 'integer',
      minimum: 1,
      maximum: 36_500,
      description: 'How many days the counts of events per day are kept. Absent: for ever',
    },
  },
} as const;

/** Receives webhooks of vendors and turns them into signals and incidents. */
export default definePlugin({
  name: 'ingestion',
  facts: [incidentFact],
  ids: ['src', 'dlv', 'sig', 'inc', 'mnt', 'ask'],
  config,
  problems,
  scopes: {
    'sources:manage': { title: 'Manage sources of webhooks; read and replay their deliveries', installation: true },
    ...incidentScopes,
  },
  requires: { auditor: receiptAuditor, transparency: transparencyLog, runtime },
  uses: { ledger: reputation },
  provides: { incidents, webhookVendors, reports: deliveryReports },
  hooks: [incidentChanged],
  commands: grouped(
    [
      { name: 'sources', task: 'observe', summary: 'manage sources of vendor webhooks' },
      { name: 'deliveries', task: 'observe', summary: 'list and replay vendor webhooks' },
      { name: 'incidents', task: 'observe', summary: 'manage incidents' },
      { name: 'maintenance', task: 'observe', summary: 'plan maintenance windows' },
    ],
    [...ingestionCommands, ...incidentCommands],
  ),
  keeps: ingestionKeeps,
  store: ingestionStore,
  async start(scope) {
    const { store, clock, hooks, services } = scope;
    const { deliveries: reads, sources, incidents: incidentReads } = store.reads(ingestionStore);
    const lists = store.awaitedReads(ingestionStore);
    const registry = await openRegistry(sources, store.sealer, clock);
    const metrics = ingestMetrics(scope.metrics);
    const backlog = measured(scope, await createBacklog(reads, clock, scope.config.most_queued));
    const around = { signals: reads, reads: incidentReads, lists: lists.incidents };
    const side = await openIncidents({ ...scope, ...around, ...services });
    const normalizer = createNormalizerThread(scope.config.normalize_ms);
    const parts = { ...scope, ...services, reads, registry };
    const reports = openReports(parts);
    const pipeline = new Pipeline({ ...parts, ...side, ...backlog, normalizer, metrics, reported: reports.taken });
    // The whole check of what changed may read many signals, so it is not done in this thread.
    const earlier = { newestWith: reads.newestWith, changeAfter: lists.incidents.changeAfter };
    const arrived: Intake['arrived'] = ({ record: { source_id } }, accepted, at) => {
      if (accepted.status === 'accepted') requeued(source_id, 1);
      if (accepted.refreshed) void side.sink.refreshed({ delivery_id: accepted.delivery_id, source_id, at });
    };
    const intake: Intake = { ...scope, ...memoryOf(scope), registry, metrics, earlier, arrived };
    const added = takeVendors(registry, scope.log);
    const keep = () => keepUsage(store, clock, scope.config.usage_retention_days, scope.log);
    const keeping = store.peers.whenHeld('ingestion', keep);
    const admin = createSourceAdmin({ ...scope, reads: sources, registry, changed: (id) => pipeline.changed(id) });
    const requeued = (sourceId: string, count: number): void => {
      backlog.add(sourceId, count);
      pipeline.wake(sourceId);
    };
    for (const one of ingestionConcerns(side.service, incidentReads, lists.deliveries)) services.runtime.concern(one);
    offerSources(registry, { ...scope, ...services }, pipeline);
    let stopLanes = (): Promise<void> => pipeline.stop();
    hooks.ready.tap('ingestion', async () => {
      stopLanes = await openLanes({ ...scope, reads, backlog, pipeline, incidents: side });
    });
    return {
      services: { incidents: side.service, webhookVendors: added, reports: reports.port },
      routes: [
        ...hookRoutes(intake, createAdmission(scope.config, backlog)),
        ...sourceRoutes({ ...scope, intake, admin, reads: sources, deliveries: reads }),
        ...deliveryRoutes({ store, reads, lists: lists.deliveries, registry, normalizer, metrics, requeued }),
        ...side.routes,
      ],
      async stop() {
        await keeping.stop();
        await stopLanes();
        // The last turn reads deliveries by the vendors of plugins, too.
        added.end();
        await side.stop();
        await normalizer.stop();
      },
    };
  },
});

function memoryOf({ clock, config: settings }: { readonly clock: Clock; readonly config: Infer<typeof config> }) {
  return { rates: createRates(clock), rejections: createRejections(clock), leastDays: settings.retention_days };
}

function openReports(parts: Parameters<typeof createReports>[0] & Pick<PluginScope<unknown, never>, 'hooks'>) {
  // Its report may have come while the run was under way.
  const settle = async (run_id: string): Promise<void> => void (await parts.runtime.settleReported({ run_id }));
  parts.hooks
    .of(runSettled)
    .tap('ingestion', ({ run_id, status }) => (status === 'indeterminate' ? settle(run_id) : undefined));
  return createReports(parts);
}

function takeVendors(registry: Registry, log: Log): WebhookVendors & { end(): void } {
  const removals = new Map<string, () => void>();
  return {
    async add(vendor) {
      const { name } = vendor;
      if (removals.has(name)) throw new TypeError(`another plugin has added the vendor ${name} already`);
      removals.set(
        name,
        addVendor(vendor, (sound) => guardedVendor(sound, log)),
      );
      // Sources of it were read before its plugin started.
      await registry.refresh();
    },
    end: () => removals.forEach((remove) => remove()),
  };
}

function measured({ health, metrics }: Pick<PluginScope<unknown, never>, 'health' | 'metrics'>, backlog: Backlog) {
  health(backlog.health);
  metrics.gauge('orb_ingest_queue_depth', 'Waiting deliveries', backlog.depth);
  metrics.gauge('orb_ingest_queue_oldest_seconds', 'Age of the oldest waiting delivery', backlog.oldestSeconds);
  return backlog;
}

/** Lets sources be found by name, and takes them as other nodes have changed them. */
function offerSources(
  registry: Registry,
  { store, runtime: runs }: { readonly store: Store; readonly runtime: Runtime },
  pipeline: Pick<Pipeline, 'changed'>,
): void {
  const list = () => registry.all().map(({ record: { source_id: id, name } }) => ({ id, name }));
  runs.findable({ kind: 'source', scope: 'sources:manage', list });
  store.peers.follow(topics.sources, async (sourceIds) => {
    await registry.refresh();
    for (const sourceId of sourceIds) pipeline.changed(sourceId);
  });
}
