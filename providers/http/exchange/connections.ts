import { guardedConnect, type AllowList, type Resolve } from '../../../kernel/index.ts';
import { exchange, type Dispatch, type Request } from './exchange.ts';
import type { Received } from './receiver.ts';

/** Settings of connections; times in ms, sizes in bytes. */
export interface ConnectionSettings {
  readonly max_connections: number;
  readonly connect_timeout_ms: number;
  readonly timeout_ms: number;
  readonly max_body_bytes: number;
}

/** A pool of kept connections to the hosts of an allow list. */
export interface Connections {
  /** Makes one request, once; follows no redirect. Throws ProviderError `not_sent`, `rejected` or `unknown`. */
  call(request: Request, signal: AbortSignal): Promise<Received>;
  /** Aborts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

/** Creates the pool; it opens the first connection with the first call. */
export async function openConnections(
  settings: ConnectionSettings,
  allow: AllowList,
  resolve: Resolve,
): Promise<Connections> {
  const undici = await import('undici');
  const agent = new undici.Agent({
    connections: settings.max_connections,
    connect: guardedConnect(allow, resolve, (lookup) =>
      undici.buildConnector({ timeout: settings.connect_timeout_ms, allowH2: false, lookup }),
    ),
    // No timeouts per part: one timer limits the whole call, and slowly arriving bytes cannot restart it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // One request at a time per connection: a broken connection affects only that request.
    pipelining: 1,
    allowH2: false,
    // Closes idle connections before the target does: a close while we write would make the outcome unknown.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10000,
    keepAliveTimeoutThreshold: 2000,
  });
  const dispatch: Dispatch = (request, receiver) =>
    void agent.dispatch({ ...request, body: request.body ?? null }, receiver);
  const limits = { timeoutMs: settings.timeout_ms, maxBytes: settings.max_body_bytes };
  return {
    call: async (request, signal) => exchange(dispatch, request, { ...limits, signal }),
    close: async () => agent.destroy(),
  };
}
