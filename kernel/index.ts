/**
 * The surface for authors of plugins. Adapters import `adapter.ts`; code that calls other hosts `outbound.ts`; commands
 * that work on a whole store `maintenance.ts`; the plugin that runs Orbs `runner.ts`; a plugin with an engine of the
 * store `engine.ts`. Outside the tree all but the last are `agent-orb-kit` (see `surface.ts`).
 */
// A plugin: `start(scope)` → {services?, routes?, stop?}; a throw stops the boot. Names of `requires` and `provides`
// are service tokens; a store is a module of `defineStore`, outside the tree the path of its file.
export { definePlugin, type PluginScope } from './plugin.ts';
export { defineService } from './service.ts';
export type { Platform } from './platform.ts';
export type { Description } from './description.ts';
// Shipped files, and what a home takes from them.
export { program, type Config, type Brand } from './config/config.ts';
export { digestOf } from './config/program-folder.ts';
// A plugin's own hooks: declared in `hooks`, called by `scope.calls`, tapped by others with `scope.hooks.of(hook)`.
export { defineEvent } from './plugin-hook.ts';
// A kind of fact is declared in `facts`, by `defineFact` of the plugin that attests, for `platform.attest`.
export type { Attestation, Fact, FactOwner, ReceiptWrites } from './fact.ts';
export type { Health, HealthCheck } from './health.ts';

// ConfigError ends the boot with exit code 78 and names all faults. PlatformError is one problem, of the kernel by its
// code or of `defineProblems` (status, title and retryable come from there). Messages of both hold no secret.
export { ConfigError, defineProblems, PlatformError, type ProblemCode, type ProblemType, unfit } from './error.ts';

// Who calls, and what the caller may do.
export { holds, holdsPart, requireAnyScope, requireLive } from './access.ts';
export type { AccessRequest, Credential, Decision, KeyMode, Principal, Reason, Scopes } from './access.ts';

// A route's `handle` receives values that fit its schemas, and answers the body of its 200, or a `reply`. It fails by a
// PlatformError.
export { defineRoute, reply } from './http/route/route.ts';
export type { Call, ProblemForm, Reply, RequestInfo, Route, UploadedFile } from './http/route/route.ts';
export type { HeaderDescription, RequestHeader, ResponseHeader } from './http/route/header.ts';
export { openingSchema, type Problem } from './http/route/problem.ts';
// Conditions of a request: `expectTag` fails a write with 412; `namesTag` says whether a read is answered with 304.
export { conditionOf, expectTag, namesTag, type Condition } from './http/route/condition.ts';
export { idOfCursor, nextOf, pageOf, pageQuery } from './http/route/paging.ts';
// Requires the key itself instead of a session: `keyAgain` of a route, or this where it depends on the request.
export { isFromOwnPage, requireKey } from './http/request/caller.ts';
export { refuseHeld, type HeldKind } from './http/connection/held-answers.ts';
export { parseJson, parseJsonBytes } from './http/body/json.ts';

// Pages for people.
export { asksForJson } from './http/route/negotiation.ts';
export type { BodyOf, Presentation, Section, Webhook } from './http/route/presentation.ts';
export { escapeHtml, html, trusted, withoutUnseen, type Html, type HtmlPart } from './tools/text/html.ts';

// A command answers its exit code; nothing means 0. An examination of `orb doctor` is declared in `examinations` of a
// plugin; it answers findings with the remedy of each, `fine` for a thing that is in order.
export { defineCommand, fine } from './cli/command/command.ts';
export type { Command, CommandCall, Examination, Finding, Installation, PluginKeeps } from './cli/command/command.ts';
export { grouped } from './cli/command/command-group.ts';
// `ClientError`: what `client` of a command throws.
export { ClientError, type Client } from './cli/command/client.ts';
export type { Screen, BarScreen, OnProgress, Progress } from './cli/command/screen.ts';

// A store: a module of migrations, operations and queries.
export { defineStore, operation, eraseAll, type SealedRows } from './store/contract.ts';
export type { Awaitable, AwaitableReads, AwaitedReads, NodeIdentity, Sealer, Store } from './store/contract.ts';
export type { Claim, Operation, Operations, StoreModule, WriteContext, WriterScope } from './store/contract.ts';
export type { Connection, Row, Value, WriteConnection, WriteStatement } from './store/contract.ts';
export { mappedRow, numberedWriter, replacing, rowReader, rowWriter, textColumn } from './store/sql/column.ts';
export type { RowOf } from './store/sql/column.ts';
// `queriesOf` prepares queries that find one row, list rows, filter rows by the conditions given, or page through a
// list with a bounded number of rows for each page.
export { queriesOf } from './store/sql/query.ts';
export { mergePages, timesBetween, type Page, type PageFilter } from './store/sql/page.ts';
// The statements that the engines make of a claim.
export { claimTexts } from './store/sql/claim.ts';
export { atOnce, whenKnown } from './store/awaitable.ts';
export type { Held } from './store/peers.ts';

// `compile` (JSON Schema 2020-12, ajv strict; throws when the schema itself is wrong; `compileLater`: when first used)
// gives a Validator: [] means it fits, defaults are filled in place.
// `exactly` makes the schema of an object of its members: `optional` ones may be absent, an absent `integer` has a default.
export { compile, compileLater, exactly, integer, optional, plainText } from './tools/schema.ts';
export type { Answered, Exactly, Infer, JsonSchema, Validator } from './tools/schema.ts';
export type { Fault } from './tools/schema/fault.ts';
// `canonical` is RFC 8785, `digest` is `sha256:<hex>`, `timestamp` is RFC 3339 UTC of ms.
export { canonical, digest, perFrozen } from './tools/canonical.ts';
export { timestamp, type Clock } from './tools/clock.ts';
// Identifiers sort by the time at which they were made.
export { firstIdAt, type Ids } from './tools/id.ts';
export { given } from './tools/given.ts';
// A log that writes each line by a function, for tests of code that logs.
export { createLog, type Log } from './tools/log.ts';
export type { Metrics } from './tools/metrics.ts';
// `after`, `every`: timers that report failures and never end the process. `within` waits for work up to a time limit.
export { after, every, within } from './tools/every.ts';
export { createSerial, type Serial } from './tools/serial.ts';
export { createListeners, type Listeners } from './tools/listeners.ts';
// For work that would block the thread that serves: `createThread` there, `serveThread` in the worker's file.
export { createThread, serveThread } from './thread.ts';
// Finds the word that was most likely meant.
export { similarTo } from './tools/text/similar.ts';
// Replaces a file so that it is whole at any moment, whoever reads it and whenever the process dies.
export { replaceFile, replaceFileSync } from './tools/files.ts';
