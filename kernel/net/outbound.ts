import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { isPublicAddress } from './address.ts';
import { blocked, createAllowList, type AllowEntry, type AllowList } from './allow.ts';
import { BlockedAddress, guardedLookup, resolvePublic, systemResolve, type Resolve } from './lookup.ts';
import { defaultPort, literalAddress, parseTarget, type Target } from './target.ts';
import type { LookupFunction, Socket } from 'node:net';
import { withoutContinue } from './interim.ts';

/** The options of a client of other hosts. */
export interface OutboundOptions {
  /** Connections to one host at most. */
  readonly max_connections: number;
  readonly connect_timeout_ms: number;
  /** Milliseconds of silence that end a request; absent: only its signal ends it. */
  readonly silence_ms?: number;
  /** Says which hosts may have an address that is not global unicast. */
  readonly allow: Pick<AllowList, 'exempt'>;
  /** Resolves names; the system's resolver unless given. */
  readonly resolve?: Resolve;
  /** Resolves the names of exempt hosts; `resolve` unless given. */
  readonly resolve_exempt?: Resolve;
}

// One request; header names in lower case.
interface OutboundRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is first read when the connection is open. */
  readonly body: Uint8Array | Readable | null;
  readonly signal?: AbortSignal;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer whose body still comes. */
export interface OutboundAnswer {
  /** HTTP status. */
  readonly statusCode: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Buffer>;
}

/** Ends an exchange that the receiver wants no more of. */
export interface OutboundController {
  /** Ends the exchange and the connection. */
  abort(reason: Error): void;
  /** Reads no more of the answer until `resume` is called. */
  pause(): void;
  resume(): void;
}

// Receives one answer, call by call.
interface OutboundReceiver {
  /** The first byte is about to be written to an open connection. */
  onRequestStart(controller: OutboundController): void;
  onResponseStart(controller: OutboundController, status: number, headers: Headers): void;
  onResponseData(controller: OutboundController, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: unknown, error: Error): void;
}

/** A client of other hosts: kept connections, only to addresses that were checked in the same step, no redirect. */
export interface Outbound {
  /** Makes one request, once; rejects when no status came. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Makes one request, once, and passes its answer to the receiver. */
  dispatch(request: OutboundRequest, receiver: OutboundReceiver): void;
  /** Aborts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

/** Makes a client; it opens the first connection with the first request. */
export async function openOutbound(options: OutboundOptions): Promise<Outbound> {
  const { allow, connect_timeout_ms: timeout, max_connections, silence_ms = 0 } = options;
  const { resolve = systemResolve, resolve_exempt = resolve } = options;
  const { Agent, buildConnector } = await import('undici');
  const allowH2 = false;
  const agent = new Agent({
    connections: max_connections,
    connect: guardedConnect(allow, resolve, (lookup) => buildConnector({ timeout, allowH2, lookup }), resolve_exempt),
    headersTimeout: silence_ms,
    bodyTimeout: silence_ms,
    // One request at a time per connection: a broken connection affects only that request.
    pipelining: 1,
    allowH2,
    // Closes idle connections before the other side does: a close while we write would make the outcome unknown.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10000,
    keepAliveTimeoutThreshold: 2000,
  });
  return {
    request: async (request) => agent.request(traced(request)),
    dispatch: (request, receiver) => void agent.dispatch(traced(request), receiver),
    close: () => agent.destroy(),
  };
}

/** Within its `run`, requests have this W3C traceparent, which is read for the first of them, unless they have their own. */
export const traceContext = new AsyncLocalStorage<{ readonly traceparent: string }>();

function traced(request: OutboundRequest): OutboundRequest {
  const traceparent = traceContext.getStore()?.traceparent;
  return traceparent === undefined ? request : { ...request, headers: { traceparent, ...request.headers } };
}

/** Decides where a client may go whose targets others name. */
export interface OpenTargets extends Pick<AllowList, 'exempt'> {
  /** Checks a URL as its use will. Throws ProviderError `rejected`, without the address. An unresolved name passes. */
  check(url: string, resolve?: Resolve): Promise<Target>;
  /** Checks the form of a URL alone. Throws ProviderError `rejected`. */
  admit(url: string): Target;
}

/** Makes the rule for targets that others name: any host on the public Internet, and those that the operator exempts. */
export function openTargets(hosts: readonly Pick<AllowEntry, 'host' | 'port'>[]): OpenTargets {
  const exempted = createAllowList(hosts.map((host) => ({ ...host, private: true })));
  const admit = (url: string): Target => {
    const target = parseTarget(url);
    const { host, port } = target;
    createAllowList([{ host, port, private: exempted.exempt(target) }]).admit(target, 'POST');
    return target;
  };
  return {
    exempt: (target) => exempted.exempt(target),
    admit,
    async check(url, resolve = resolvePublic) {
      const target = admit(url);
      if (exempted.exempt(target)) return target;
      const literal = literalAddress(target.host);
      const found = literal === undefined ? await resolve(target.host).catch(() => []) : [{ address: literal }];
      if (!found.every(({ address }) => isPublicAddress(address))) throw blocked();
      return target;
    },
  };
}

/** Makes one value of each header, by its name in lower case; several values are joined. */
export function joinedHeaders(headers: Headers): Record<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return Object.fromEntries(pairs);
}

/** Reads an answer and throws it away, at most `limit` bytes; a longer one is cut off with its connection. */
export async function discard({ body }: Pick<OutboundAnswer, 'body'>, limit: number): Promise<void> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) break;
  }
}

/** Destination of a connection. */
export interface Endpoint {
  readonly hostname: string;
  /** With the colon. */
  readonly protocol: string;
  /** Empty: the scheme's default. */
  readonly port: string;
}

// Opens one connection and passes the socket or the error to the callback.
type Connect<E extends Endpoint> = (
  endpoint: E,
  callback: (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void;

/** Within its `run`, clients are made that reach a private address only where this rule exempts the host as well. */
export const addressRule = new AsyncLocalStorage<Pick<AllowList, 'exempt'>>();

/** Makes the only function that opens connections, to an address checked in the same step; `make` makes a connector. */
export function guardedConnect<E extends Endpoint>(
  allow: Pick<AllowList, 'exempt'>,
  resolve: Resolve,
  make: (lookup: LookupFunction) => Connect<E>,
  resolveExempt = resolve,
): Connect<E> {
  const guarded = make(guardedLookup(resolve));
  const exempted = make(guardedLookup(resolveExempt, () => true));
  const rule = addressRule.getStore();
  return (endpoint, answer) => {
    const callback: typeof answer = (...result) =>
      result[0] === null ? answer(null, withoutContinue(result[1])) : answer(...result);
    const scheme = endpoint.protocol === 'https:' ? 'https' : 'http';
    const port = endpoint.port === '' ? defaultPort(scheme) : Number(endpoint.port);
    const address = literalAddress(endpoint.hostname);
    const host = address?.includes(':') === true ? `[${address}]` : endpoint.hostname;
    const target = { scheme, host, port } as const;
    if (allow.exempt(target) && rule?.exempt(target) !== false) return exempted(endpoint, callback);
    // Sockets call the look-up only for names, so a literal address is checked here.
    if (address !== undefined && !isPublicAddress(address))
      return queueMicrotask(() => callback(new BlockedAddress(), null));
    return guarded(endpoint, callback);
  };
}
