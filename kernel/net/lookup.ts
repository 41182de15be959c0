import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './address.ts';

interface Resolved {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name; rejects with the system's code (ENOTFOUND, EAI_AGAIN). */
export type Resolve = (hostname: string) => Promise<readonly Resolved[]>;

/** Reports that a name has an address that the guard refuses, without the address. */
export class BlockedAddress extends Error {
  constructor() {
    super('the name has an address that is not global unicast');
    this.name = 'BlockedAddress';
  }
}

/** Resolves with the system: hosts file, then DNS. */
export const systemResolve: Resolve = async (hostname) => lookup(hostname, { all: true });

/**
 * Resolves names that callers give, by DNS alone: look-ups of the system share two threads, which one slow DNS server
 * would hold up for all. `servers`: those of the system unless given.
 */
export async function resolvePublic(hostname: string, servers?: readonly string[]): Promise<readonly Resolved[]> {
  // RFC 6761 §6.3: whatever the DNS servers say of it.
  if (/(^|\.)localhost\.?$/i.test(hostname)) return [{ address: '127.0.0.1', family: 4 }];
  // A new one each time: the system's servers may have changed.
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  const [first] = answers;
  if (found.length === 0 && first.status === 'rejected') throw first.reason;
  return found;
}

/**
 * Makes a socket's look-up function: it connects only to the addresses it has checked, so that a later DNS answer has
 * no effect. One refused address refuses the name, or an attacker's mixed answer would succeed by chance.
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
