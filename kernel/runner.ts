/** The surface for the plugin that runs Orbs, in addition to `index.ts` and `adapter.ts`; no other imports it. */
// The configuration, what was loaded by it, and a later reading of it.
export { configuration, type Configuration, type Loaded, type Reread } from './boot/loaded.ts';
export { limit } from './config/settings.ts';
export type { Limit } from './config/config.ts';
// The one call of a provider: an Orb's hook, what it gets and what it answers.
export { createOrbHook, type Dispatch, type Failure, type OrbHook, type Outcome } from './provider/orb-hook.ts';
export { upstream, type Effect, type Upstream, type UpstreamFacts } from './provider/upstream.ts';
export type { InputParser } from './provider/adapter.ts';
// What `open` of a plugin answers, and its parts.
export type { Opened } from './plugin.ts';
export type { Resolved } from './service.ts';
export type { HookCalls } from './hooks.ts';
export type { PluginFact } from './fact.ts';
// Access to an Orb, decided by the policy.
export { matchesOrb, type Allowed, type Denied, type MaybePromise } from './access.ts';
// Limits, and values that come and go by the thousand.
export { createBucket, rateLimited, takenOf, type Bucket, type Taken } from './http/connection/limits.ts';
export { Roster, type Place } from './tools/roster.ts';
export type { Sample } from './tools/metrics.ts';
export { GaveUp, type BoundedWaits } from './store/contract.ts';
export type { Peers } from './store/peers.ts';
// Rows and pages whose shape depends on the request.
export { rowBudget } from './store/sql/page.ts';
export { asIs } from './store/sql/query.ts';
export { textOfCursor } from './http/route/paging.ts';
// A failure that gets more members, and answers of the execute route.
export { renewError, type ProblemExtensions } from './error.ts';
export type { Delivery, OtherAnswer } from './http/route/route.ts';
export type { CommandArgument } from './cli/command/command.ts';
export { checkDialect, compileAlone, type Dialect, type Weight } from './tools/schema.ts';
