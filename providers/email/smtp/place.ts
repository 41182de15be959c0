import { isIP } from 'node:net';
import { failureCode, privateHost } from '../../vendor/connection/remedy.ts';
import { isPublicAddress, systemResolve, type AllowList } from '../../../kernel/outbound.ts';

/** Says which hosts may have a private address. */
export type AddressRule = Pick<AllowList, 'exempt'>;

/**
 * Resolves the server for one session, and answers the address to connect to: the one that was checked. Empty without a
 * rule, or where it exempts the host. Throws ProviderError `provider_fault` for a private address.
 */
export async function checkedHost(
  { host, port }: { readonly host: string; readonly port: number },
  rule: AddressRule | undefined,
): Promise<{ readonly host?: string; readonly servername?: string }> {
  const named = host.includes(':') ? `[${host}]` : host;
  if (rule === undefined || rule.exempt({ scheme: 'https', host: named.toLowerCase(), port })) return {};
  const isAddress = isIP(host) !== 0;
  const found = isAddress ? [{ address: host }] : await systemResolve(host).catch(unresolved);
  const [first] = found;
  // One private address refuses the name, or an attacker's mixed answer would succeed by chance.
  if (first === undefined || !found.every(({ address }) => isPublicAddress(address))) throw privateHost();
  return isAddress ? {} : { host: first.address, servername: host };
}

function unresolved(error: unknown): never {
  throw Object.assign(new Error('the look-up failed'), { code: 'EDNS', originalCode: failureCode(error) });
}
