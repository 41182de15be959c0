import type { ServerResponse } from 'node:http';
import { requireLive } from '../../access.ts';
import { PlatformError, problems as kernelProblems } from '../../error.ts';
import { problemAnswer, toAnswer, write, type Answer } from '../route/answer.ts';
import { rateLimited } from '../connection/limits.ts';
import type { Tally } from '../connection/tally.ts';
import { createParser } from '../route/parameters.ts';
import { asksForPage as prefersPage, encodeNow, varied } from '../route/negotiation.ts';
import type { Presentation } from '../route/presentation.ts';
import { declaredType, toProblem, type Problem } from '../route/problem.ts';
import { isReply, type Call, type Route } from '../route/route.ts';
import type { PathValues, RequestCall } from './call.ts';
import { authenticate, checkPart, checkScope, requireKey, sessionTokenOf, takeKey } from './caller.ts';
import { readBody } from './read-body.ts';
import type { Endpoint } from './router.ts';
import type { Door, Site } from './site.ts';

/** Makes the endpoint of a route: authenticate → part of the scope → read and parse → scope of the target → handle → reply. */
export function createEndpoint(door: Door, route: Route): Endpoint {
  if (route.public !== true && route.anyKey !== true && route.scope === undefined)
    throw new Error(`${route.method} ${route.path}: a route that is not public must name its scope`);
  const { site } = door;
  const parser = createParser(route);
  const tally = site.tallies.of(route.path, route.method);
  return async (ctx) => {
    const { res } = ctx;
    const { request, path } = ctx.state;
    request.isPage = route.produces === 'text/html';
    try {
      const answer = site.encode(route, ctx.req, await serve(door, route, parser, ctx));
      finish(site, request, res, answer instanceof Promise ? await answer : answer, tally);
    } catch (error) {
      // A caller above its rate limit would repeat the refused request immediately and slow down other callers.
      const turn = error instanceof PlatformError && error.code === 'rate_limited' ? request.refused() : undefined;
      if (turn !== undefined) await turn;
      const page = fail(site, request, res, error, tally, presenterOf(route, path));
      if (page !== undefined) await page;
    } finally {
      site.traffic.left();
      if (request.counted !== undefined) uncount(site, request.counted, res);
    }
  };
}

async function serve(door: Door, route: Route, parser: Parser, ctx: Context): Promise<Answer> {
  const { site } = door;
  const { req, state } = ctx;
  const { request: call, path } = state;
  if (site.drain.signal.aborted && route.unlimited !== true)
    throw new PlatformError('draining', 'the service is shutting down; call another instance, or call again later', {
      retry_after: 1,
    });
  const headers = route.public === true ? await admit(site, route, call) : undefined;
  if (route.keyHeaders !== undefined) takeKey(req, route.keyHeaders);
  if (route.public !== true || (route.optionalKey === true && presents(door, route, ctx))) {
    const principal = (call.principal = await authenticate(door, call, req, route));
    site.connections.carry(req, principal.id);
    site.callers.enter(principal.id);
    call.counted = principal.id;
    if (route.live === true) requireLive(principal, 'this change would affect live runs');
    // Do not read the body of a caller that lacks the permission.
    checkPart(route, principal);
    if (route.keyAgain === true) requireKey(call);
  }
  call.params = parser.params(path.names, path.values);
  if (route.raw !== true) call.query = parser.query(call.rawQuery);
  const read = parser.body && readBody(site, route, ctx, parser.body);
  if (read !== undefined) {
    await read;
    // A client can hold a body back for a minute. A key that was revoked or has expired by then must not act.
    if (call.principal !== undefined) call.principal = (await call.callerNow()) ?? (await call.refuseEnded());
  }
  if (call.principal !== undefined) checkScope(route, typed(call), call.principal);
  const value = await (call.large === undefined ? route.handle(typed(call)) : route.handleLarge?.(call.large));
  let answer = toAnswer(route, value, call.sections);
  // A cache must not give a program the page, or a person the data.
  if (isPublicData(route, answer)) {
    if (asksForPage(call)) answer = await forPerson(site, route, call, answer);
    if (answer.headers?.['Cache-Control'] !== undefined) answer = { ...answer, headers: varied(answer, 'Accept') };
  }
  const body = isReply(value) ? value.body : value;
  call.run_id ??= runIdOf(body);
  site.options.checkResponse?.(route, answer.status, body);
  if (headers === undefined && call.added === undefined) return answer;
  return { ...answer, headers: { ...headers, ...call.added, ...answer.headers } };
}

type Context = Parameters<Endpoint>[0];
type Parser = ReturnType<typeof createParser>;

// A stream is under way until it closes.
function uncount({ callers }: Site, id: string, res: ServerResponse): void {
  if (res.writableEnded || res.closed || res.destroyed) callers.leave(id);
  else res.once('close', () => callers.leave(id));
}

function presents(door: Door, route: Route, { req }: Context): boolean {
  return req.headers.authorization !== undefined || sessionTokenOf(door, req, route) !== undefined;
}

async function admit(
  { bucketOf }: Site,
  route: Route,
  call: RequestCall,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (route.unlimited === true) return undefined;
  const taken = await bucketOf(route).take(call.client_ip);
  if (!taken.allowed) throw rateLimited('too many requests from this address; wait as Retry-After says', taken);
  return taken.headers;
}

/** Makes the answer to a problem. */
type Presenter = (problem: Problem, call: RequestCall) => Answer;

