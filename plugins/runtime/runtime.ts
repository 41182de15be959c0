import { filled, type Ports } from './facts/ports.ts';
import type { RuntimeScope } from './facts/scope.ts';
import { definitionChanged, healthChanged, type RuntimeHooks } from './facts/hooks.ts';
import type { Running } from './service.ts';
import { configDigest, KnownProviders } from './provider/known.ts';
import type { ProviderChange } from './provider/provider-parts.ts';
import { ProviderSource } from './provider/stored.ts';
import { ProviderDesk } from './swap/provider-desk.ts';
import { createProviderTest } from './swap/provider-test.ts';
import { swapQuestion } from './run/access-request.ts';
import type { ConfiguredProviders } from './provider/binding.ts';
import { Bindings } from './provider/bindings.ts';
import { followDefinitions, tellDefinitions } from './manifests/definition-messages.ts';
import { settleSwaps } from './recovery/swap-recovery.ts';
import { settleEnded } from './recovery/adoption.ts';
import type { Swap } from './tables/swap-record.ts';
import { forgetWindows } from './run/limits/open.ts';
import { IdempotencyKeys } from './journal/keys.ts';
import { askingOf } from './journal/owner.ts';
import { createOnce } from './journal/once.ts';
import { RepeatGuard } from './journal/repeats.ts';
import { StoreRetry } from './journal/store-retry.ts';
import { recoverRuns } from './recovery/run-recovery.ts';
import { providerRoutes } from './swap/provider-routes.ts';
import { resolveInBackground, resolveRoute, settlesReported } from './run/resolution.ts';
import { configRoutes } from './swap/settings/routes.ts';
import { listingRule } from './catalog/listed.ts';
import { checkManifests, manifestConflicts, type Manifests } from './manifests/open.ts';
import { OrbChanges, orbOf } from './manifests/orb-changes.ts';
import type { Waiting } from './manifests/change.ts';
import { followManifests } from './manifests/follow.ts';
import { offersOf } from './manifests/offers.ts';
import { orbRoutes } from './manifests/orb-routes.ts';
import { OrbisetChanges } from './manifests/orbiset-changes.ts';
import { orbisetRoutes } from './manifests/orbiset-routes.ts';
import type { OpenRuns } from './run/run-limits.ts';
import { createExecute } from './run/execute.ts';
import type { Descriptions } from './run/described.ts';
import { executeRoute } from './queue/execute-route.ts';
import { openEvents, type OpenEvents } from './events/routes.ts';
import { eventRecorder } from './events/recording.ts';
import { searchRoute, type SearchSource } from './run/listing/search/route.ts';
import { overviewRoute, runtimeConcerns, type Concern } from './stats/overview.ts';
import { keepCounts } from './stats/retention.ts';
import { statsRoute } from './stats/routes.ts';
import { previewRoute } from './run/preview-route.ts';
import { runListRoutes } from './run/run-routes.ts';
import { createEnqueue, createQueuedRuns } from './queue/queued-runs.ts';
import { openExecution } from './queue/open.ts';
import type { RunQueue } from './queue/queue.ts';
import queueStore from './queue/store.ts';
import { runStateRoutes } from './queue/routes.ts';
import runtimeStore, { type RuntimeReads } from './store.ts';
import { createSwapMetrics } from './run/metrics.ts';
import { SwapFollower } from './swap/follow.ts';
import { SwapNodes } from './swap/nodes.ts';
import { OrbUses } from './swap/uses.ts';
import { Swapper } from './swap/swapper.ts';
import { createModelsOf } from './run/models.ts';
import { orbViews, viewsOf } from './run/provider-views.ts';
import type { Configuration, Opened } from '../../kernel/runner.ts';
import {
  type PluginScope,
  timestamp,
  type Route,
  type Store,
  type Listeners,
  createSerial,
  type Serial,
} from '../../kernel/index.ts';

/** What the runtime is opened with. */
export interface RuntimeOptions
  extends RuntimeScope, Pick<PluginScope<unknown, never>, 'metrics' | 'platform' | 'stateDir' | 'version'> {
  readonly configuration: Configuration;
  /** Orbs and Orbisets of files and of the store. */
  readonly manifests: Manifests;
  readonly hooks: RuntimeHooks;
  readonly ports: Ports;
  /** Told of each change of Orbs, Orbisets and configured providers. */
  readonly catalogChanged: Listeners;
  /** What needs a person, of other plugins. */
  readonly concerns: readonly Concern[];
  /** What is found by name, of other plugins. */
  readonly findable: readonly SearchSource[];
  /** What other plugins tell policies of calls. */
  readonly descriptions: Pick<Descriptions, 'of'>;
}

/** The runtime once its providers are open. */
export interface OpenRuntime extends Running, Required<Opened> {}

