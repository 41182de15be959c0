import type { EngineDeclaration } from '../store/engine.ts';
import { literalSecrets, resolveReferences, type SecretSource } from './secret.ts';
import type { StoreAddress } from '../store/place.ts';

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

/** An engine, and the plugin that declares it. */
export interface KnownEngine {
  readonly plugin: string;
  readonly engine: EngineDeclaration;
  /** platform.json leaves the plugin out. */
  readonly isLeftOut: boolean;
}

/** Lists the engines of plugins. `isLeftOut` says whether a plugin is left out. */
export function enginesOf(
  plugins: readonly EngineOwner[],
  isLeftOut: (name: string) => boolean,
): readonly KnownEngine[] {
  return plugins.flatMap(({ name, engines }) =>
    engines.map((engine) => ({ plugin: name, engine, isLeftOut: isLeftOut(name) })),
  );
}

/**
 * Finds the address of the store: ORB_STORE_URL, else that of platform.json, as the engine reads it whose scheme it has;
 * undefined when the store is a file of the state dir. Faults are added to `faults`; none of them holds the password.
 */
export function storeAddressOf(
  { store = {}, insecure_store: insecure = false }: StoreSettings,
  secrets: SecretSource,
  known: readonly KnownEngine[],
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

function engineOf(url: string, known: readonly KnownEngine[], faults: string[]): EngineDeclaration | undefined {
  const found = known.find(({ engine }) => engine.schemes.some((scheme) => url.startsWith(scheme)));
  if (found?.isLeftOut === false) return found.engine;
  const forms = known.filter(({ isLeftOut }) => !isLeftOut).map(({ engine }) => engine.form);
  // The text may hold a password, so the fault does not repeat it.
  if (found !== undefined)
    faults.push(
      `ORB_STORE_URL: the plugin ${found.plugin} serves this address, and platform.json leaves it out; remove "${found.plugin}": false from plugins, or start without ORB_STORE_URL (and store.url in platform.json) on the file of the state dir`,
    );
  else if (forms.length > 0) faults.push(`ORB_STORE_URL: must have the form ${forms.join(' or ')}`);
  else faults.push('ORB_STORE_URL: no plugin serves a database as the store; remove it to use a file of the state dir');
  return undefined;
}