// Only for a route that answers its problems in a way of its own.
function presenterOf(route: Route, path: PathValues): Presenter | undefined {
  const { challenge, problemForm } = route;
  if (challenge === undefined && problemForm === undefined) return undefined;
  const named = path.names.map((name, at) => [name, path.values[at] ?? ''] as const);
  return (problem, { body, headers }) => {
    const told = challenge === undefined ? problem : challenged(problem, route, challenge(Object.fromEntries(named)));
    return problemForm === undefined
      ? problemAnswer(told)
      : toAnswer(route, problemForm.present(told, { body, headers }));
  };
}

function challenged(problem: Problem, { scope }: Route, parameter: string): Problem {
  const before = problem.headers['WWW-Authenticate'];
  if (before === undefined) return problem;
  const named = before.includes('scope=') || scope === undefined ? '' : `, scope="${[scope].flat().join(' ')}"`;
  const value = `${before}${before === 'Bearer' ? ' ' : ', '}${parameter}${named}`;
  return { ...problem, headers: { ...problem.headers, 'WWW-Authenticate': value } };
}

function typed(call: RequestCall): Call<never, never, never, never> {
  // True by construction: the values passed the schemas of this route, and the principal is absent on public routes
  // only.
  return call as unknown as Call<never, never, never, never>;
}

function runIdOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('run_id' in body)) return undefined;
  return typeof body.run_id === 'string' ? body.run_id : undefined;
}

/** Writes an answer, counts it and logs it. Throws when its headers are not valid. */
export function finish(site: Site, call: RequestCall, res: ServerResponse, answer: Answer, tally: Tally): void {
  write(res, answer, call, { close: site.drain.signal.aborted });
  const { clock, log } = site.options;
  const ms = clock.monotonic() - call.begun;
  tally.count(answer.status, ms / 1000);
  const { method, request_id, principal } = call;
  const answered = (): void =>
    log.answered({
      method,
      route: tally.route,
      status: answer.status,
      ms: Math.round((clock.monotonic() - call.begun) * 10) / 10,
      request_id,
      principal: principal?.id,
      run_id: call.run_id,
      tenant: principal?.tenant,
    });
  // The subject of a stream is known at its end.
  if (answer.stream === undefined || res.closed) answered();
  else res.once('close', answered);
}

/**
 * Answers a failure as `present` makes it, as a page for a browser, or as problem+json; only here a defect, or a failure
 * with a cause, is logged.
 */
export function fail(
  site: Site,
  call: RequestCall,
  res: ServerResponse,
  error: unknown,
  tally: Tally,
  present?: Presenter,
): Promise<void> | undefined {
  const { log, problems } = site.options;
  const problem = toProblem(error, site.options, call.request_id);
  const { request_id } = call;
  const declared = declaredType(error, problems);
  if (!(error instanceof PlatformError)) log.error({ err: error, request_id }, 'a request failed unexpectedly');
  else if (declared === undefined)
    log.error({ err: error, request_id, code: error.code }, 'a request failed with a problem that no plugin declares');
  else if (declared.status >= 500 && error.cause !== undefined)
    log.warn({ err: error, request_id, code: error.code }, 'a request failed');
  call.run_id ??= runIdOf(problem.body);
  if (present !== undefined || !asksForPage(call))
    return void finish(site, call, res, encodeNow(res.req, (present ?? problemAnswer)(problem, call)), tally);
  const page = pageOf(site, call, { kind: 'failure', problem, type: declared ?? kernelProblems.internal });
  return page.then((answer) => finish(site, call, res, encodeNow(res.req, answer ?? problemAnswer(problem)), tally));
}

// A longer answer is not shown as a page: formatting it would block the main thread.
const mostShown = 64 * 1024;

function isPublicData(route: Route, { body, status, type }: Answer): boolean {
  if (route.public !== true || route.method !== 'GET' || type !== 'application/json' || status !== 200) return false;
  return typeof body === 'string' && body.length <= mostShown;
}

/** Shows what is public as a page to a person who opens its address; links of pages lead to such answers. */
async function forPerson(site: Site, { path, summary }: Route, call: RequestCall, answer: Answer): Promise<Answer> {
  const address = site.options.publicUrl + call.target;
  const page = await pageOf(site, call, { kind: 'data', summary, path, address, text: String(answer.body) });
  if (page === undefined) return answer;
  // A tag names the data, not the page around it.
  const { ETag: _, ...kept }: Readonly<Record<string, string>> = answer.headers ?? {};
  return { ...page, headers: { ...kept, ...page.headers } };
}

// A person in a browser reads a page; a request that changes data comes from a program and gets a response for
// programs, unless it is the form of a page.
function asksForPage({ isPage, method, headers: { accept } }: RequestCall): boolean {
  return (isPage || method === 'GET' || method === 'HEAD') && typeof accept === 'string' && prefersPage(accept);
}

/** Asks for a page; undefined: nothing shows one. */
async function pageOf({ options }: Site, call: RequestCall, what: Presentation): Promise<Answer | undefined> {
  try {
    const page = await options.hooks.present(what);
    if (page === undefined) return undefined;
    if (!isReply(page)) throw new TypeError('the answer of the hook `present` must be made by `reply`');
    const { headers = {}, status = 200 }: Partial<Problem> = what.kind === 'failure' ? what.problem : {};
    const shown = toAnswer({ method: 'GET', path: call.target, status }, page, call.sections);
    return { ...shown, headers: { ...headers, ...shown.headers } };
  } catch (err) {
    options.log.error({ err, request_id: call.request_id }, 'a page could not be made; the answer is JSON');
    return undefined;
  }
}
