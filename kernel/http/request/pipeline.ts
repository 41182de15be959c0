import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireLive, type Principal } from '../../access.ts';
import { PlatformError, problems as kernelProblems } from '../../error.ts';
import { problemAnswer, toAnswer, write, type Answer } from '../route/answer.ts';
import { authenticate, checkPart, checkScope, requireKey, sessionTokenOf } from '../caller/caller.ts';
import { readInto, type Reading } from './read-into.ts';
import { encodeNow } from '../route/coding.ts';
import { queryText, type PathValues, type RequestCall } from './call.ts';
import { asksForPage as prefersPage } from '../route/prefers.ts';
import type { Presentation } from '../route/presentation.ts';
import { rateLimited } from '../connection/limits.ts';
import type { CookieScope } from '../caller/session-cookie.ts';
import { createParser } from '../route/parameters.ts';
import { declaredType, toProblem, type Problem } from '../route/problem.ts';
import { isReply, type Call, type Route } from '../route/route.ts';
import type { Endpoint } from './router.ts';
import type { Site } from './site.ts';
import type { Tally } from '../connection/tally.ts';

/** What is known of the address of an endpoint. */
export interface EndpointPlace {
  /** Keys may be sent there. */
  readonly secure: boolean;
  readonly cookies: CookieScope;
}

/** Makes the endpoint of a route: authenticate → part of the scope → read and parse → scope of the target → handle → reply. */
export function createEndpoint(site: Site, route: Route, place: EndpointPlace): Endpoint {
  if (route.public !== true && route.anyKey !== true && route.scope === undefined) {
    throw new Error(`${route.method} ${route.path}: a route that is not public must name its scope`);
  }
  const parser = createParser(route);
  const reading = parser.body === undefined ? undefined : { site, route, parse: parser.body };
  const steps = { site, route, ...place, parser, reading };
  const tally = site.tallies.of(route.path, route.method);
  return async (ctx) => {
    const { res, state } = ctx;
    const { request, path } = state;
    request.isPage = route.produces === 'text/html';
    try {
      const answer = site.encode(route, ctx.req, await serve(steps, request, ctx, path));
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

interface Steps extends EndpointPlace {
  readonly site: Site;
  readonly route: Route;
  readonly parser: ReturnType<typeof createParser>;
  /** Absent when the route reads no body. */
  readonly reading: Reading | undefined;
}

async function serve(steps: Steps, call: RequestCall, ctx: Context, path: PathValues): Promise<Answer> {
  const { req } = ctx;
  const { site, route, parser } = steps;
  if (site.draining && route.unlimited !== true) throw draining();
  const headers = route.public === true ? await admit(site, route, call) : undefined;
  const known = route.optionalKey === true && presents(steps, req);
  if (route.public !== true || known) {
    call.principal = await authenticate(site, call, req, steps);
    if (call.principal !== undefined) site.connections.carry(req, call.principal.id);
    count(site, call, call.principal);
  }
  if (route.live === true && call.principal !== undefined)
    requireLive(call.principal, 'this change would affect live runs');
  // Do not read the body of a caller that lacks the permission.
  if (call.principal !== undefined) checkPart(route, call.principal);
  if (route.keyAgain === true) requireKey(call);
  call.params = parser.params(path.names, path.values);
  if (route.raw !== true) call.query = parser.query(queryText(req.url ?? ''));
  const read = steps.reading === undefined ? undefined : readInto(call, ctx, steps.reading);
  if (read !== undefined) await withBody(read, call);
  if (call.principal !== undefined) checkScope(route, typed(call), call.principal);
  const value = await (call.large === undefined ? route.handle(typed(call)) : route.handleLarge?.(call.large));
  let answer = toAnswer(route, value, call.sections);
  if (isPublicData(route, answer))
    answer = varied(asksForPage(call) ? await forPerson(site, route, call, answer) : answer);
  const body = isReply(value) ? value.body : value;
  call.run_id ??= runIdOf(body);
  site.options.checkResponse?.(route, answer.status, body);
  if (headers === undefined && call.added === undefined) return answer;
  return { ...answer, headers: { ...headers, ...call.added, ...answer.headers } };
}

type Context = Parameters<Endpoint>[0];

// Throws 429 when the principal has too many requests under way: it would take the connections of all others.
function count({ callers }: Site, call: RequestCall, { id }: Principal): void {
  if (!callers.enter(id))
    throw new PlatformError('rate_limited', 'this caller has too many open requests; wait for their answers', {
      retry_after: 1,
    });
  call.counted = id;
}

// A stream is under way until it closes.
function uncount({ callers }: Site, id: string, res: ServerResponse): void {
  if (res.writableEnded || res.closed || res.destroyed) callers.leave(id);
  else res.once('close', () => callers.leave(id));
}

// A client can hold a body back for a minute. A key that was revoked or has expired by then must not act.
async function withBody(reading: Promise<void>, call: RequestCall): Promise<void> {
  await reading;
  if (call.principal !== undefined) call.principal = (await call.callerNow()) ?? (await call.refuseEnded());
}

function presents(steps: Steps, req: IncomingMessage): boolean {
  return req.headers.authorization !== undefined || sessionTokenOf(steps.site, req, steps) !== undefined;
}

function draining(): PlatformError {
  return new PlatformError('draining', 'the service is shutting down; call another instance, or call again later', {
    retry_after: 1,
  });
}

async function admit(
  site: Site,
  route: Route,
  call: RequestCall,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (route.unlimited === true) return undefined;
  const taken = await site.bucketOf(route).take(call.client_ip);
  if (!taken.allowed) throw rateLimited('too many requests from this address; wait as Retry-After says', taken);
  return taken.headers;
}

/** Makes the answer to a problem. */
type Presenter = (problem: Problem, call: RequestCall) => Answer;

// Only for a route that answers its problems in a way of its own.
function presenterOf(route: Route, path: PathValues): Presenter | undefined {
  const { challenge, problemForm } = route;
  if (challenge === undefined && problemForm === undefined) return undefined;
  return (problem, { body, headers }) => {
    const told = challenge === undefined ? problem : challenged(problem, route, challenge(namedValues(path)));
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

function namedValues({ names, values }: PathValues): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
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
  write(res, answer, call, { close: site.draining });
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

// A cache must not give a program the page, or a person the data.
function varied(answer: Answer): Answer {
  if (answer.headers?.['Cache-Control'] === undefined) return answer;
  const { Vary: before, ...headers }: Readonly<Record<string, string>> = answer.headers;
  return { ...answer, headers: { ...headers, Vary: before === undefined ? 'Accept' : `${before}, Accept` } };
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
