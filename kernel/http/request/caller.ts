import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { holdsPart, requireAnyScope, type Credential, type MaybePromise, type Principal } from '../../access.ts';
import { PlatformError, renewError } from '../../error.ts';
import { rateLimited } from '../connection/limits.ts';
import type { Call, RequestInfo, Route } from '../route/route.ts';
import type { Door, Site } from './site.ts';

type Asking = Pick<RequestInfo, 'client_ip'> & { sessionToken: string | undefined };

/**
 * Finds the principal of a request. Throws 403 `tls_required`; 401 `unauthenticated` with what is wrong with what came;
 * or 429 when the address has failed too often.
 */
export function authenticate(door: Door, call: Asking, req: IncomingMessage, route: Route): MaybePromise<Principal> {
  const { site } = door;
  const header = req.headers.authorization;
  if (header === undefined) return ofSession(door, call, req, route);
  if (!door.secure) refusePlain(site, req);
  const token = tokenOf(header);
  const principal = token === undefined ? undefined : site.options.hooks.authenticate({ token });
  if (principal instanceof Promise) return principal.then((found) => found ?? refuseHeader(site, call, header));
  return principal ?? refuseHeader(site, call, header);
}

/** Takes a key that came in a header of another protocol as the one of `Authorization`. */
export function takeKey({ headers }: IncomingMessage, names: readonly string[]): void {
  const key = names.map((name) => headers[name]).find((value) => value !== undefined);
  if (key !== undefined) headers.authorization ??= `Bearer ${key.toString()}`;
}

// RFC 6750 §3.1: the answer names the error of a key that was sent.
function refuseHeader(site: Site, { client_ip }: Asking, header: string): Promise<never> {
  const token = tokenOf(header);
  const why = token === undefined ? headerFault(header) : { token };
  return refuseCaller(site, client_ip, why, 'Bearer error="invalid_token"');
}

async function ofSession(door: Door, call: Asking, req: IncomingMessage, route: Route): Promise<Principal> {
  const { site } = door;
  const token = sessionTokenOf(door, req, route);
  if (token === undefined) return refuseCaller(site, call.client_ip, absenceFault(req.headers));
  const credential = { token, cookie: true } as const;
  const found = await site.options.hooks.authenticate(credential);
  if (found === undefined) return refuseCaller(site, call.client_ip, credential);
  call.sessionToken = token;
  return found;
}

/** Finds the token of a session in a request without a key; undefined: its cookie is absent or does not count. */
export function sessionTokenOf(door: Door, req: IncomingMessage, { eventSource }: Route): string | undefined {
  const { cookie } = req.headers;
  if (cookie === undefined || !isFromOwnPage(req.headers, { eventSource: eventSource === true })) return undefined;
  const name = cookieName(door, req);
  return name === undefined ? undefined : readCookie(cookie, name);
}

/**
 * Counts a failed authentication of an address: throws 401 `unauthenticated` with what is wrong, or 429 when it has
 * failed too often. `why`: what the request itself shows, or the credential for the plugins that authenticate to explain,
 * after the count, so that guesses cost no more than it allows.
 */
export async function refuseCaller(
  { failedBucket, options: { hooks } }: Site,
  address: string,
  why: string | Credential | undefined,
  challenge = 'Bearer',
): Promise<never> {
  const taken = await failedBucket.take(address);
  if (!taken.allowed)
    throw rateLimited('too many requests from this address had no valid key; wait, then send a valid key', taken);
  // The request is refused whether or not the reason can be read just now.
  const told = typeof why === 'object' ? await hooks.explainCredential(why).catch(() => undefined) : why;
  throw new PlatformError(
    'unauthenticated',
    told ?? 'this server does not accept the key; send a valid one as Authorization: Bearer <key>',
    { headers: { 'WWW-Authenticate': challenge } },
  );
}

/** Throws 403 `tls_required` for a request by plain HTTP, unless the operator allows keys there. */
export function refusePlain(site: Site, req: IncomingMessage): void {
  if (site.options.insecureHttp || isForwardedSecurely(site, req)) return;
  throw new PlatformError(
    'tls_required',
    'the key was sent over plain HTTP and may have been read: replace it, and use https (operators: set tls, or ' +
      'trust_proxy for a TLS proxy, or insecure_http)',
  );
}

function isForwardedSecurely({ proxies }: Site, { headers, socket }: IncomingMessage): boolean {
  return proxies.forwardedSecurely(socket.remoteAddress ?? '', headers['x-forwarded-proto']?.toString());
}

// RFC 6750 §2.1; the length limit keeps a caller from having long texts hashed.
const longest = 512;
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i;

/** Reads the token of a header Authorization; undefined: it has none that could be one. */
export function tokenOf(header: string): string | undefined {
  return bearer.exec(header)?.[1];
}

