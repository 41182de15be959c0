import { ConfigError } from '../../../kernel/index.ts';
import { isLoopbackHost } from '../../../kernel/outbound.ts';
import type { StoreAddress, StoreUrls } from '../../../kernel/engine.ts';
import { readFileSync } from 'node:fs';

/** One server of a database. */
export interface StoreHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port?: number;
}

/** Where a PostgreSQL store is, and how it is reached. */
export interface PostgresAddress {
  /** Settings of the driver; they hold the password. */
  readonly connect: StoreHost & {
    readonly user: string;
    readonly password?: string;
    readonly database: string;
    readonly ssl?:
      | false
      | { readonly rejectUnauthorized: boolean; readonly ca?: string; readonly cert?: string; readonly key?: string };
  };
  /** Further servers of the database: of all of them the primary is used. */
  readonly others?: readonly StoreHost[];
  /** The schema of the tables; absent: as the server sets it for the role. */
  readonly schema?: string;
  /** The same database by the role that makes and changes its tables; absent: the one that serves does. */
  readonly migration?: PostgresAddress;
  /** The address without the password, for logs and errors. */
  readonly shown: string;
}

/** Says whether a store is one on PostgreSQL. */
export function isPostgres(address: StoreAddress | undefined): address is StoreAddress & PostgresAddress {
  return address !== undefined && 'connect' in address;
}

/** How an address looks. */
export const addressForm = 'postgres://user@host:5432/database';
/** The schemes of addresses. */
export const schemes: readonly string[] = ['postgres:', 'postgresql:'];

/**
 * Reads the address of the role that serves, and of the one that makes the tables. Faults are added to `faults`; none of
 * them holds the password.
 */
export function readAddresses(
  { url, migrationUrl, insecure }: StoreUrls,
  faults: string[],
): PostgresAddress | undefined {
  const read = (setting: string, text: string): PostgresAddress | undefined => {
    try {
      return readStoreAddress(text, { insecure, setting, readFile: (file) => readFileSync(file, 'utf8') });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  };
  const address = read('ORB_STORE_URL', url);
  const migration = migrationUrl === undefined ? undefined : read('ORB_STORE_MIGRATION_URL', migrationUrl);
  if (address === undefined || migration === undefined) return address;
  if (migration.connect.database !== address.connect.database || migration.schema !== address.schema)
    faults.push('ORB_STORE_MIGRATION_URL: must name the same database and schema as ORB_STORE_URL, with another role');
  return { ...address, migration };
}

/** What the text of an address alone does not say. */
export interface AddressRules {
  /** Allows a store on another machine without verified TLS. */
  readonly insecure: boolean;
  /** The setting that the address is of; faults begin with it. Default: ORB_STORE_URL. */
  readonly setting?: string;
  /** Reads a file of certificates, PEM. */
  readFile(path: string): string;
}

const parameters = [
  ...['host', 'user', 'schema', 'target_session_attrs'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey'],
];
const modes = ['disable', 'require', 'verify-full'];
const primaries = ['primary', 'read-write'];

/**
 * Reads `postgres://user:password@host:5432/database`, or `postgres:///database?host=/run/postgresql&user=orb` for a Unix
 * socket in that folder. Several hosts are separated by commas; the primary is used. Parameters: `sslmode`
 * (`disable`, `require` or `verify-full`, the default of a store on another machine), `sslrootcert`, `sslcert` and
 * `sslkey` (files, PEM), `schema`. Throws ConfigError, which never holds the password.
 */
export function readStoreAddress(
  text: string,
  { insecure, readFile, setting = 'ORB_STORE_URL' }: AddressRules,
): PostgresAddress {
  const { url, others } = urlOf(text, setting);
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const host = given('host') ?? url.hostname;
  const user = given('user') ?? decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1));
  const isHere = [host, ...others.map((other) => other.host)].every(isLocal);
  const mode = given('sslmode') ?? (isHere ? 'disable' : 'verify-full');
  const faults = faultsOf(url, setting);
  if (host === '' || database === '' || user === '')
    faults.push(`${setting}: must name a user, a host and a database, as in postgres://user@host:5432/orb`);
  if (!isHere && modes.includes(mode) && mode !== 'verify-full' && !insecure)
    faults.push(
      `${setting}: a store on another machine needs sslmode=verify-full, and sslrootcert for a private certificate authority; "insecure_store": true in platform.json turns this check off`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
  const file = (parameter: string, member: string): object => {
    const path = given(parameter);
    return path === undefined
      ? {}
      : { [member]: readCertificates(path, `${setting}: the file of ${parameter}`, readFile) };
  };
  const certificates = { ...file('sslrootcert', 'ca'), ...file('sslcert', 'cert'), ...file('sslkey', 'key') };
  const schema = given('schema');
  return {
    connect: {
      ...{ host: plain(host), port: portOf(url.port), database, user },
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      ssl: mode === 'disable' ? false : { rejectUnauthorized: mode === 'verify-full', ...certificates },
    },
    ...(others.length === 0 ? {} : { others }),
    ...(schema === undefined ? {} : { schema }),
    shown: `postgres://${[url.host === '' ? host : url.host, ...others.map(shownHost)].join(',')}/${database}`,
  };
}

const isLocal = (host: string): boolean => host.startsWith('/') || isLoopbackHost(host);
const plain = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
const portOf = (port: string): number => Number(port === '' ? '5432' : port);
const shownHost = ({ host, port }: StoreHost): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function faultsOf({ searchParams }: URL, setting: string): string[] {
  const faults = [...searchParams.keys()]
    .filter((name) => !parameters.includes(name))
    .map((name) => `${setting}: the parameter ${name} is unknown; known are ${parameters.join(', ')}`);
  if (!modes.includes(searchParams.get('sslmode') ?? 'disable'))
    faults.push(`${setting}: sslmode must be one of ${modes.join(', ')}`);
  if (!primaries.includes(searchParams.get('target_session_attrs') ?? 'primary'))
    faults.push(`${setting}: target_session_attrs must be one of ${primaries.join(', ')}: the server writes`);
  if (!/^[a-z_][a-z0-9_]*$/.test(searchParams.get('schema') ?? 'public'))
    faults.push(`${setting}: schema must contain only lower-case letters, digits and _`);
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    faults.push(`${setting}: sslcert and sslkey must be set together`);
  return faults;
}

// The part with the hosts: `user:password@one:5432,two:5432`.
const authority = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

function urlOf(text: string, setting: string): { readonly url: URL; readonly others: readonly StoreHost[] } {
  const [, before = '', hosts = '', after = ''] = authority.exec(text) ?? [];
  const [, ...further] = hosts.split(',');
  const [url, ...others] = hosts.split(',').map((host) => parsed(`${before}${host}${after}`));
  // The text may hold a password, so the error does not repeat it.
  if (url === undefined || others.length !== further.length || others.includes(undefined))
    throw new ConfigError([`${setting}: must have the form ${addressForm}`]);
  const places = others.flatMap((other) =>
    other === undefined ? [] : [{ host: plain(other.hostname), port: portOf(other.port) }],
  );
  return { url, others: places };
}

function parsed(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && schemes.includes(url.protocol) ? url : undefined;
}

function readCertificates(path: string, what: string, readFile: AddressRules['readFile']): string {
  try {
    return readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${what} cannot be read (${reason})`]);
  }
}
