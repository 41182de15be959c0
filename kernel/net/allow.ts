import { ProviderError } from '../error.ts';
import { isLoopbackHost } from './address.ts';
import { defaultPort, literalAddress, type Target } from './target.ts';

/** One entry of the allow list in the configuration. */
export interface AllowEntry {
  /** A name, an address, or `*.name` for every name below it. */
  readonly host: string;
  /** The port of the URL; the scheme's own when absent. */
  readonly port?: number | undefined;
  readonly private?: boolean | undefined;
  readonly plain?: boolean | undefined;
  readonly methods?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The allow list with canonical hosts. */
export interface AllowList {
  /** Returns the entry that allows the request; an exact host precedes a wildcard. Throws ProviderError `rejected`. */
  admit(target: Target, method: string): AllowEntry;
  /** Says whether a host and port may have an address that is not global unicast. */
  exempt(target: Pick<Target, 'scheme' | 'host' | 'port'>): boolean;
}

/** Makes the allow list. Throws ProviderError `provider_fault` that names an entry with an invalid host. */
export function createAllowList(entries: readonly AllowEntry[]): AllowList {
  const rules = entries.map((entry, index) => ({ ...entry, host: canonicalHost(entry.host, index) }));
  // The sort is stable: among equal entries the first one in the file applies.
  rules.sort((a, b) => Number(isWildcard(a.host)) - Number(isWildcard(b.host)));
  const find = (target: Pick<Target, 'scheme' | 'host' | 'port'>): AllowEntry | undefined =>
    rules.find((rule) => matchesHost(rule.host, target.host) && matchesPort(rule, target));
  const exempt: AllowList['exempt'] = (target) => {
    const rule = find(target);
    return rule?.private === true && rule.host === target.host;
  };
  return {
    exempt,
    admit(target, method) {
      const rule = find(target);
      if (rule === undefined) throw refused('url names a host and port that are not on the allow list of the provider');
      if (rule.methods !== undefined && !rule.methods.includes(method))
        throw refused('method is not one of those the provider allows for this host');
      if (target.scheme === 'http' && !mayBePlain(rule)) throw refused('url must be https for this host');
      return rule;
    },
  };
}

/** Makes the error for a host whose address is not global unicast; does not name the address. */
export function blocked(): ProviderError {
  return refused('url leads to a private, local or reserved address; the provider does not allow that for this host');
}

function mayBePlain(rule: AllowEntry): boolean {
  return rule.plain === true || (rule.private === true && isLoopbackHost(rule.host));
}

function isWildcard(host: string): boolean {
  return host.startsWith('*.');
}

function matchesHost(pattern: string, host: string): boolean {
  if (!isWildcard(pattern)) return pattern === host;
  return literalAddress(host) === undefined && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1;
}

function matchesPort({ port }: AllowEntry, target: Pick<Target, 'scheme' | 'port'>): boolean {
  return target.port === (port ?? defaultPort(target.scheme));
}

function canonicalHost(host: string, index: number): string {
  if (isWildcard(host)) return host;
  const url = `http://${host}`;
  const canonical = URL.canParse(url) ? new URL(url).hostname : undefined;
  // Refuses an address in another spelling as a mistake or an attack; only IPv6 has harmless spellings.
  if (canonical === undefined || (canonical !== host && !host.startsWith('[')))
    throw new ProviderError('provider_fault', `allow[${index}].host is no host in its plain form`, { phase: 'open' });
  return canonical;
}

function refused(reason: string): ProviderError {
  return new ProviderError('rejected', reason, { phase: 'guard' });
}
