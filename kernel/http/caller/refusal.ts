import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import type { Hooks } from '../../hooks.ts';
import { rateLimited } from '../connection/limits.ts';
import type { Bucket } from '../connection/limits.ts';
import type { Proxies } from '../connection/address.ts';

/** The parts of a site that refusals need. */
export interface RefusalScope {
  readonly failedBucket: Pick<Bucket, 'take'>;
  readonly proxies: Pick<Proxies, 'forwardedSecurely'>;
  readonly options: { readonly insecureHttp: boolean; readonly hooks: Pick<Hooks, 'explainCredential'> };
}

/** The refused credential, so that the caller can learn what is wrong with it. */
export interface Refused {
  /** What is wrong, where the request itself shows it. */
  readonly fault?: string | undefined;
  /** What came, for the plugins that authenticate to explain. */
  readonly credential?: Credential | undefined;
  /** The caller sent a key, so the answer names the error (RFC 6750 §3.1). */
  readonly presented?: boolean;
}

/**
 * Counts a failed authentication of an address: throws 401 `unauthenticated` with what is wrong, or 429 when it has
 * failed too often. The reason is looked for after the count, so that guesses cost no more than it allows.
 */
export async function refuseCaller(
  { failedBucket, options: { hooks } }: RefusalScope,
  address: string,
  { fault, credential, presented = false }: Refused,
): Promise<never> {
  const taken = await failedBucket.take(address);
  if (!taken.allowed) {
    throw rateLimited('too many requests from this address had no valid key; wait, then send a valid key', taken);
  }
  throw new PlatformError('unauthenticated', fault ?? (await explained(hooks, credential)), {
    headers: { 'WWW-Authenticate': presented ? 'Bearer error="invalid_token"' : 'Bearer' },
  });
}

async function explained(hooks: RefusalScope['options']['hooks'], credential: Credential | undefined): Promise<string> {
  // The request is refused whether or not the reason can be read just now.
  const reason = credential && (await hooks.explainCredential(credential).catch(() => undefined));
  return reason ?? 'this server does not accept the key; send a valid one as Authorization: Bearer <key>';
}

/** Throws 403 `tls_required` for a request by plain HTTP, unless the operator allows keys there. */
export function refusePlain(site: RefusalScope, req: IncomingMessage): void {
  if (site.options.insecureHttp || isForwardedSecurely(site, req)) return;
  throw new PlatformError(
    'tls_required',
    'the key was sent over plain HTTP and may have been read: replace it, and use https (operators: set tls, or ' +
      'trust_proxy for a TLS proxy, or insecure_http)',
  );
}

/** Says whether a trusted proxy took the request by TLS. */
export function isForwardedSecurely({ proxies }: Pick<RefusalScope, 'proxies'>, req: IncomingMessage): boolean {
  const proto = req.headers['x-forwarded-proto'];
  return proxies.forwardedSecurely(req.socket.remoteAddress ?? '', typeof proto === 'string' ? proto : undefined);
}
