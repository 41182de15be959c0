import type { IncomingMessage } from 'node:http';
import { holdsPart, requireAnyScope, type MaybePromise, type Principal } from '../../access.ts';
import { PlatformError, renewError } from '../../error.ts';
import type { Hooks } from '../../hooks.ts';
import { refuseCaller, refusePlain, type RefusalScope } from './refusal.ts';
import type { Call, RequestInfo, Route } from '../route/route.ts';
import { cookieName, isFromOwnPage, readCookie, type CookieScope } from './session-cookie.ts';

/** The parts of a site that find callers. */
type CallerScope = RefusalScope & { readonly options: { readonly hooks: Pick<Hooks, 'authenticate'> } };

/** The request whose caller is looked for. */
type Asking = Pick<RequestInfo, 'client_ip'> & { sessionToken: RequestInfo['sessionToken'] };

/** What is known of the route and of the address that a request came to. */
export interface AuthenticateScope {
  readonly route: Pick<Route, 'eventSource'>;
  /** Keys may be sent to the address. */
  readonly secure: boolean;
  readonly cookies: CookieScope;
}

/**
 * Finds the principal of a request. Throws 403 `tls_required`; 401 `unauthenticated` with what is wrong with what came;
 * or 429 when the address has failed too often.
 */
export function authenticate(
  site: CallerScope,
  call: Asking,
  req: IncomingMessage,
  scope: AuthenticateScope,
): MaybePromise<Principal> {
  const header = req.headers.authorization;
  if (header === undefined) return ofSession(site, call, req, scope);
  if (!scope.secure) refusePlain(site, req);
  const token = tokenOf(header);
  const principal = token === undefined ? undefined : site.options.hooks.authenticate({ token });
  if (principal instanceof Promise) return principal.then((found) => found ?? refuseHeader(site, call, header));
  return principal ?? refuseHeader(site, call, header);
}

/** Refuses a caller for the header Authorization. Throws 401 or 429. */
function refuseHeader(site: RefusalScope, { client_ip }: Asking, header: string): Promise<never> {
  const token = tokenOf(header);
  const refused = token === undefined ? { fault: headerFault(header) } : { credential: { token } };
  return refuseCaller(site, client_ip, { ...refused, presented: true });
}

/** Finds the token of a session in a request without a key; undefined: its cookie is absent or does not count. */
export function sessionTokenOf(
  site: RefusalScope,
  req: IncomingMessage,
  { route, cookies }: Pick<AuthenticateScope, 'route' | 'cookies'>,
): string | undefined {
  const { cookie } = req.headers;
  if (cookie === undefined || !isFromOwnPage(req.headers, { eventSource: route.eventSource === true }))
    return undefined;
  const name = cookieName(site, req, cookies);
  return name === undefined ? undefined : readCookie(cookie, name);
}

async function ofSession(
  site: CallerScope,
  call: Asking,
  req: IncomingMessage,
  scope: AuthenticateScope,
): Promise<Principal> {
  const token = sessionTokenOf(site, req, scope);
  const found = token === undefined ? undefined : await site.options.hooks.authenticate({ token, cookie: true });
  if (found === undefined)
    return refuseCaller(
      site,
      call.client_ip,
      token === undefined ? { fault: absenceFault(req.headers) } : { credential: { token, cookie: true } },
    );
  call.sessionToken = token;
  return found;
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

/**
 * Says what is wrong with a header Authorization that has no token. The text never repeats the header, which may be a
 * key.
 */
function headerFault(header: string): string {
  const [first = '', ...rest] = header.trim().split(/\s+/);
  if (first.toLowerCase() === 'bearer') return `${tokenFault(rest)}; ${send}`;
  if (/^orb_(?:live|test)_/.test(first))
    return `the header Authorization has a key without "Bearer " before it; ${send}`;
  const scheme = schemes.find((one) => one.toLowerCase() === first.toLowerCase());
  if (scheme === undefined) return `the header Authorization does not begin with "Bearer "; ${send}`;
  return `the header Authorization uses the scheme ${scheme}, but this server accepts only Bearer; ${send}`;
}

function tokenFault(parts: readonly string[]): string {
  const text = parts.join(' ');
  if (text === '') return 'the header Authorization has no key after "Bearer"';
  if (text.length > longest) return 'the text after "Bearer" is longer than any key';
  return 'the text after "Bearer" contains quotes, spaces or other characters that are never part of a key';
}

/** Says that a request came without a key, and which header it came in when that is not read. */
function absenceFault(headers: Readonly<Record<string, unknown>>): string {
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
  const partly = narrowed === true || target !== undefined;
  if (partly && holdsAny(principal, scope)) return;
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
