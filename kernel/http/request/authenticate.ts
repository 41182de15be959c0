import type { IncomingMessage } from 'node:http';
import type { Principal, MaybePromise } from '../../access.ts';
import { absenceFault, headerFault, tokenOf } from '../caller/bearer.ts';
import type { RequestCall } from './call.ts';
import { refuseCaller, refusePlain, type RefusalScope } from '../caller/refusal.ts';
import type { Route } from '../route/route.ts';
import type { Site } from './site.ts';
import { cookieName, isFromOwnPage, readCookie, type CookieScope } from '../caller/session-cookie.ts';

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
  site: Site,
  call: RequestCall,
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
export function refuseHeader(
  site: RefusalScope,
  { client_ip }: Pick<RequestCall, 'client_ip'>,
  header: string,
): Promise<never> {
  const token = tokenOf(header);
  const refused = token === undefined ? { fault: headerFault(header) } : { credential: { token } };
  return refuseCaller(site, client_ip, { ...refused, presented: true });
}

/** Finds the token of a session in a request without a key; undefined: its cookie is absent or does not count. */
export function sessionTokenOf(
  site: Site,
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
  site: Site,
  call: RequestCall,
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