/** Opens the runtime: checks manifests against those in use, settles interrupted swaps, opens and probes providers. */
export async function openRuntime(options: RuntimeOptions): Promise<OpenRuntime> {
  const { store, hooks, manifests, configuration } = options;
  const reads = store.reads(runtimeStore);
  const lists = listReads(options, reads);
  checkManifests(manifests.catalog, await reads.usedManifests());
  const { bindings, swapper, known, source, finish, uses, follower, retry } = await openProviders(options, reads);
  const resolving = { ...options, reads: lists, bindings, unsettled: reads, reports: options.ports.reports };
  const events = await openEvents({ ...options, queuedCallers: store.reads(queueStore).callersOf }, reads);
  const [jobs, ports] = [jobsOf(options, resolving), filled(options.ports)];
  const keys = new IdempotencyKeys({ ...options, ...ports });
  const { openRuns, execution, queue } = await openExecution({ ...options, ...ports, bindings, keys, retry });
  store.peers.onAdopted(settleEnded({ ...options, ...ports, bindings, reads, queue, finish, follower }));
  const repeats = new RepeatGuard({ ...options, ...ports, keys });
  const execute = createExecute({ execution, keys, repeats, catalog: manifests.catalog });
  const isListed = listingRule(configuration.config.home, (orbId) => bindings.orderOf(orbId).length > 0);
  const changes = changesOf(options, { reads, bindings, swapper, known, source, openRuns, isListed });
  return {
    routes: [
      executeRoute(execute, queue, { catalog: manifests.catalog, inputsOf: (name) => known.inputsOf(name) }),
      previewRoute(execution),
      ...readingRoutes({ ...options, queue, events }, lists, bindings),
      resolveRoute(resolving),
      ...providerRoutes({
        ...{ bindings, swapper, hooks, keys, uses, isListed },
        reads: lists,
        question: (asked) => swapQuestion(asked, { ...options, ...ports, installation: store.installation }),
      }),
      ...changes.routes,
    ],
    ...{ once: createOnce(keys, store, retry), held: queue.held, desk: () => changes.desk },
    ...{ execute, testProvider: createProviderTest({ ...options, bindings, known, execute }) },
    enqueue: createEnqueue(queue),
    queued: createQueuedRuns({ queue, repeats, store, catalog: manifests.catalog }),
    noteCall: (call, tool) => repeats.noteCall(call, tool),
    isWaiting: async (runId) => (await queue.find(runId)) !== undefined,
    ...{ findRun: reads.findRun, findRuns: reads.findRuns, newestRuns: lists.newestRuns },
    settleReported: settlesReported(resolving),
    findOpenRun: (runId) => queue.view(runId),
    ...deskOf(options, { bindings, known, lists }),
    putOrb: (manifest, principal) => changes.orbs.put(orbOf(manifest), principal, {}),
    serving: () => queue.start(),
    async close() {
      await queue.close();
      for (const stop of jobs) await stop();
      for (const each of [events, keys, repeats, uses]) each?.close();
      await bindings.close();
      await swapper.settled();
    },
  };
}

const jobsOf = (options: RuntimeOptions, resolving: Parameters<typeof resolveInBackground>[0]) => [
  resolveInBackground(resolving).stop,
  keepCounts(options),
  forgetWindows(options),
];

const readingRoutes = (
  options: RuntimeOptions & { readonly queue: RunQueue; readonly events: OpenEvents },
  lists: ReturnType<typeof listReads>,
  bindings: Bindings,
): readonly Route[] => [
  overviewRoute(concernsOf(options, { bindings, lists })),
  ...runListRoutes({ ...options, ...lists }),
  searchRoute(options, bindings),
  ...runStateRoutes({ ...options, ...filled(options.ports), reads: lists }),
  statsRoute({ ...options, ...lists, ...filled(options.ports) }),
  ...options.events.routes,
];

const concernsOf = (
  { concerns }: RuntimeOptions,
  { bindings, lists }: Omit<DeskParts, 'known'>,
): readonly Concern[] => [...runtimeConcerns(lists, bindings), ...concerns];

// Lists are read on the reader thread, single rows here.
function listReads({ store }: RuntimeOptions, { findRun, findSwap }: RuntimeReads) {
  const { countRuns, listRuns, listSwaps, listSeries, listCallers } = store.awaitedReads(runtimeStore);
  const newestRuns: Running['newestRuns'] = async ({ id: principal, tenant }, limit) =>
    (await listRuns({ principal, tenant, limit })).items;
  return { findRun, findSwap, countRuns, listRuns, listSwaps, listSeries, listCallers, newestRuns };
}

/** The parts that changes of the catalog and of the configuration use, in addition to the options. */
interface Changing {
  readonly reads: RuntimeReads;
  readonly bindings: Bindings;
  readonly swapper: Swapper;
  readonly known: KnownProviders;
  readonly source: ProviderSource;
  readonly openRuns: OpenRuns;
  readonly isListed: (orbId: string) => boolean;
}

