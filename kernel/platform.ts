import { decide, type Decision, type Principal } from './access.ts';
import type { Description } from './boot/description.ts';
import { PlatformError } from './error.ts';
import type { Attestation, Fact, PluginFact, ReceiptWrites } from './fact.ts';
import type { FactOwner } from './fact-kind.ts';
import { toProblem, type Problem } from './http/problem.ts';
import type { ProblemTable } from './problem-table.ts';
import type { ComponentHealth, Health, HealthCheck } from './health.ts';
import type { Hooks } from './hooks.ts';
import type { Awaitable, NodeIdentity, Operation } from './store/contract.ts';
import type { Listeners } from './tools/listeners.ts';
import type { OpenRunView, RunRow } from '../plugins/runtime/run.ts';
import { orbQuestion, type OrbQuestion, type QuestionOptions } from '../plugins/runtime/run/access-request.ts';
import type { Catalog } from '../plugins/runtime/catalog/catalog.ts';
import { orbFaults } from '../plugins/runtime/manifests/orb-changes.ts';
import type { Offer } from './provider/adapter.ts';
import type { Once } from '../plugins/runtime/journal/once.ts';
import type { CallbackCheck } from '../plugins/runtime/queue/callbacks.ts';
import type { Enqueue } from '../plugins/runtime/queue/enqueue.ts';
import type { QueuedRuns } from '../plugins/runtime/queue/queued-runs.ts';
import type { RepeatGuard } from '../plugins/runtime/journal/repeats.ts';
import type { Execute } from '../plugins/runtime/run/execute.ts';
import { eventRecorder, type RecordEvent } from '../plugins/runtime/events/recording.ts';
import { counting, type Sample } from '../plugins/runtime/stats/counting.ts';
import type { OrbView } from '../plugins/runtime/run/usable.ts';

/** One configured provider as plugins see it. */
export interface ProviderView {
  readonly name: string;
  /** `email/smtp` */
  readonly adapter: string;
  readonly sandbox: boolean;
  /** The worse of the measured and the reported health. */
  readonly health: Health;
  /** Orbs whose order of providers names it. */
  readonly orbs: readonly string[];
  /** Orbs it serves now. */
  readonly active_for: readonly string[];
}

/**
 * The kernel's functions for plugins. `attest` and all that concerns providers work from `ready` on, `describe` once
 * the kernel serves.
 */
