import { openOutbound, type AllowList, type Resolve } from '../../../kernel/outbound.ts';
import { exchange, type Dispatch, type Request } from './exchange.ts';
import type { Settings } from './settings.ts';

/** A pool of kept connections to the hosts of an allow list. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;

/** Creates the pool; it opens the first connection with the first call. */
export async function openConnections(settings: Omit<Settings, 'allow'>, allow: AllowList, resolve: Resolve) {
  const { max_connections, connect_timeout_ms } = settings;
  // No timeouts per part: one timer limits the whole call, and slowly arriving bytes cannot restart it.
  const outbound = await openOutbound({ max_connections, connect_timeout_ms, allow, resolve });
  const dispatch: Dispatch = (request, receiver) =>
    outbound.dispatch({ ...request, body: request.body ?? null }, receiver);
  const limits = { timeoutMs: settings.timeout_ms, maxBytes: settings.max_body_bytes };
  return {
    /** Makes one request, once; follows no redirect. Throws ProviderError `not_sent`, `rejected` or `unknown`. */
    call: async (request: Request, signal: AbortSignal) => exchange(dispatch, request, { ...limits, signal }),
    /** Aborts all connections; resolves when they are closed. */
    close: () => outbound.close(),
  };
}
