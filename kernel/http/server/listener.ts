import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Router } from '@koa/router';
import Koa from 'koa';
import { ConfigError, PlatformError } from '../../error.ts';
import { isLoopback } from '../connection/address.ts';
import { followCertificate, tlsVersions } from '../connection/certificate.ts';
import { checkHead } from '../connection/head.ts';
import { RequestCall, type RequestState } from '../request/call.ts';
import { answerClientError } from '../request/client-error.ts';
import { isWhole } from '../request/links.ts';
import { createEndpoint, fail, finish } from '../request/pipeline.ts';
import { buildDispatch, declare, nearestPath, type Dispatch } from '../request/router.ts';
import type { Door, ListenOptions, Site } from '../request/site.ts';
import { plainTags } from '../route/negotiation.ts';
import type { Section } from '../route/presentation.ts';
import type { Route } from '../route/route.ts';
import { Sockets } from './sockets.ts';

/** Creates the listener of an address for the routes it serves. Throws a ConfigError when address or TLS is faulty. */
export function createListener(
  site: Site,
  options: ListenOptions,
  routes: readonly Route[],
  sections: readonly Section[],
) {
  const { host, port } = parseAddress(options.address);
  const loopback = isLoopback(host);
  const secure = options.tls !== undefined || loopback;
  const app = createApp({ site, secure, loopback, whole: isWhole(options, site.options), sections }, routes);
  const server = openServer(site, options, app);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); node's own 417 has no body.
  server.on('checkExpectation', app);
  // For example EMFILE at accept: that connection is lost, the others are served.
  server.on('error', (err) => {
    if (server.listening) site.options.log.warn({ err }, 'the listener could not accept a connection');
  });
  site.connections.watch(server, { secure: options.tls !== undefined });
  server.on('clientError', (error, socket) => answerClientError(site.options, error, socket));
  const scheme = options.tls === undefined ? 'http' : 'https';
  const sockets = new Sockets(server, { allowHalfOpen: scheme === 'http', noDelay: true });
  return {
    /** Resolves to the base URL with the port taken; rejects naming the address. */
    async start(): Promise<string> {
      const taken = await sockets.open({ host, port }).catch((cause: NodeJS.ErrnoException) => {
        throw new Error(`cannot listen at ${options.address} (${cause.code ?? cause.message})`, { cause });
      });
      return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`;
    },
    /** Takes no new connection; open ones stay. Resolves when all are gone. */
    async refuse(): Promise<void> {
      if (server.listening) await sockets.close();
    },
    /** Cuts the remaining connections. */
    destroy(): void {
      server.closeAllConnections();
      server.close();
      void sockets.close();
    },
  };
}

function parseAddress(address: string): { host: string; port: number } {
  const [, v6, name, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = v6 ?? name;
  if (host === undefined || Number(port) > 65535) {
    throw new ConfigError([`listen: must be host:port or [v6]:port, not ${JSON.stringify(address)}`]);
  }
  return { host, port: Number(port) };
}

const limits = {
  // The pipeline answers a missing Host with its own problem.
  requireHostHeader: false,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Interval at which both timeouts are checked: a half-open request stays at most that much longer. When thousands
  // expire, those of a longer interval would be ended together, and others would wait for it.
  connectionsCheckingInterval: 250,
  // Longer than the 60 s that most load balancers keep connections, so that the balancer closes first.
  keepAliveTimeout: 65_000,
  noDelay: true,
} as const;

function openServer(site: Site, { address, tls }: ListenOptions, app: RequestListener): Server {
  if (tls === undefined) return createServer(limits, app);
  try {
    const server = createTlsServer({ ...limits, ...tls, ...tlsVersions, handshakeTimeout: 10_000 }, app);
    followCertificate(server, tls, { address, log: site.options.log });
    return server;
  } catch (cause) {
    throw new ConfigError([`listen ${address}: tls cert and key must be a PEM pair (${(cause as Error).message})`]);
  }
}

/** Koa without its own handling of a response: the pipeline writes every answer and every failure that reaches it. */
class App extends Koa<RequestState> {
  handleRequest(ctx: Koa.Context, compose: (ctx: Koa.Context) => Promise<void>): Promise<void> {
    return compose(ctx).catch((error: Error) => ctx.onerror(error));
  }
}

function createApp(door: Door, routes: readonly Route[]): RequestListener {
  const { site } = door;
  const closed = function (this: ServerResponse): void {
    site.connections.ended(this);
    site.traffic.closed();
  };
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const route of routes) {
    const endpoint = createEndpoint(door, route);
    declare(router, route, endpoint);
    if (route.finalSlash === true) declare(router, { ...route, path: `${route.path}/` }, endpoint);
  }
  const paths: Paths = { dispatch: buildDispatch(router), nearest: nearestPath(routes) };
  const app = new App();
  app.on('error', (err: unknown) => site.options.log.error({ err }, 'a request failed before it reached its route'));
  app.use((ctx) => {
    const { req, res } = ctx;
    res.on('close', closed);
    plainTags(req.headers);
    site.traffic.enter();
    site.connections.begin(req, res);
    ctx.state.request = new RequestCall(door, req, res);
    return enter(site, paths, ctx);
  });
  const callback = app.callback();
  return (req, res) => void callback(req, res);
}

interface Paths {
  readonly dispatch: Dispatch;
  readonly nearest: ReturnType<typeof nearestPath>;
}

function noRoute(path: string, { dispatch, nearest }: Paths): PlatformError {
  const meant = nearest(path);
  const hints = [
    meant === undefined ? '' : ` did you mean ${meant}?`,
    dispatch('/openapi.json') === undefined ? '' : ' GET /openapi.json lists them',
  ].join('');
  return new PlatformError('route_not_found', `no route here${hints && `;${hints}`}`);
}

/** Finds the route, or answers 400, 404, 405 or OPTIONS itself. */
function enter(site: Site, paths: Paths, ctx: Koa.ParameterizedContext<RequestState>): unknown {
  const { req, res, state } = ctx;
  const method = req.method ?? 'GET';
  try {
    checkHead(req);
    const path = pathOf(req.url ?? '/');
    const match = paths.dispatch(path);
    if (match === undefined) throw noRoute(path, paths);
    const { allow, methods } = match.resource;
    const found = methods.get(method);
    if (found !== undefined) {
      const { endpoint, names } = found;
      state.path = { names, values: match.values };
      return endpoint(ctx as Parameters<typeof endpoint>[0], async () => undefined);
    }
    if (method !== 'OPTIONS')
      throw new PlatformError('method_not_allowed', `use one of ${allow}`, { headers: { Allow: allow } });
    finish(site, state.request, res, { status: 204, headers: { Allow: allow } }, site.tallies.of('unmatched', method));
  } catch (error) {
    const page = fail(site, state.request, res, error, site.tallies.of('unmatched', method));
    if (page !== undefined) return page.finally(() => site.traffic.left());
  }
  site.traffic.left();
  return undefined;
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  const target = mark < 0 ? url : url.slice(0, mark);
  // Proxies may send an absolute request target (RFC 9112, 3.2.2).
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '') || '/';
}