export interface Platform {
  /** The process that serves: its name, and which start of it. */
  readonly node: NodeIdentity;
  /** The Orbs and Orbisets of the installation. */
  readonly catalog: Catalog;
  /**
   * Attests one fact of a kind that the plugin declares; resolves after the durable commit. Throws 503 when receipts
   * cannot be recorded.
   */
  attest<F extends PluginFact>(fact: Fact<F>): Promise<Attestation>;
  /** Adds writes to the commit of each receipt, of whatever fact; the function that is returned ends that. */
  onReceipt(writes: ReceiptWrites): () => void;
  /**
   * Sets the check of the subscription that a run names as its `callback`, which its fact then contains; the returned
   * function removes the check.
   */
  onCallbackAsked(check: CallbackCheck): () => void;
  /** Does work once per Idempotency-Key. */
  readonly once: Once;
  /**
   * Calls back after each change of Orbs and Orbisets and of the providers that serve them, but not after a swap; the
   * function that is returned ends that.
   */
  onCatalogChanged(callback: () => void): () => void;
  /** Makes the problem that the HTTP API answers for a failure; for protocols that answer it in another form. */
  problemOf(failure: PlatformError, requestId: string): Problem;
  /** Finds a run that has ended. */
  findRun(runId: string): Awaitable<RunRow | undefined>;
  /** Lists the newest runs of a caller that have ended. */
  newestRuns(principal: Principal, limit: number): Promise<readonly RunRow[]>;
  /** Finds those of some runs that have ended. */
  findRuns(runIds: readonly string[]): Awaitable<readonly RunRow[]>;
  /** Finds a run that waits for its turn in the queue, or was taken from there and is under way. */
  findOpenRun(runId: string): Awaitable<OpenRunView | undefined>;
  /** Runs an Orb for a caller, whose scope the plugin has checked. */
  readonly execute: Execute;
  /** Puts a run into the queue for a caller, whose scope the plugin has checked. */
  readonly enqueue: Enqueue;
  /** Runs Orbs by way of the queue, for callers that wait a while for the end and ask for it later. */
  readonly queued: QueuedRuns;
  /** Notes a call of a tool that is no run: its caller has the answers that were handed over to it before. */
  readonly noteCall: RepeatGuard['noteCall'];
  /** Says whether a run waits or is under way. */
  isWaiting(runId: string): Awaitable<boolean>;
  /** Asks the policy whether an action on an Orb is allowed. Throws 404 `orb_not_found`. */
  decide(question: OrbQuestion): Promise<Decision>;
  /** Makes the writes that keep a stored Orb's manifest the only one of its id, for a fact that names its digest. */
  keepManifest(orbId: string, digest: string): readonly Operation[];
  /** Makes the write that counts what ended; in the commit of its rows, each is counted once. */
  counting(samples: readonly Sample[]): Operation;
  /** Makes the write of an event that no receipt tells, for the commit of what it tells; it goes to `GET /events`. */
  readonly recording: RecordEvent;
  /** Health of the store and of each plugin that measures its own, by name. */
  components(): Readonly<Record<string, ComponentHealth>>;
  providers(): readonly ProviderView[];
  /**
   * Lists the tools that a configured provider offers, for which Orbs can stand. Throws 422 `invalid_provider`, 502
   * `probe_failed`.
   */
  offersOf(provider: string): Promise<readonly Offer[]>;
  /** Finds what the inputs of a capability mean, by name, as the adapters of the configured providers say it. */
  inputsOf(capability: string): Readonly<Record<string, string>>;
  /** Lists why a manifest cannot be put; empty when it can. */
  orbFaults(manifest: object): readonly string[];
  /**
   * Puts an Orb into service for a caller, as `PUT /orbs/{orb_id}` does; false when it was there already. Throws 409 and
   * 422 like the route. The plugin has checked the scope.
   */
  putOrb(manifest: object, principal: Principal): Promise<boolean>;
  /** The Orbs that something is bound to, and whether a provider of each can be called now. */
  orbs(): readonly OrbView[];
  /**
   * Reports the health of a provider by its open incident (`up` withdraws it). The provider's health is the worse of
   * the reported and the measured one. A report for an unknown name is kept until a provider has that name.
   */
  reportProvider(name: string, health: 'up' | 'degraded' | 'down', reason: string): void;
  /** Describes the program as it runs: its routes, commands, settings, adapters and problems. */
  describe(): Description;
}

/** The runtime's data on providers, available once the runtime is open. */
export interface ProviderDesk {
  providers(): readonly ProviderView[];
  orbs(): readonly OrbView[];
  reportProvider: Platform['reportProvider'];
  readonly once: Once;
  readonly execute: Execute;
  readonly enqueue: Enqueue;
  readonly queued: QueuedRuns;
  readonly noteCall: Platform['noteCall'];
  isWaiting(runId: string): Awaitable<boolean>;
  findRun(runId: string): Awaitable<RunRow | undefined>;
  findRuns: Platform['findRuns'];
  newestRuns: Platform['newestRuns'];
  findOpenRun: Platform['findOpenRun'];
  offersOf: Platform['offersOf'];
  putOrb: Platform['putOrb'];
  inputsOf: Platform['inputsOf'];
}

