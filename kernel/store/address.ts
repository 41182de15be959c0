import { ConfigError } from '../error.ts';
import { isLoopbackHost } from '../net/address.ts';
import type { StoreAddress } from './contract.ts';

/** What the text of an address alone does not say. */
export interface AddressRules {
  /** Allows a store on another machine without verified TLS. */
  readonly insecure: boolean;
  /** Reads a file of certificates, PEM. */
  readFile(path: string): string;
}

const parameters = ['host', 'user', 'sslmode', 'sslrootcert'];
const modes = ['disable', 'require', 'verify-full'];
const setting = 'ORB_STORE_URL';

/**
 * Reads `postgres://user:password@host:5432/database` with the parameters `sslmode` (`disable`, `require` or
 * `verify-full`, the default of a store on another machine) and `sslrootcert` (a file, PEM); or
 * `postgres:///database?host=/run/postgresql&user=orb` for a Unix socket in that folder. Throws ConfigError, which never holds the password.
 */
export function readStoreAddress(text: string, { insecure, readFile }: AddressRules): StoreAddress {
  const url = urlOf(text);
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const host = given('host') ?? url.hostname;
  const user = given('user') ?? decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1));
  const isHere = host.startsWith('/') || isLoopbackHost(host);
  const mode = given('sslmode') ?? (isHere ? 'disable' : 'verify-full');
  const faults = [...url.searchParams.keys()]
    .filter((name) => !parameters.includes(name))
    .map((name) => `${setting}: the parameter ${name} is not known; known are ${parameters.join(', ')}`);
  if (host === '' || database === '' || user === '')
    faults.push(`${setting}: must name a user, a host and a database, as in postgres://user@host:5432/orb`);
  if (!modes.includes(mode)) faults.push(`${setting}: sslmode must be one of ${modes.join(', ')}`);
  else if (!isHere && mode !== 'verify-full' && !insecure)
    faults.push(
      `${setting}: a store on another machine needs sslmode=verify-full, with sslrootcert for an authority of your own; "insecure_store": true in platform.json allows less`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
  const rootFile = given('sslrootcert');
  const ca = rootFile === undefined ? {} : { ca: readCertificates(rootFile, readFile) };
  return {
    connect: {
      ...{ host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port === '' ? '5432' : url.port), database },
      user,
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      ssl: mode === 'disable' ? false : { rejectUnauthorized: mode === 'verify-full', ...ca },
    },
    shown: `postgres://${url.host === '' ? host : url.host}/${database}`,
  };
}

function urlOf(text: string): URL {
  // The text may hold a password, so the error does not repeat it.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['postgres:', 'postgresql:'].includes(url.protocol)) return url;
  throw new ConfigError([`${setting}: is not an address of the form postgres://user@host:5432/database`]);
}

function readCertificates(path: string, readFile: AddressRules['readFile']): string {
  try {
    return readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${setting}: the file of sslrootcert cannot be read (${reason})`]);
  }
}
