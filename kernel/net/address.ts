import { BlockList, isIP } from 'node:net';

// IANA IPv4 special-purpose registry, multicast and other reserved ranges.
const closed4 = listOf(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);
// Exceptions inside the global block: protocol assignments with Teredo, documentation, 6to4, old 6bone, documentation.
const closed6 = listOf('ipv6', '2001::/23 2001:db8::/32 2002::/16 3ffe::/16 3fff::/20');
// Not global unicast is everything else: loopback, mapped/compatible/NAT64 IPv4, ULA, link-local, multicast.
const open6 = listOf('ipv6', '2000::/3');

/** Says whether a text is a global unicast IP address; false for any text that is no address. */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !closed4.check(address, 'ipv4');
  if (family === 6) return open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
  return false;
}

/** Says whether a host, written as in a URL, is this machine by definition. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

function listOf(family: 'ipv4' | 'ipv6', ranges: string): BlockList {
  const list = new BlockList();
  for (const [network = '', prefix] of ranges.split(' ').map((range) => range.split('/')))
    list.addSubnet(network, Number(prefix), family);
  return list;
}
