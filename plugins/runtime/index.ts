import type { Catalog } from './catalog/catalog.ts';
import { eventCommands } from './events/commands.ts';
import { manifestCommands } from './manifests/commands.ts';
import { run, runCommands } from './run/run-commands.ts';
import { providerCommands } from './swap/commands.ts';
import { CallbackChecks } from './facts/callbacks.ts';
import { ports } from './facts/ports.ts';
import { runtimeScopes } from './facts/scopes.ts';
import { eventRecorder } from './events/recording.ts';
import { definitionChanged, healthChanged, providerSwapped, runSettled, type RuntimeHooks } from './facts/hooks.ts';
import journalStore from './journal/store.ts';
import { runtimeKeeps } from './tables/keeps.ts';
import { manifestFiles } from './manifests/files.ts';
import { openManifests, usesOf, type Manifests } from './manifests/open.ts';
import { orbFaults } from './manifests/orb-changes.ts';
import queueStore from './queue/store.ts';
import { orbQuestion } from './run/access-request.ts';
import { Descriptions } from './run/described.ts';
import limitsStore from './run/limits/store.ts';
import { openRuntime, type OpenRuntime, type RuntimeOptions } from './runtime.ts';
import { runtime, type Running, type Runtime } from './service.ts';
import { counting } from './stats/counting.ts';
import type { SearchSource } from './run/listing/search/source.ts';
import type { Concern } from './stats/overview.ts';
import { problems } from './outcome/problems.ts';
import runtimeStore from './store.ts';
import { configuration } from '../../kernel/runner.ts';
import { createListeners, definePlugin, grouped, PlatformError } from '../../kernel/index.ts';

/** Runs Orbs: keeps their manifests, opens and swaps their providers, decides, dispatches, attests, queues and lists. */
export default definePlugin({
  name: 'runtime',
  hooks: [runSettled, providerSwapped, healthChanged, definitionChanged],
  attests: ['run', 'swap', 'resolution'],
  problems,
  scopes: runtimeScopes,
  requires: { configuration },
  ports,
  provides: { runtime },
  commands: grouped(
    [
      { name: 'run', task: 'run' },
      { name: 'runs', task: 'run', summary: 'list, cancel and resolve runs' },
      { name: 'providers', task: 'operate', summary: 'show, swap and change providers' },
      { name: 'config', task: 'operate', summary: 'check and reload the configuration' },
      { name: 'events', task: 'observe', summary: 'show events as they happen' },
      { name: 'orbs', task: 'build', summary: 'list, change and sign Orbs' },
      { name: 'orbisets', task: 'build', summary: 'list and change Orbisets' },
    ],
    [run, ...manifestCommands, ...runCommands, ...eventCommands, ...providerCommands],
  ),
  keeps: runtimeKeeps,
  files: manifestFiles,
  store: runtimeStore,
  stores: [journalStore, queueStore, limitsStore],
  async start(scope) {
    const { calls, files, log, platform, services, store } = scope;
    const manifests = await openManifests(files as Catalog, { store, log });
    const catalogChanged = createListeners((err) => log.error({ err }, 'a listener of catalog changes failed'));
    const concerns: Concern[] = [];
    const findable: SearchSource[] = [];
    const descriptions = new Descriptions();
    const { attest, decide } = platform;
    const hooks: RuntimeHooks = { attest, decide, tell: calls.tell, callbacks: new CallbackChecks() };
    const parts = { ...scope, ...services, manifests, catalogChanged, concerns, findable, descriptions, hooks };
    let open: OpenRuntime | undefined;
    const running = (): Running => {
      if (open === undefined) throw new Error('providers are available only after the hook `ready`');
      return open;
    };
    return {
      services: { runtime: serviceOf({ ...parts, running }) },
      open: async (provided) => (open = await openRuntime({ ...parts, ports: provided })),
    };
  },
});

interface ServiceParts extends Omit<RuntimeOptions, 'concerns' | 'findable' | 'descriptions' | 'ports'> {
  readonly manifests: Manifests;
  readonly hooks: RuntimeHooks;
  readonly concerns: Concern[];
  readonly findable: SearchSource[];
  readonly descriptions: Descriptions;
  /** What is open. Throws until then. */
  readonly running: () => Running;
}

function serviceOf(parts: ServiceParts): Runtime {
  const { manifests, hooks, concerns, findable, descriptions, catalogChanged, platform, running, ...scope } = parts;
  const { catalog } = manifests;
  const question = { ...scope, installation: scope.store.installation };
  return Object.freeze({
    catalog,
    onCallbackAsked: (check) => hooks.callbacks.add(check),
    onCatalogChanged: (callback) => catalogChanged.add(callback),
    concern: (concern) => void concerns.push(concern),
    findable: (source) => void findable.push(source),
    describe: (description) => descriptions.add(description),
    async decide(asked) {
      const orb = catalog.orbs.get(asked.orb_id);
      if (orb === undefined) throw new PlatformError('orb_not_found', `there is no Orb ${asked.orb_id}`);
      return platform.decide(orbQuestion(asked, orb, question));
    },
    keepManifest: (orbId, digest) => usesOf(manifests, orbId, digest),
    counting,
    recording: eventRecorder(scope),
    orbFaults,
    ...runningOf(running),
  } satisfies Runtime);
}

function runningOf(running: () => Running): Running {
  return {
    once: (request, work) => running().once(request, work),
    held: {
      inputs: (runId) => running().held.inputs(runId),
      release: (runId) => running().held.release(runId),
      released: (runId) => running().held.released(runId),
      deny: (runId, why) => running().held.deny(runId, why),
    },
    findRun: (runId) => running().findRun(runId),
    findRuns: (runIds) => running().findRuns(runIds),
    newestRuns: (principal, limit) => running().newestRuns(principal, limit),
    findOpenRun: (runId) => running().findOpenRun(runId),
    isWaiting: (runId) => running().isWaiting(runId),
    execute: (call, key) => running().execute(call, key),
    testProvider: (...asked) => running().testProvider(...asked),
    enqueue: (call, key, beside) => running().enqueue(call, key, beside),
    queued: {
      run: (call, key) => running().queued.run(call, key),
      answer: (runId, principal, carrier) => running().queued.answer(runId, principal, carrier),
      cancel: (runId) => running().queued.cancel(runId),
    },
    noteCall: (call, tool) => running().noteCall(call, tool),
    settleReported: (run) => running().settleReported(run),
    providers: () => running().providers(),
    desk: () => running().desk(),
    offersOf: (provider) => running().offersOf(provider),
    modelsOf: (...asked) => running().modelsOf(...asked),
    inputsOf: (capability) => running().inputsOf(capability),
    putOrb: (manifest, principal) => running().putOrb(manifest, principal),
    concerns: () => running().concerns(),
    orbs: () => running().orbs(),
    reportProvider: (name, state, reason) => running().reportProvider(name, state, reason),
  };
}
