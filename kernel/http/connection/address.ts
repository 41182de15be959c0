import { BlockList, isIP } from 'node:net';
import { ConfigError } from '../../error.ts';

/** The trusted proxies in front of this program. */
export type Proxies = ReturnType<typeof createProxies>;

/**
 * Makes the list of trusted proxies, which reads what their headers say of the caller, from CIDRs or single addresses.
 * Throws a ConfigError naming each faulty one.
 */
export function createProxies(cidrs: readonly string[]) {
  const trusted = blockList(cidrs);
  const trusts = (address: string): boolean =>
    cidrs.length > 0 && isIP(address) !== 0 && trusted.check(address, family(address));
  return {
    /** The caller's address: X-Forwarded-For is walked from the right while the address before it is trusted. */
    clientAddress(peer: string, forwardedFor?: string): string {
      const nearest = plainAddress(peer);
      if (forwardedFor === undefined || !trusts(nearest)) return nearest;
      return walk(nearest, forwardedFor, trusts);
    },
    /** Says whether a peer is one of the proxies. */
    isTrusted: (peer: string): boolean => trusts(plainAddress(peer)),
    /** Says whether a trusted peer received the request over HTTPS on every hop it names. */
    forwardedSecurely(peer: string, forwardedProto?: string): boolean {
      if (forwardedProto === undefined || !trusts(plainAddress(peer))) return false;
      return forwardedProto.split(',').every((proto) => proto.trim().toLowerCase() === 'https');
    },
  };
}

function walk(nearest: string, forwardedFor: string, trusts: (address: string) => boolean): string {
  let client = nearest;
  for (const hop of forwardedFor.split(',').reverse()) {
    if (!trusts(client)) return client;
    const address = hopAddress(hop.trim());
    // A hop that is not an address ends the chain: entries to its left are not trusted.
    if (isIP(address) === 0) return client;
    client = address;
  }
  return client;
}

// Some proxies append the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
function hopAddress(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1];
  const port = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1];
  return plainAddress(bracketed ?? port ?? hop);
}

// Writes an IPv4 address that came in IPv6 form (`::ffff:192.0.2.1`) in IPv4 form.
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  const faults = cidrs.flatMap((cidr, index) => {
    const [address = '', bits, ...rest] = cidr.split('/');
    const widest = isIP(address) === 6 ? 128 : 32;
    const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(address) === 0 || rest.length > 0 || prefix < 0 || prefix > widest) {
      return [`trust_proxy/${index}: must be a CIDR such as 10.0.0.0/8, not ${JSON.stringify(cidr)}`];
    }
    list.addSubnet(address, prefix, family(address));
    return [];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return list;
}

/** Says whether a host is reachable from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The unit of rate limits: an IPv4 address, or the /64 that one IPv6 subscriber holds. */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':');
}
