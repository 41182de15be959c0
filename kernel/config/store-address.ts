import type { EngineDeclaration } from '../store/engine.ts';
import { literalSecrets, resolveReferences, type SecretSource } from './secret.ts';
import type { StoreAddress } from '../store/contract.ts';

/** What platform.json says of the store. */
export interface StoreSettings {
  /** A reference to the address, because the address may hold a password. */
  readonly store?: { readonly url?: unknown; readonly migration_url?: unknown; readonly several_nodes?: boolean };
  readonly insecure_store?: boolean;
}

/** A plugin, as far as its engines go. */
export interface EngineOwner {
  readonly name: string;
  readonly engines: readonly EngineDeclaration[];
}

// The plugins whose engines are known, and the settings of plugins, by which some of them are left out.
interface KnownEngines {
  readonly owners: readonly EngineOwner[];
  /** `false`: the plugin is left out. */
  readonly plugins: Readonly<Record<string, unknown>>;
}

/** Finds the address of the store by the engine of its scheme; undefined: a file. No fault holds the password. */
export function storeAddressOf(
  { store = {}, insecure_store: insecure = false }: StoreSettings,
  secrets: SecretSource,
  known: KnownEngines,
  faults: string[],
): StoreAddress | undefined {
  const path = 'platform.json/store';
  const found = literalSecrets(store, { properties: { url: { secret: true }, migration_url: { secret: true } } }, path);
  const { url: named, migration_url: owners } = resolveReferences(store, path, secrets, found) as {
    readonly url?: unknown;
    readonly migration_url?: unknown;
  };
  const set = (variable: string, inFile: unknown): string | undefined => {
    const url = secrets.env[variable] ?? inFile;
    // A reference that cannot be resolved is an empty text, and is reported by now.
    return typeof url === 'string' && url !== '' ? url : undefined;
  };
  const [url, migrationUrl] = [set('ORB_STORE_URL', named), set('ORB_STORE_MIGRATION_URL', owners)];
  if (url === undefined && migrationUrl !== undefined && found.length === 0)
    found.push('ORB_STORE_MIGRATION_URL: needs ORB_STORE_URL too; set both, or remove it');
  faults.push(...found);
  const engine = url === undefined ? undefined : engineOf(url, known, faults);
  if (url === undefined || engine === undefined) return undefined;
  const address = engine.readAddress({ url, migrationUrl, insecure }, faults);
  return address && { ...address, module: engine.module };
}

function engineOf(url: string, { owners, plugins }: KnownEngines, faults: string[]): EngineDeclaration | undefined {
  const serves = ({ schemes }: EngineDeclaration): boolean => schemes.some((scheme) => url.startsWith(scheme));
  const found = owners.find(({ engines }) => engines.some(serves));
  if (found !== undefined && plugins[found.name] !== false) return found.engines.find(serves);
  const forms = owners.filter(({ name }) => plugins[name] !== false).flatMap(({ engines }) => engines);
  // The text may hold a password, so the fault does not repeat it.
  if (found !== undefined)
    faults.push(
      `ORB_STORE_URL: the plugin ${found.name} serves this address, and platform.json leaves it out; remove "${found.name}": false from plugins, or start without ORB_STORE_URL (and store.url in platform.json) on the file of the state dir`,
    );
  else if (forms.length > 0)
    faults.push(`ORB_STORE_URL: must have the form ${forms.map(({ form }) => form).join(' or ')}`);
  else faults.push('ORB_STORE_URL: no plugin serves a database as the store; remove it to use a file of the state dir');
  return undefined;
}
