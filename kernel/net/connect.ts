import type { LookupFunction, Socket } from 'node:net';
import { isPublicAddress } from './address.ts';
import type { AllowList } from './allow.ts';
import { withoutContinue } from './interim.ts';
import { BlockedAddress, guardedLookup, type Resolve } from './lookup.ts';
import { defaultPort, literalAddress } from './target.ts';

/** Destination of a connection; `protocol` includes the colon, an empty `port` means the scheme's default. */
export interface Endpoint {
  readonly hostname: string;
  readonly protocol: string;
  readonly port: string;
}

/** Opens one connection and passes the socket or the error to the callback. */
export type Connect<E extends Endpoint> = (
  endpoint: E,
  callback: (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void;

/**
 * Makes the only function that opens connections; it connects to an address that was checked in the same step. `make`
 * makes a connector from a look-up function. `resolveExempt` resolves the names of exempt hosts.
 */
export function guardedConnect<E extends Endpoint>(
  allow: Pick<AllowList, 'exempt'>,
  resolve: Resolve,
  make: (lookup: LookupFunction) => Connect<E>,
  resolveExempt = resolve,
): Connect<E> {
  const guarded = make(guardedLookup(resolve));
  const exempted = make(guardedLookup(resolveExempt, () => true));
  return (endpoint, answer) => {
    const callback: typeof answer = (...result) =>
      result[0] === null ? answer(null, withoutContinue(result[1])) : answer(...result);
    const scheme = endpoint.protocol === 'https:' ? 'https' : 'http';
    const port = endpoint.port === '' ? defaultPort(scheme) : Number(endpoint.port);
    const address = literalAddress(endpoint.hostname);
    const host = address?.includes(':') === true ? `[${address}]` : endpoint.hostname;
    if (allow.exempt({ scheme, host, port })) return exempted(endpoint, callback);
    // Sockets call the look-up only for names, so a literal address is checked here.
    if (address !== undefined && !isPublicAddress(address))
      return queueMicrotask(() => callback(new BlockedAddress(), null));
    return guarded(endpoint, callback);
  };
}
