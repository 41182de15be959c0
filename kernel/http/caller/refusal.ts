import type { IncomingMessage } from 'node:http';
import { PlatformError } from '../../error.ts';
import { rateLimited } from '../server/limits.ts';
import type { Bucket } from '../server/limits.ts';
import type { Proxies } from '../server/address.ts';

/** The parts of a site that refusals need. */
export interface RefusalScope {
  readonly failedBucket: Pick<Bucket, 'take'>;
  readonly proxies: Pick<Proxies, 'forwardedSecurely'>;
  readonly options: { readonly insecureHttp: boolean };
}

/**
 * Counts a failed authentication of an address: throws 401 `unauthenticated`, or 429 when it has failed too often.
 * `presented`: the caller sent a key, so the answer names the error (RFC 6750 §3.1).
 */
export async function refuseCaller(
  { failedBucket }: RefusalScope,
  address: string,
  { presented = false }: { readonly presented?: boolean } = {},
): Promise<never> {
  const taken = await failedBucket.take(address);
  if (!taken.allowed) {
    throw rateLimited('too many requests without a valid key from this address; wait, then send a valid one', taken);
  }
  throw new PlatformError('unauthenticated', 'send a valid API key as Authorization: Bearer <key>', {
    headers: { 'WWW-Authenticate': presented ? 'Bearer error="invalid_token"' : 'Bearer' },
  });
}

/** Throws 403 `tls_required` for a request by plain HTTP, unless the operator allows keys there. */
export function refusePlain(site: RefusalScope, req: IncomingMessage): void {
  if (site.options.insecureHttp || isForwardedSecurely(site, req)) return;
  throw new PlatformError(
    'tls_required',
    'the key was sent over plain HTTP and may have been read: replace it, and call by https (operators: set tls, or ' +
      'trust_proxy for a TLS proxy, or insecure_http)',
  );
}

/** Says whether a trusted proxy took the request by TLS. */
export function isForwardedSecurely({ proxies }: Pick<RefusalScope, 'proxies'>, req: IncomingMessage): boolean {
  const proto = req.headers['x-forwarded-proto'];
  return proxies.forwardedSecurely(req.socket.remoteAddress ?? '', typeof proto === 'string' ? proto : undefined);
}
