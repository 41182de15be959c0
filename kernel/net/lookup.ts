import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './address.ts';

/** One address of a name. */
export interface Resolved {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name; rejects with the system's code (ENOTFOUND, EAI_AGAIN). */
export type Resolve = (hostname: string) => Promise<readonly Resolved[]>;

/** Reports that a name has an address that the guard refuses; does not contain the address. */
export class BlockedAddress extends Error {
  constructor() {
    super('the name has an address that is not global unicast');
    this.name = 'BlockedAddress';
  }
}

/** Resolves with the system: hosts file, then DNS. */
export const systemResolve: Resolve = async (hostname) => lookup(hostname, { all: true });

/**
 * Makes a socket's look-up function. It resolves once and connects to the checked addresses, so that a later DNS answer
 * has no effect. One refused address refuses the name: otherwise an attacker's mixed answer would succeed by chance.
 */
export function guardedLookup(
  resolve: Resolve,
  accepts: (address: string) => boolean = isPublicAddress,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
        else if (!found.every(({ address }) => accepts(address))) callback(new BlockedAddress(), '');
        else if (options.all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('the look-up failed'), ''),
    );
  };
}
