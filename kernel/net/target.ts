import { isIP } from 'node:net';
import { ProviderError } from '../error.ts';

/** Destination of a request in canonical form. */
export interface Target {
  readonly scheme: 'http' | 'https';
  /** Host in lower case; an IPv6 address is in brackets. */
  readonly host: string;
  /** Port 1–65535; the scheme's default if the URL has none. */
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
}

const maxUrl = 8192;

/** Parses a URL. Throws ProviderError `rejected` for an unusual spelling: two readers could see two hosts in it. */
export function parseTarget(text: string): Target {
  if (text.length > maxUrl) throw refused(`is longer than ${maxUrl} characters`);
  // The URL parser drops tabs and line ends, and reads a backslash as a slash.
  if (/[\u0000-\u0020\u007f\\]/u.test(text) || !text.isWellFormed())
    throw refused('holds white space, a control character or a backslash; percent-encode it');
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/iu.exec(text) ?? [];
  const [, host = ''] = /^((?:[a-z0-9_.-]*[a-z0-9_-]|\[[0-9a-f:.]+\]))(?::[0-9]{1,5})?$/iu.exec(authority) ?? [];
  if (host === '')
    throw refused(
      'must be http(s)://host/path: the host in ASCII (xn--…) and not ending with a dot, without user and password',
    );
  const url = parsed(text);
  // Refuses spellings that a reader cannot recognise: 0x7f.1, 2130706433, 127.1, 010.0.0.1, [::0:1].
  if (url?.hostname !== host.toLowerCase() || url.port === '0')
    throw refused('must write its host and port plainly: a name, a.b.c.d or the shortest form of an IPv6 address');
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  return {
    scheme,
    host: url.hostname,
    port: url.port === '' ? defaultPort(scheme) : Number(url.port),
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
  };
}

/** Returns the default port of a scheme. */
export function defaultPort(scheme: Target['scheme']): number {
  return scheme === 'https' ? 443 : 80;
}

/** Returns the IP address that a host literally is, without brackets; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(address) === 0 ? undefined : address;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

// Never shows the URL: it may hold a token.
function refused(reason: string): ProviderError {
  return new ProviderError('rejected', `url ${reason}`, { phase: 'guard' });
}