const send = 'send Authorization: Bearer <key>';
const schemes: readonly string[] = ['Basic', 'Digest', 'Negotiate', 'NTLM', 'DPoP', 'Token', 'ApiKey'];

/** Says what is wrong with a header Authorization without a token. The text never repeats the header: it may be a key. */
function headerFault(header: string): string {
  const [first = '', ...rest] = header.trim().split(/\s+/);
  if (first.toLowerCase() === 'bearer') return `${tokenFault(rest.join(' '))}; ${send}`;
  if (/^orb_(?:live|test)_/.test(first))
    return `the header Authorization has a key without "Bearer " before it; ${send}`;
  const scheme = schemes.find((one) => one.toLowerCase() === first.toLowerCase());
  if (scheme === undefined) return `the header Authorization does not begin with "Bearer "; ${send}`;
  return `the header Authorization uses the scheme ${scheme}, but this server accepts only Bearer; ${send}`;
}

function tokenFault(text: string): string {
  if (text === '') return 'the header Authorization has no key after "Bearer"';
  if (text.length > longest) return 'the text after "Bearer" is longer than any key';
  return 'the text after "Bearer" contains quotes, spaces or other characters that are never part of a key';
}

/** Says that a request came without a key, and which header it came in when that is not read. */
function absenceFault(headers: IncomingHttpHeaders): string {
  const other = ['x-api-key', 'api-key', 'apikey'].find((name) => headers[name] !== undefined);
  if (other === undefined) return `the request has no API key; ${send}`;
  const name = other.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return `the request has no API key: the server does not read the header \`${name}\`; ${send}`;
}

/**
 * Refuses a caller that lacks the scope of a route, or of a narrowed scope each part: before its body is read. Throws 403
 * `insufficient_scope`.
 */
export function checkPart({ alsoNeeds, narrowed, scope, target }: Route, principal: Principal): void {
  if (scope === undefined) return;
  if ((narrowed === true || target !== undefined) && holdsAny(principal, scope)) return;
  try {
    requireAnyScope(principal, scope);
  } catch (error) {
    if (alsoNeeds === undefined || !(error instanceof PlatformError)) throw error;
    throw renewError(error.code, `${error.message}; it must also have ${alsoNeeds}`, error.extensions);
  }
}

/** Refuses a caller that lacks the scope for what its request names. Throws 403 `insufficient_scope`. */
export function checkScope(
  { narrowed, scope, target }: Route,
  call: Call<never, never, never, never>,
  principal: Principal,
): void {
  if (scope === undefined || (narrowed === true && holdsAny(principal, scope))) return;
  requireAnyScope(principal, scope, target?.(call));
}

function holdsAny({ scopes }: Principal, scope: string | readonly string[]): boolean {
  return typeof scope === 'string' ? holdsPart(scopes, scope) : scope.some((one) => holdsPart(scopes, one));
}

/** Throws 403 `key_required` when the caller is known by a session alone: what follows takes the key itself. */
export function requireKey({ sessionToken }: Pick<RequestInfo, 'sessionToken'>): void {
  if (sessionToken === undefined) return;
  throw new PlatformError(
    'key_required',
    'this action needs the key, not a session: send the same request with Authorization: Bearer <key>, without the cookie',
  );
}

/** Says whether a browser sent the request from a page of this very origin: by script, or, of an event source, at all. */
export function isFromOwnPage(headers: IncomingHttpHeaders, { eventSource }: { eventSource: boolean }): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin') return false;
  // Another site cannot add a header without a preflight, which nothing here grants.
  return eventSource || headers['orb-console'] !== undefined;
}

/**
 * Returns the name of the session cookie for a request: with the prefix that binds it to this host over TLS, without on
 * loopback over plain HTTP; undefined where no session may be.
 */
export function cookieName({ site, whole, loopback }: Door, req: IncomingMessage): string | undefined {
  if (!whole) return undefined;
  if ('encrypted' in req.socket || isForwardedSecurely(site, req)) return '__Host-orb_console';
  return loopback ? 'orb_console' : undefined;
}

// Undefined when the cookie is absent, malformed or there twice: then one may be of somebody else.
function readCookie(header: string, name: string): string | undefined {
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token = ''] = found;
  return found.length === 1 && /^[A-Za-z0-9_-]{1,128}$/.test(token) ? token : undefined;
}

/** Writes Set-Cookie for a session; undefined ends it. The browser drops the cookie when it closes. */
export function writeCookie(name: string, token: string | undefined): string {
  const parts = [`${name}=${token ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (name.startsWith('__Host-')) parts.push('Secure');
  if (token === undefined) parts.push('Max-Age=0');
  return parts.join('; ');
}