/** Makes what changes Orbs, Orbisets and the configuration, and its routes: one change after the other. */
function changesOf(options: RuntimeOptions, { known, isListed, ...parts }: Changing) {
  const { orbs, orbisets } = options.manifests;
  const { catalogChanged, store } = options;
  const { config } = options.configuration;
  const serving = { ...options, ...parts, configured: () => known.now };
  const changing = { ...serving, serial: tellingSerial(catalogChanged), ...acrossNodes(store) };
  followManifests({ ...serving, drainMs: config.swapDrainMs, changed: () => catalogChanged.tell() });
  const adopt = (next: ConfiguredProviders): void => {
    known.now = next;
    store.peers.configured(configDigest({ ...next, order: parts.source.fileOrder }, config));
  };
  adopt(known.now);
  const orbChanges = new OrbChanges(changing);
  const desk = new ProviderDesk({ ...changing, known, adopt });
  const routes: readonly Route[] = [
    ...orbRoutes(orbs, orbChanges, isListed),
    ...orbisetRoutes(orbisets, new OrbisetChanges(changing)),
    ...configRoutes({
      ...changing,
      ...options.configuration,
      conflicts: (files) => manifestConflicts(files, parts.reads),
      adopt,
    }),
  ];
  return { orbs: orbChanges, desk, routes };
}

// What changes of manifests ask of the other nodes, where there are some.
function acrossNodes(store: Store) {
  if (!store.shared) return {};
  const { listQueued } = store.awaitedReads(queueStore);
  return {
    everywhere: () => store.peers.everywhere(),
    waits: async (named: Waiting) => (await listQueued({ ...named, limit: 1 })).items.length > 0,
  };
}

// Also after a change that failed: some of it may have been made.
function tellingSerial(changed: Listeners): Serial {
  const serial = createSerial();
  return (work) => serial(work).finally(() => changed.tell());
}

/** Settles interrupted swaps, opens and probes the providers, gives interrupted runs their receipts, and creates the swapper. */
async function openProviders(options: RuntimeOptions, reads: RuntimeReads) {
  const nodes = options.store.shared ? new SwapNodes({ ...options, reads }) : undefined;
  const settling = { opened: reads.findGeneration, finish: nodes && ((swap: Swap) => nodes.finish(swap)) };
  await settleSwaps(await reads.openSwaps(askingOf(options.store)), { ...options, ...settling });
  const { metrics, manifests } = options;
  const { loaded, config } = options.configuration;
  const files = { providers: loaded.providers, order: config.bindings };
  // Code that platform.json names serves what platform.json defines.
  const adapters = loaded.adapters.filter(({ name }) => !Object.hasOwn(config.adapters, name));
  const source = new ProviderSource({ files, adapters, stored: options.ports.stored });
  const configured = await source.read();
  const drainMs = config.swapDrainMs;
  // Before the providers: a binding that changes in between is bound again.
  const bound = await reads.boundSwaps();
  const told = tellDefinitions(options);
  const bindings = new Bindings({
    ...options,
    configured,
    orbs: manifests.catalog.orbs.values(),
    swapped: await reads.swappedProviders(),
    drainMs,
    addressOf: options.ports.reports?.addressOf,
    onHealth: tellHealth(options),
    onDefinition: (event) => (options.hooks.tell(definitionChanged, event), told(event)),
  });
  followDefinitions(bindings, options);
  await bindings.open();
  await recoverRuns({ ...options, bindings, meter: options.ports.meter });
  const known = new KnownProviders(configured);
  const retry = new StoreRetry(options.log);
  const resolve: KnownProviders['resolve'] = (name, asked) => known.resolve(name, asked);
  const follower = nodes && new SwapFollower(bound, { ...options, reads, bindings, drainMs, resolve, retry });
  await follower?.join();
  const swapper = new Swapper({
    ...options,
    ...{ bindings, drainMs, resolve, retry },
    others: nodes && follower && { nodes, follower },
    metrics: createSwapMetrics(metrics),
  });
  const uses = nodes && new OrbUses({ ...options, reads, bindings, known });
  return { bindings, swapper, known, source, uses, follower, retry, finish: settling.finish };
}

type DeskParts = Pick<Changing, 'bindings' | 'known'> & { readonly lists: ReturnType<typeof listReads> };

function deskOf(options: RuntimeOptions, { bindings, known, lists }: DeskParts) {
  return {
    concerns: () => concernsOf(options, { bindings, lists }),
    offersOf: (name) => offersOf(name, { ...options, bindings, resolve: (one) => known.resolve(one) }),
    inputsOf: (capability) => known.inputsOf(capability),
    providers: () => viewsOf(bindings),
    modelsOf: createModelsOf(options.manifests.catalog, bindings, options.ports.meter),
    orbs: () => orbViews(bindings.all()),
    reportProvider: (name, health, reason) => bindings.parts.report(name, health, reason),
  } satisfies Partial<Running>;
}

function tellHealth({ hooks, clock, ids, log, store }: RuntimeOptions) {
  const record = eventRecorder({ ids, clock });
  const failed = (err: unknown): void =>
    log.debug({ err }, 'a change of provider health could not be recorded as an event');
  return (change: ProviderChange): void => {
    hooks.tell(healthChanged, { kind: 'provider', ...change, at: timestamp(clock.now()) });
    const { from, name, to } = change;
    const data = { provider: name, from, to };
    store.write([record({ type: 'health.changed', scope: 'providers:read', data })]).catch(failed);
  };
}
