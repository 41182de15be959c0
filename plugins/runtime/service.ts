import type { Catalog } from './catalog/catalog.ts';
import type { RecordEvent } from './events/recording.ts';
import type { HeldRuns } from './facts/held.ts';
import type { Once } from './journal/once.ts';
import type { RepeatGuard } from './journal/repeats.ts';
import type { CallbackCheck } from './facts/callbacks.ts';
import type { SettleReported } from './facts/reports.ts';
import type { Enqueue, QueuedRuns } from './queue/queued-runs.ts';
import type { OpenRunView, RunRow } from './facts/facts.ts';
import type { OrbQuestion } from './run/access-request.ts';
import type { CallDescription } from './run/described.ts';
import type { Execute } from './run/execute.ts';
import type { ModelsOf } from './run/models.ts';
import type { OrbView, ProviderView } from './run/provider-views.ts';
import type { ProviderDesk } from './swap/provider-desk.ts';
import type { TestProvider } from './swap/provider-test.ts';
import type { Sample } from './tables/counts.ts';
import type { SearchSource } from './run/listing/search/source.ts';
import type { Concern } from './stats/overview.ts';
import { type Decision, type Principal, defineService, type Awaitable, type Operation } from '../../kernel/index.ts';
import type { Offer } from '../../kernel/adapter.ts';

/** The service of the runtime for other plugins. The members of `Running` work from `ready` on. */
export interface Runtime extends Running {
  /** The Orbs and Orbisets of the installation. */
  readonly catalog: Catalog;
  /**
   * Sets the check of the subscription that a run names as its `callback`, which its fact then contains; the returned
   * function removes the check.
   */
  onCallbackAsked(check: CallbackCheck): () => void;
  /**
   * Calls back after each change of Orbs and Orbisets and of the providers that serve them, but not after a swap; the
   * function that is returned ends that.
   */
  onCatalogChanged(callback: () => void): () => void;
  /** Adds a kind of thing that needs a person to `GET /overview`; call it in `start`. */
  concern(concern: Concern): void;
  /** Adds things that `GET /search` finds; call it in `start`. */
  findable(source: SearchSource): void;
  /** Tells policies of the calls of some Orbs what the runtime does not know; call it in `start`. */
  describe(description: CallDescription): void;
  /** Asks the policy whether an action on an Orb is allowed. Throws 404 `orb_not_found`. */
  decide(question: OrbQuestion): Promise<Decision>;
  /** Makes the writes that keep a stored Orb's manifest the only one of its id, for a fact that names its digest. */
  keepManifest(orbId: string, digest: string): readonly Operation[];
  /** Makes the write that counts what ended; in the commit of its rows, each is counted once. */
  counting(samples: readonly Sample[]): Operation;
  /** Makes the write of an event without a receipt, for the commit of its change; it goes to `GET /events`. */
  readonly recording: RecordEvent;
  /** Lists why a manifest cannot be put; empty when it can. */
  orbFaults(manifest: object): readonly string[];
}

/** What the runtime does once its providers are open. */
export interface Running {
  /** Does work once per Idempotency-Key. */
  readonly once: Once;
  /** The runs that wait for people. */
  readonly held: HeldRuns;
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
  /** Tests a provider by a run, for a caller whose scope the plugin has checked. */
  readonly testProvider: TestProvider;
  /** Puts a run into the queue for a caller, whose scope the plugin has checked. */
  readonly enqueue: Enqueue;
  /** Runs Orbs by way of the queue, for callers that wait a while for the end and ask for it later. */
  readonly queued: QueuedRuns;
  /** Notes a call of a tool that is no run: its caller has the answers that were handed over to it before. */
  readonly noteCall: RepeatGuard['noteCall'];
  /** Says whether a run waits or is under way. */
  isWaiting(runId: string): Awaitable<boolean>;
  readonly settleReported: SettleReported;
  providers(): readonly ProviderView[];
  /** The configured providers, for the plugin that keeps some of them in the store. */
  desk(): ProviderDesk;
  /** Lists the models that a caller can name in runs of an Orb. Throws 404 `orbiset_not_found`. */
  readonly modelsOf: ModelsOf;
  /**
   * Lists the tools that a configured provider offers, for which Orbs can stand. Throws 422 `invalid_provider`, 502
   * `probe_failed`.
   */
  offersOf(provider: string): Promise<readonly Offer[]>;
  /** Finds what the inputs of a capability mean, by name, as the adapters of the configured providers say it. */
  inputsOf(capability: string): Readonly<Record<string, string>>;
  /**
   * Puts an Orb into service for a caller, as `PUT /orbs/{orb_id}` does; false when it was there already. Throws 409 and
   * 422 like the route. The plugin has checked the scope.
   */
  putOrb(manifest: object, principal: Principal): Promise<boolean>;
  /** The kinds of things that need a person: its own, and those that plugins have added. */
  concerns(): readonly Concern[];
  /** The Orbs that something is bound to, and whether a provider of each can be called now. */
  orbs(): readonly OrbView[];
  /**
   * Reports the health of a provider by its open incident (`up` withdraws it). The provider's health is the worse of
   * the reported and the measured one. A report for an unknown name is kept until a provider has that name.
   */
  reportProvider(name: string, health: 'up' | 'degraded' | 'down', reason: string): void;
}

/** The token of the service. */
export const runtime = defineService<Runtime>('runtime');
