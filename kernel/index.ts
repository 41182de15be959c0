/**
 * The public surface for authors of plugins and adapters. Inside the tree they import from here; outside it they import
 * `agent-orb-kit`, which exports these same functions and classes, or write `export default (api) => ({…})` and get
 * them in `api`.
 */
// An adapter: `defineProvider` gives a frozen Adapter; `open` → {execute, probe?, lookup?, close?}. `execute` answers a
// plain object that fits the Orb's outputs_schema, or throws one ProviderError (rejected, provider_fault, not_sent,
// throttled with retry_after in seconds, unknown with its phase). It never retries.
export { defineCapability, defineProvider } from './provider/adapter.ts';
// A plugin: `start(scope)` → {services?, routes?, stop?}; a throw stops the boot. Names of `requires` and `provides` are
// service tokens; a store is a module of `defineStore`, outside the tree the path of its file.
export { definePlugin } from './plugin.ts';
// A route's `handle` receives values that fit its schemas, and answers the body of its 200, or a `reply`. It fails by a
// PlatformError. A command answers its exit code; nothing means 0.
export { defineRoute, reply } from './http/route/route.ts';
export { connectionRemedy, hostAndPort } from './net/connection-remedy.ts';
export { retryAfterOf, type RetryHeaders } from './net/retry-after.ts';
export { refuseHeld, type HeldKind } from './http/connection/held-answers.ts';
// Requires the key itself instead of a session: `keyAgain` of a route, or this where it depends on the request.
export { requireKey } from './http/caller/route-scope.ts';
export { isFromOwnPage } from './http/caller/session-cookie.ts';
// Conditions of a request: `expectTag` fails a write with 412; `namesTag` says whether a read is answered with 304.
export { conditionOf, expectTag, namesTag } from './http/route/condition.ts';
// An examination of `orb doctor`: declared in `examinations` of a plugin; answers findings with the remedy of each, `fine`
// for a thing that is in order.
export { defineCommand, fine } from './cli/command/command.ts';
export { grouped } from './cli/command/command-group.ts';
// `ClientError`: what `client` of a command throws. `besideSystemd`: how a command is run in the home of a service.
export { besideSystemd, ClientError, serverUrl } from './cli/command/client.ts';
export { defineService, type ServiceToken } from './service.ts';
// A plugin's own hooks: declared in `hooks`, called by `scope.calls`, tapped by others with `scope.hooks.of(hook)`.
export { defineEvent, defineQuestion } from './plugin-hook.ts';
// A kind of fact that a plugin attests: declared in `facts`, attested by `platform.attest`, verified without its code.
export { defineFact } from './fact-kind.ts';
export {
  mappedRow,
  numberedWriter,
  replacing,
  rowReader,
  rowWriter,
  textColumn,
  type RowOf,
} from './store/sql/column.ts';
// The statements that the engines make of a claim.
export { claimTexts } from './store/sql/claim.ts';
// `queriesOf` prepares queries that find one row, list rows, filter rows by the conditions given, or page through a list
// with a bounded number of rows for each page.
export { queriesOf, type Asked } from './store/sql/query.ts';
export { mergePages, timesBetween, type Page, type PageFilter } from './store/sql/page.ts';
// Identifiers sort by the time at which they were made.
export { firstIdAt } from './tools/id.ts';
export { atOnce, immediate, whenKnown, type ImmediateScope } from './store/awaitable.ts';
export { defineStore, operation } from './store/contract.ts';
export { eraseAll } from './store/erasure.ts';
// `tryLock`: for a file that several processes read, change and write. `takeLock`: for a state dir that no server may use.
export { takeLock, tryLock } from './store/sqlite/lock.ts';
// For commands that copy the store, or write it again, as a whole.
export { storeFileOf } from './store/sqlite/file.ts';
// `ReadFailed` says nothing about the contents of a store: it is no verdict, and `StoreDamaged` is one.
export { ReadFailed, StoreDamaged, viewStore, type StoreView } from './store/view/read-only.ts';
export type { SealedRows } from './store/sealed-contract.ts';
// For a check of sealed values, which opens them as a start does.
export { checkMasterKey, readMasterKey } from './store/master-key.ts';
export { createSealer } from './store/sealer.ts';
// ConfigError ends the boot with exit code 78 and names all faults. PlatformError is one problem, of the kernel by its
// code or of `defineProblems` (status, title and retryable come from there). ProviderError is for adapters and has no
// HTTP. Messages of all three hold no secret.
export { ConfigError, defineProblems, PlatformError, ProviderError } from './error.ts';
export { escapeHtml, html, trusted, withoutUnseen, type Html, type HtmlPart } from './tools/text/html.ts';
export { asksForJson } from './http/route/prefers.ts';
export { parseJson, parseJsonBytes } from './http/body/json.ts';
// For work that would block the thread that serves: `createThread` there, `serveThread` in the worker's file.
export { createThread, serveThread } from './thread.ts';
export { createSerial, type Serial } from './tools/serial.ts';
export { createListeners, type Listeners } from './tools/listeners.ts';
// Finds the word that was most likely meant.
export { similarTo } from './tools/text/similar.ts';
export { shippedTexts } from './config/config.ts';
// `compile` (JSON Schema 2020-12, ajv strict; throws when the schema itself is wrong; `compileLater`: when first used)
// gives a Validator: [] means it fits, defaults are filled in place.
// `canonical` is RFC 8785, `digest` is `sha256:<hex>`, `timestamp` is RFC 3339 UTC of ms.
// `exactly` makes the schema of an object from those of its members; `optional` marks the ones that may be absent.
export { compile, compileLater, exactly, optional, plainText, type Exactly, type Optional } from './tools/schema.ts';
export { credential, holds, holdsPart, requireAnyScope, requireLive, revocations, undecidedReason } from './access.ts';
export { timestamp } from './tools/clock.ts';
export { freeBytes } from './tools/files/free-bytes.ts';
export { given } from './tools/given.ts';
// For adapters that call hosts on the network: a connection goes only to an address that was checked in the same step,
// so no name leads to a private one unless the configuration exempts it.
export { isLoopbackHost } from './net/address.ts';
export { blocked, createAllowList, type AllowEntry, type AllowList } from './net/allow.ts';
// `openOutbound`: pooled connections under that guard; `openTargets`: the rule for URLs that callers name.
export { discard, openOutbound, openTargets } from './net/outbound.ts';
export { connectionSettings } from './provider/connection-settings.ts';
export type { OpenTargets, Outbound, OutboundAnswer, OutboundOptions } from './net/outbound.ts';
export { BlockedAddress, resolvePublic, systemResolve, type Resolve } from './net/lookup.ts';
export { parseTarget, type Target } from './net/target.ts';
// Timers that report failures and never end the process.
export { after, every } from './tools/every.ts';
// Waits for work up to a time limit; then `late` gives the result instead, or throws.
export { within } from './tools/within.ts';
// Replaces a file so that it is whole at any moment, whoever reads it and whenever the process dies.
export { replaceFile, replaceFileSync } from './tools/files/replace-file.ts';
export { cursorAfter, idOfCursor, nextOf, pageOf, pageQuery } from './http/route/paging.ts';
export { canonical, digest, perFrozen, textOf } from './tools/canonical.ts';
export type {
  Adapter,
  Capability,
  ExecuteContext,
  IdempotencySupport,
  Offer,
  OpenScope,
  ProviderHandle,
} from './provider/adapter.ts';
export type {
  AccessRequest,
  Credential,
  CredentialPort,
  Decision,
  KeyMode,
  Principal,
  Reason,
  Revocations,
  Scope,
  Scopes,
} from './access.ts';
export type { Condition } from './http/route/condition.ts';
export type { Webhook } from './http/route/presentation.ts';
export type { Call, Delivery, ProblemForm, Reply, RequestInfo, Route, UploadedFile } from './http/route/route.ts';
export type { Problem } from './http/route/problem.ts';
export type { Brand } from './config/brand.ts';
export type { BodyOf, Presentation, Section } from './http/route/presentation.ts';
export type { Clock } from './tools/clock.ts';
export type {
  Command,
  CommandCall,
  Examination,
  Finding,
  Installation,
  PluginBackup,
  PluginKeeps,
  PluginTools,
} from './cli/command/command.ts';
export type { BarScreen, OnProgress, Progress } from './cli/output/progress.ts';
export type { Screen } from './cli/output/screen.ts';
export type { Client } from './cli/command/client.ts';
export type {
  Awaitable,
  AwaitableReads,
  AwaitedReads,
  Claim,
  Connection,
  NodeIdentity,
  Operation,
  Operations,
  Row,
  Sealer,
  Store,
  StoreModule,
  Taker,
  Value,
  WriteConnection,
  WriteContext,
  WriterScope,
  WriteStatement,
  Writing,
} from './store/contract.ts';
export type { StoreUrls } from './store/engine.ts';
export type { EndedNode, Held, NodeView, Peers } from './store/peers.ts';
export type { Attestation, Fact, PluginFact, ReceiptWrites } from './fact.ts';
export type { Description } from './description.ts';
export type { FactKind, FactOf, FactOwner, FactRule } from './fact-kind.ts';
export type { Platform } from './platform.ts';
export type { FailureOutcome, ProblemCode, ProblemType } from './error.ts';
export type { Fault } from './tools/schema/fault.ts';
export type { Health, HealthCheck } from './health.ts';
export type { HookCalls, HookTaps } from './hooks.ts';
export type { PluginHook } from './plugin-hook.ts';
export type { Ids } from './tools/id.ts';
export type { Answered, Infer, JsonSchema, Validator } from './tools/schema.ts';
// A log that writes each line by a function, for tests of code that logs.
export { createLog, type Log } from './tools/log.ts';
export type { Metrics } from './tools/metrics.ts';
export type { Plugin, PluginScope, Started } from './plugin.ts';
export type { UpstreamCall, UpstreamProgress, Upstream, UpstreamFacts } from './provider/upstream.ts';
// For the plugin that serves Orbs: the configuration with its providers, their openings, and the rules for authors' schemas.
export { configuration, type Configuration, type Reread } from './configuration.ts';
export { program, type Config, type Limit } from './config/config.ts';
export { digestOf, type DataFolder } from './config/program-folder.ts';
export { limit } from './config/settings.ts';
export { createOrbHook, type Dispatch, type Failure, type OrbHook, type Outcome } from './provider/orb-hook.ts';
export { checkDialect, compileAlone, type Dialect, type Weight } from './tools/schema.ts';
export { createBucket, rateLimited, takenOf, type Bucket, type Taken } from './http/connection/limits.ts';
export { GaveUp, type BoundedWaits } from './store/bounded-waits.ts';
export { columnOf } from './store/sql/column.ts';
export { asIs } from './store/sql/query.ts';
export { rowBudget } from './store/sql/page.ts';
export { matchesOrb, type Allowed, type Denied, type MaybePromise } from './access.ts';
export type { CommandArgument } from './cli/command/command.ts';
export { renewError, type ProblemExtensions } from './error.ts';
export { textOfCursor } from './http/route/paging.ts';
export { openingSchema } from './http/route/problem.ts';
export type { HeaderDescription, RequestHeader, ResponseHeader } from './http/route/header.ts';
export type { OtherAnswer } from './http/route/route.ts';
export type { Opened } from './plugin.ts';
export type { FilesSource, PluginFiles } from './plugin-files.ts';
export type { InputParser, Provider } from './provider/adapter.ts';
export { upstream, type Effect } from './provider/upstream.ts';
export type { Resolved } from './service.ts';
export type { Sample } from './tools/metrics.ts';
export type { Loaded } from './boot/loaded.ts';
export type { Thread } from './thread.ts';
// Values that come and go by the thousand.
export { Roster, type Place } from './tools/roster.ts';
export type { StoreAddress, StorePlace } from './store/place.ts';