/** What the platform is made from. */
export interface PlatformOptions extends QuestionOptions {
  readonly catalog: Catalog;
  readonly node: NodeIdentity;
  readonly keepManifest: Platform['keepManifest'];
  readonly catalogChanged: Listeners;
  readonly problems: ProblemTable;
  readonly publicUrl: string;
  readonly hooks: Hooks;
  readonly health: ReadonlyMap<string, HealthCheck>;
  /** Undefined until the runtime is open. */
  readonly desk: () => ProviderDesk | undefined;
  /** Asked once all routes are known. */
  readonly describe: () => Description;
}

/** Creates the Platform that plugins get. */
export function createPlatform(options: PlatformOptions): Platform {
  const { catalog, hooks, health } = options;
  const desk = (): ProviderDesk => {
    const open = options.desk();
    if (open === undefined) throw new Error('providers are available only after the hook `ready`');
    return open;
  };
  return Object.freeze({
    node: options.node,
    catalog,
    async attest<F extends PluginFact>(fact: Fact<F>) {
      const attested = await hooks.attest(fact);
      if (attested === undefined)
        throw new PlatformError('internal', 'no plugin can attest yet; call this after the hook `ready`');
      return attested;
    },
    onReceipt: (writes) => hooks.addWrites('a plugin', writes),
    onCallbackAsked: (check) => hooks.callbacks.add(check),
    once: (request, work) => desk().once(request, work),
    onCatalogChanged: (callback) => options.catalogChanged.add(callback),
    problemOf: (failure, requestId) => toProblem(failure, options, requestId),
    ...runsOf(desk),
    execute: (call, key) => desk().execute(call, key),
    enqueue: (call, key, beside) => desk().enqueue(call, key, beside),
    queued: {
      run: (call, key) => desk().queued.run(call, key),
      answer: (runId, principal, carrier) => desk().queued.answer(runId, principal, carrier),
      cancel: (runId) => desk().queued.cancel(runId),
    },
    noteCall: (call, tool) => desk().noteCall(call, tool),
    async decide(request) {
      const orb = catalog.orbs.get(request.orb_id);
      if (orb === undefined) throw new PlatformError('orb_not_found', `there is no Orb ${request.orb_id}`);
      return decide(hooks, orbQuestion(request, orb, options));
    },
    keepManifest: options.keepManifest,
    counting,
    recording: eventRecorder(options),
    components: () => Object.fromEntries([...health].map(([name, check]) => [name, check()])),
    providers: () => desk().providers(),
    offersOf: (provider) => desk().offersOf(provider),
    inputsOf: (capability) => desk().inputsOf(capability),
    orbFaults,
    putOrb: (manifest, principal) => desk().putOrb(manifest, principal),
    orbs: () => desk().orbs(),
    reportProvider: (name, state, reason) => desk().reportProvider(name, state, reason),
    describe: options.describe,
  } satisfies Platform);
}

function runsOf(desk: () => ProviderDesk) {
  return {
    findRun: (runId) => desk().findRun(runId),
    findRuns: (runIds) => desk().findRuns(runIds),
    newestRuns: (principal, limit) => desk().newestRuns(principal, limit),
    findOpenRun: (runId) => desk().findOpenRun(runId),
    isWaiting: (runId) => desk().isWaiting(runId),
  } satisfies Pick<Platform, 'findRun' | 'findRuns' | 'newestRuns' | 'findOpenRun' | 'isWaiting'>;
}

/** Creates the Platform of one plugin, which attests only facts of the kinds that the plugin declares. */
export function platformOf(platform: Platform, { name, facts }: FactOwner, hooks: Pick<Hooks, 'addWrites'>): Platform {
  const declared = new Set(facts.map(({ kind }) => kind));
  return Object.freeze({
    ...platform,
    onReceipt: (writes: ReceiptWrites) => hooks.addWrites(name, writes),
    async attest<F extends PluginFact>(fact: Fact<F>) {
      const { kind } = fact.fact;
      if (declared.has(kind)) return platform.attest(fact);
      throw new PlatformError('internal', `the plugin ${name} does not declare facts of the kind ${kind}`);
    },
  });
}
