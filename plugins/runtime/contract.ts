/**
 * The contract of the runtime: its service, the events and facts of runs and swaps, and the words in which Orbs, Orbisets
 * and runs are described.
 */
export { orbId, orbIdOrName, orbNamespace, orbSelector, parseOrbId } from './catalog/orb-id.ts';
export { inputFaults, invalidInputs } from './catalog/invalid-inputs.ts';
export { unknownOrb, unknownOrbIn } from './catalog/unknown-orb.ts';
export { runSchema, shown as shownRun } from './run/run-routes.ts';
export { admitsOrb, noOrbiset, orbisetOf, orbisetParams, reachesOrbiset } from './catalog/orbiset.ts';
export { idempotencyKey } from './journal/once.ts';
export { runAttempts, runFailure, standing, receiptCheck } from './facts/facts.ts';
export { executionResult, receiptSummary } from './facts/facts.ts';
export { executeProblems } from './queue/execute-route.ts';
export { providerReason, type RunFailure } from './facts/run-failure.ts';
export type { Attempt, Mode, OpenRunView, RunStatus, Standing } from './facts/facts.ts';
export type { CallbackAsked, CallbackCheck } from './facts/callbacks.ts';
export type { Named, SearchSource } from './run/listing/search/source.ts';
export { concernOf } from './stats/overview.ts';
export type { Concern, ConcernItem, ConcernState } from './stats/overview.ts';
export { attestedLog } from './facts/attested-log.ts';
export { mayListen } from './events/event.ts';
export { eventText, readEvents, type ReadEvent } from './events/event-stream.ts';
export type { AttestedLog, AttestedRow, LogSizes } from './facts/attested-log.ts';
export type { NewEvent, RecordEvent } from './events/recording.ts';
export type { Sample } from './tables/counts.ts';
export type { MaybeReplayed } from './journal/keys.ts';
export type { Once, OnceRequest } from './journal/once.ts';
export type { Enqueue, Enqueued } from './queue/queued-runs.ts';
export type { Cancelled } from './queue/canceller.ts';
export type { QueuedCall, QueuedRuns } from './queue/queued-runs.ts';
export { isGuarded, mayBeGuarded, type Execute, type ExecuteCall } from './run/execute.ts';
export type { RunStream, RunWatcher } from './dispatch/run-record.ts';
export type { ExecutionResult } from './facts/facts.ts';
export type { Catalog } from './catalog/catalog.ts';
export type { Orb, OrbManifest } from './catalog/orb.ts';
export type { Orbiset } from './catalog/orbiset.ts';
export type { ProviderSwapped, RunSettled, DefinitionChanged, HealthChange } from './facts/hooks.ts';
export type { AttestedRun, Opening, Receipt, ResolutionFact, RunFact, SwapFact } from './facts/facts.ts';
export { definitionChanged, healthChanged, providerSwapped, runSettled } from './facts/hooks.ts';
export type { CallDescription, DescribedCall } from './run/described.ts';
export type { Models, ModelsOf, ModelView, PricedProvider } from './run/models.ts';
export { storedProviders, type StoredProvider, type StoredProviders } from './facts/stored-providers.ts';
export { origin, originOf } from './provider/stored.ts';
export { reloadedProvider, type Reloaded } from './provider/binding.ts';
export type { OrbOrder, ProviderDesk } from './swap/provider-desk.ts';
export type { ProviderView } from './run/provider-views.ts';
export { runtime, type Runtime } from './service.ts';
export { approvalsPort, bound } from './facts/held.ts';
export type {
  ApprovalState,
  ApprovalsPort,
  Approved,
  Ask,
  Bound,
  HeldAnswer,
  HeldEnd,
  HeldRun,
  HeldRuns,
  Holding,
  Opened,
} from './facts/held.ts';
export { deliveryReports, deliveryStates } from './facts/reports.ts';
export type { DeliveryReports, DeliveryState, ReportedCall, Reported, RunDelivery } from './facts/reports.ts';
export { meterPort } from './facts/metering.ts';
export type {
  Billed,
  Metered,
  MeteredAttempt,
  MeteredEnd,
  MeteredFacts,
  MeteredRun,
  MeterPort,
  ModelPrice,
  Settlement,
} from './facts/metering.ts';
export type { Channel, KnownFact, RuntimeFact } from './facts/facts.ts';
export { tracing } from './facts/tracing.ts';
export type { TracedCall, TracedRun, TracingPort } from './facts/tracing.ts';
export type { Repeat } from './journal/repeat.ts';
export { catalogOf } from './catalog/catalog.ts';
export { undecidedReason } from './outcome/undecided.ts';
export { callerNames, credential, revocations, type CredentialPort, type Revocations } from './facts/ports.ts';
