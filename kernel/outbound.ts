/** The surface for code that calls hosts: a connection goes only to an address that was checked in the same step. */
// `openOutbound`: pooled connections under that guard; `openTargets`: the rule for URLs that callers name.
export { addressRule, discard, joinedHeaders, openOutbound, openTargets, traceContext } from './net/outbound.ts';
export type { OpenTargets, Outbound, OutboundAnswer, OutboundController, OutboundOptions } from './net/outbound.ts';
// Which hosts an operator allows.
export { blocked, createAllowList, type AllowEntry, type AllowList } from './net/allow.ts';
// How a target is refused.
export { ProviderError } from './error.ts';
export { isLoopbackHost, isPublicAddress } from './net/address.ts';
export { parseTarget, type Target } from './net/target.ts';
export { BlockedAddress, resolvePublic, systemResolve, type Resolve } from './net/lookup.ts';
// When a host asks to be called again.
export { retryAfterOf, type RetryHeaders } from './net/retry-after.ts';
