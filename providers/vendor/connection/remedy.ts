import { ProviderError } from '../../../kernel/adapter.ts';

// How an adapter names the settings that decide a connection.
interface ConnectionNames {
  /** The settings with the address of the server: `host` and `port`. */
  readonly address: string;
  /** The setting with the name of the host, where it is apart from the port; `address` unless given. */
  readonly host?: string;
  /** The setting with the time for connecting. */
  readonly timeout: string;
  /** What makes a private certificate authority trusted; the whole process unless given. */
  readonly authority?: string;
  /** Host and port that were tried: never a user, a path or a query. */
  readonly tried?: string | undefined;
}

const everywhere =
  'name the file of its certificate authority in the variable NODE_EXTRA_CA_CERTS of the server, and restart it';

/** Says what an operator changes after a connection failed with this code; undefined: the cause is unknown. */
export function connectionRemedy(code: string | undefined, names: ConnectionNames): string | undefined {
  const { tried } = names;
  const parts = [adviceFor(code, names), tried === undefined ? undefined : `tried: ${tried}`];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join('; ');
}

/**
 * Reads the code of the system, of TLS or of the HTTP client from a failure. Only the code may be shown: messages name
 * hosts and addresses, and causes hold the request.
 */
export function failureCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/u.test(code) ? code : undefined;
}

/** Makes the failure of a provider of the store whose host has an address that the operator's file does not allow. */
export function privateHost(): ProviderError {
  const remedy =
    'allow the host in `private_hosts` of the plugin stored-providers in platform.json, or use a public address';
  return new ProviderError('provider_fault', 'the host has a private or local address', { phase: 'guard', remedy });
}

/** Names the phase of a connection that failed with this code before a byte was written. */
export function failurePhase(code = ''): 'dns' | 'tls' | 'pool' | 'connect' {
  if (/^(?:ENOTFOUND|EAI_)/u.test(code)) return 'dns';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/u.test(code)) return 'tls';
  if (/^UND_ERR_(?:DESTROYED|CLOSED)$/u.test(code)) return 'pool';
  return 'connect';
}

/** Reads host and port of an address, without user, path and query; undefined when it is none. */
export function hostAndPort(url: string): string | undefined {
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  if (hostname === undefined || hostname === '') return undefined;
  return `${hostname}:${port === '' || port === undefined ? (protocol === 'http:' ? 80 : 443) : port}`;
}

function adviceFor(code: string | undefined, names: ConnectionNames): string | undefined {
  const { address, host = address, timeout, authority = everywhere } = names;
  if (code === undefined) return undefined;
  if (code === 'ECONNREFUSED') return `the connection was refused: check ${address}, and that the server runs`;
  if (/^(?:EDNS|ENOTFOUND|EAI_)/u.test(code)) return `the name of the host is unknown: check ${host}, and the DNS`;
  if (/^E(?:HOST|NET)(?:UNREACH|DOWN)$/u.test(code)) return `there is no route to the host: check ${address}`;
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired: renew it there';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the server is for another name: put that name into ${host}`;
  if (/SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED/u.test(code))
    return `the certificate of the server is not trusted: ${authority}`;
  if (/^(?:EPROTO|ERR_SSL_)/u.test(code)) return `the server does not speak TLS at this address: check ${address}`;
  if (/TIMEDOUT|TIMEOUT/u.test(code))
    return `the server did not answer in time: check ${address} and the firewall, or raise ${timeout}`;
  return undefined;
}
