import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isForwardedSecurely, type RefusalScope } from './refusal.ts';

/** What is known of the address that a request came to. */
export interface CookieScope {
  /** The address takes session cookies: it is `whole`. */
  readonly whole: boolean;
  readonly loopback: boolean;
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
export function cookieName(
  site: Pick<RefusalScope, 'proxies'>,
  req: IncomingMessage,
  { whole, loopback }: CookieScope,
): string | undefined {
  if (!whole) return undefined;
  if ('encrypted' in req.socket || isForwardedSecurely(site, req)) return '__Host-orb_console';
  return loopback ? 'orb_console' : undefined;
}

const value = /^[A-Za-z0-9_-]{1,128}$/;

/** Reads a cookie; undefined when it is absent, malformed or there twice: then one may be of somebody else. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token = ''] = found;
  return found.length === 1 && value.test(token) ? token : undefined;
}

/** Writes Set-Cookie for a session; undefined ends it. The browser drops the cookie when it closes. */
export function writeCookie(name: string, token: string | undefined): string {
  const parts = [`${name}=${token ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (name.startsWith('__Host-')) parts.push('Secure');
  if (token === undefined) parts.push('Max-Age=0');
  return parts.join('; ');
}
