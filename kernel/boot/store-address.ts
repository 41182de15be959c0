import { readFileSync } from 'node:fs';
import { ConfigError } from '../error.ts';
import { readStoreAddress } from '../store/address.ts';
import type { StoreAddress } from '../store/contract.ts';
import { literalSecrets, resolveReferences, type SecretSource } from './secret.ts';

/** What platform.json says of the store. */
export interface StoreSettings {
  /** A reference to the address, because the address may hold a password. */
  readonly store?: { readonly url?: unknown; readonly migration_url?: unknown; readonly several_nodes?: boolean };
  readonly insecure_store?: boolean;
}

/**
 * Finds the address of the PostgreSQL database that is the store: ORB_STORE_URL, else that of platform.json; undefined
 * when the store is a file of the state dir. Faults are added to `faults`; none of them holds the password.
 */
export function storeAddressOf(
  { store = {}, insecure_store: insecure = false }: StoreSettings,
  secrets: SecretSource,
  faults: string[],
): StoreAddress | undefined {
  const path = 'platform.json/store';
  faults.push(
    ...literalSecrets(store, { properties: { url: { secret: true }, migration_url: { secret: true } } }, path),
  );
  const { url: named, migration_url: owners } = resolveReferences(store, path, secrets, faults) as {
    readonly url?: unknown;
    readonly migration_url?: unknown;
  };
  const read = (variable: string, inFile: unknown): StoreAddress | undefined => {
    const url = secrets.env[variable] ?? inFile;
    // A reference that cannot be resolved is an empty text, and is reported by now.
    if (typeof url !== 'string' || url === '') return undefined;
    try {
      return readStoreAddress(url, { insecure, setting: variable, readFile: (file) => readFileSync(file, 'utf8') });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  };
  const address = read('ORB_STORE_URL', named);
  const migration = read('ORB_STORE_MIGRATION_URL', owners);
  if (address === undefined && migration !== undefined && faults.length === 0)
    faults.push('ORB_STORE_MIGRATION_URL: needs ORB_STORE_URL too; set both, or remove it');
  if (address === undefined || migration === undefined) return address;
  if (migration.connect.database !== address.connect.database || migration.schema !== address.schema)
    faults.push('ORB_STORE_MIGRATION_URL: must name the same database and schema as ORB_STORE_URL, with another role');
  return { ...address, migration };
}
