import type { IncomingMessage } from 'node:http';
import type { Principal, MaybePromise } from '../access.ts';
import { PlatformError } from '../error.ts';
import { tokenOf } from './bearer.ts';
import type { RequestCall } from './call.ts';
import { rateLimited } from './server/limits.ts';
import type { Site } from './server/site.ts';

/**
 * Finds the principal of a request. Throws 403 `tls_required`; 401 `unauthenticated`, the same answer whether the key
 * is missing, malformed or unknown; or 429 when the address has failed too often.
 */
export function authenticate(
  site: Site,
  call: RequestCall,
  req: IncomingMessage,
  { secure }: { secure: boolean },
): MaybePromise<Principal> {
  const header = req.headers.authorization;
  if (header === undefined) return refuse(site, call);
  if (!secure) refusePlain(site, req);
  const token = tokenOf(header);
  const principal = token === undefined ? undefined : site.options.hooks.authenticate({ token });
  if (principal instanceof Promise) return principal.then((found) => found ?? refuse(site, call));
  return principal ?? refuse(site, call);
}

function refusePlain(site: Site, req: IncomingMessage): void {
  if (site.options.insecureHttp) return;
  const proto = req.headers['x-forwarded-proto'];
  if (site.proxies.forwardedSecurely(req.socket.remoteAddress ?? '', typeof proto === 'string' ? proto : undefined))
    return;
  throw new PlatformError(
    'tls_required',
    'the key was sent over plain HTTP and may have been read: replace it, and call by https (operators: set tls, or ' +
      'trust_proxy for a TLS proxy, or insecure_http)',
  );
}

async function refuse(site: Site, { client_ip }: RequestCall): Promise<never> {
  const taken = await site.failedBucket.take(client_ip);
  if (!taken.allowed) {
    throw rateLimited('too many requests without a valid key from this address; wait, then send a valid one', taken);
  }
  throw new PlatformError('unauthenticated', 'send a valid API key as Authorization: Bearer <key>', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
