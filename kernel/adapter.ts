/** The surface for authors of adapters, and for plugins that open them; who calls hosts imports `outbound.ts` too. */
// `defineProvider` gives a frozen Adapter; `open` → {execute, probe?, lookup?, close?}. `execute` answers a plain
// object that fits the Orb's outputs_schema, or throws one ProviderError (rejected with its reason, provider_fault,
// not_sent, throttled with retry_after in seconds, unknown with its phase). It never retries.
export { defineCapability, defineProvider, connectionSettings } from './provider/adapter.ts';
export { ProviderError, rejectedReasons, type FailureOutcome, type RejectedReason } from './error.ts';
export type {
  Adapter,
  ExecuteContext,
  IdempotencySupport,
  Offer,
  OpenScope,
  Provider,
  ProviderHandle,
} from './provider/adapter.ts';
// Of an Orb that represents a tool of a provider.
export type { UpstreamCall, UpstreamProgress } from './provider/upstream.ts';
// Tools that plugins use too.
export { canonical, digest } from './tools/canonical.ts';
export { after, every, unlessAborted, within } from './tools/every.ts';
export { given } from './tools/given.ts';
export type { Log } from './tools/log.ts';
export { exactly, optional, type Exactly, type Infer } from './tools/schema.ts';
