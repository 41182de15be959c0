import type { LookupFunction, Socket } from 'node:net';
import { isPublicAddress } from './address.ts';
import type { AllowList } from './allow.ts';
import { BlockedAddress, guardedLookup, type Resolve } from './lookup.ts';
import { defaultPort, literalAddress } from './target.ts';

/** Where a connection is to lead; `protocol` with its colon, `port` empty for the scheme's own. */
export interface Endpoint {
  readonly hostname: string;
  readonly protocol: string;
  readonly port: string;
}

/** Opens one connection and says how it went. */
export type Connect<E extends Endpoint> = (
  endpoint: E,
  callback: (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void;

/**
 * Makes the one way to open a connection: to an address that was checked a moment before, in the same step. `make` makes
 * what opens sockets by a look-up.
 */
export function guardedConnect<E extends Endpoint>(
  allow: Pick<AllowList, 'exempt'>,
  resolve: Resolve,
  make: (lookup: LookupFunction) => Connect<E>,
): Connect<E> {
  const guarded = make(guardedLookup(resolve));
  const exempted = make(guardedLookup(resolve, () => true));
  return (endpoint, callback) => {
    const scheme = endpoint.protocol === 'https:' ? 'https' : 'http';
    const port = endpoint.port === '' ? defaultPort(scheme) : Number(endpoint.port);
    const address = literalAddress(endpoint.hostname);
    const host = address?.includes(':') === true ? `[${address}]` : endpoint.hostname;
    if (allow.exempt({ scheme, host, port })) return exempted(endpoint, callback);
    // Sockets look up names only.
    if (address !== undefined && !isPublicAddress(address))
      return queueMicrotask(() => callback(new BlockedAddress(), null));
    return guarded(endpoint, callback);
  };
}
