/**
 * The public surface for authors of plugins and adapters. Inside the tree they import from here; outside it they are
 * `export default (api) => ({…})`, use `import type`, and get these functions and classes in `api`.
 */
export { defineCapability, defineProvider } from './runtime/provider.ts';
export { definePlugin } from './plugin.ts';
export { defineRoute, reply } from './http/route.ts';
export { defineCommand } from './cli/command.ts';
export { defineService } from './service.ts';
export { defineStore, operation } from './store/contract.ts';
export { viewStore } from './store/read-only.ts';
export { ConfigError, PlatformError, ProviderError } from './error.ts';
export { compile } from './schema.ts';
export { holds } from './access.ts';
export { timestamp } from './clock.ts';
export { receiptCheck } from './runtime/journal/answer.ts';
export { standing } from './runtime/run.ts';
export { cursorAfter, idOfCursor, pageOf, pageQuery } from './http/page.ts';
export { receiptSummary } from './runtime/receipt-summary.ts';
export { canonical, digest } from './canonical.ts';
export type {
  Adapter,
  Capability,
  ExecuteContext,
  IdempotencySupport,
  OpenScope,
  ProviderHandle,
} from './runtime/provider.ts';
export type { AccessRequest, Credential, Decision, KeyMode, Principal, Reason, Scope, Scopes } from './access.ts';
export type { Attempt, Mode, RunSettled, RunStatus, Standing } from './runtime/run.ts';
export type { Call, Reply, RequestInfo, Route, UploadedFile } from './http/route.ts';
export type { Clock } from './clock.ts';
export type { Command, CommandCall } from './cli/command.ts';
export type { Client } from './cli/client.ts';
export type {
  Connection,
  Operation,
  Operations,
  Row,
  Sealer,
  Store,
  StoreModule,
  Value,
  WriteContext,
  WriterScope,
  Writing,
} from './store/contract.ts';
export type {
  Attestation,
  Fact,
  IncidentFact,
  NamespaceFact,
  Receipt,
  ResolutionFact,
  RunFact,
  StandingFact,
  SwapFact,
} from './fact.ts';
export type { IncidentChanged } from './incident.ts';
export type { Platform, ProviderView } from './platform.ts';
export type { Catalog } from './runtime/catalog.ts';
export type { Orb, OrbManifest } from './runtime/orb.ts';
export type { Fault, ProblemCode } from './error.ts';
export type { Health, HealthChange, HealthCheck } from './health.ts';
export type { HookTaps, Tappable } from './hooks.ts';
export type { Ids } from './id.ts';
export type { Infer, JsonSchema, Validator } from './schema.ts';
export type { Log } from './log.ts';
export type { Metrics } from './metrics.ts';
export type { Plugin, PluginScope, Started } from './plugin.ts';
export type { ServiceToken } from './service.ts';
