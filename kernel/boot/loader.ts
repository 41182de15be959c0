import type { Provider, Adapter } from '../runtime/provider/adapter.ts';
import { resolve } from 'node:path';
import { provideContracts } from './author-modules.ts';
import { canonical, digest } from '../tools/canonical.ts';
import { packageDir, program, type Config } from './config.ts';
import { loadDefinition } from './definition-file.ts';
import { kernelHooks } from '../hooks.ts';
import { prefixFaults } from '../tools/id.ts';
import { ConfigError, PlatformError } from '../error.ts';
import type { FactOwner } from '../fact-kind.ts';
import type { Plugin } from '../plugin.ts';
import { hookFaults } from '../plugin-hook.ts';
import { problemFaults } from '../problem-table.ts';
import { choosePlugins, storeFileOf, type ChosenPlugin } from './plugin-choice.ts';
import { readCatalog, type Catalog } from '../runtime/catalog/catalog.ts';
import { given } from '../tools/given.ts';
import { compile, type JsonSchema } from '../tools/schema.ts';
import { literalSecrets, resolveReferences } from './secret.ts';
import type { Operations, StoreModule, StorePlace } from '../store/contract.ts';
import { enginesOf, storeAddressOf } from './store-address.ts';

/** What ships: the only list of it is `plugins/builtin.ts`. */
export interface Builtin {
  readonly plugins: readonly Plugin[];
  readonly adapters: readonly Adapter[];
  /** Exports of the plugins' `contract.ts`, which code outside the tree imports as `agent-orb-kit/plugins/<name>`. */
  readonly contracts?: Readonly<Record<string, object>>;
  /** Address of the module that lists the stores of the program for the threads of the store. */
  readonly stores?: string;
}

/** A plugin with its validated configuration and, when it has one, its store. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  /** True when platform.json names the plugin's file. */
  readonly external?: true;
  readonly config: unknown;
  readonly store?: { readonly module: StoreModule<Operations, unknown>; readonly file?: string };
}

/** All parts of a kernel; none of them has started. */
export interface Loaded {
  readonly plugins: readonly LoadedPlugin[];
  /** The shipped adapters and those that platform.json names. */
  readonly adapters: readonly Adapter[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly catalog: Catalog;
  /** Kinds of facts of these plugins, and of shipped plugins that are left out: their receipts are still verified. */
  readonly facts: readonly FactOwner[];
  readonly place: StorePlace;
  /** Warnings for the operator at the start. */
  readonly warnings: readonly string[];
  /** Where the stores without a file are listed. */
  readonly stores?: string;
}

/** Loads plugins, adapters, providers and manifests. Throws ConfigError with all faults at once, `faults` included. */
export async function load(config: Config, builtin: Builtin, faults: string[]): Promise<Loaded> {
  provideContracts(builtin.contracts ?? {});
  const { chosen, warnings: ofChoice } = await choosePlugins(config, builtin.plugins, faults);
  const warnings = [...ofChoice];
  const place = placeOf(config, { chosen, shipped: builtin.plugins }, faults);
  const plugins = await Promise.all(chosen.map((choice) => configurePlugin(choice, config, faults)));
  const owners = chosen.map(({ plugin }) => plugin);
  faults.push(...prefixFaults(owners), ...hookFaults(owners, kernelHooks), ...problemFaults(owners));
  const adapters = await loadAdapters(config, builtin.adapters, faults);
  const providers = loadProviders(config, adapters, faults);
  faults.push(...program.faults(config.home));
  const catalog = readCatalog(program.dataFolders(config.home), faults);
  checkBindings(config, catalog, providers, faults);
  if (!plugins.some(({ plugin }) => plugin.name === config.authorize))
    faults.push(`platform.json/authorize: there is no plugin ${config.authorize}`);
  if (faults.length > 0) throw new ConfigError(faults);
  warnings.push(...[...providers.values()].flatMap(warningsOf), ...localFiles(config.home));
  const { stores } = builtin;
  const left = builtin.plugins.filter(({ name }) => !owners.some((owner) => owner.name === name));
  const facts = [...plugins, ...left.map((plugin) => ({ plugin, external: undefined }))].map(
    ({ plugin, external }) => ({
      name: plugin.name,
      facts: plugin.facts,
      ...(external === undefined ? {} : { external }),
    }),
  );
  const known = [...adapters.values()].map(({ adapter }) => adapter);
  const rest = { place, warnings, ...(stores === undefined ? {} : { stores }) };
  return { plugins, adapters: known, facts, providers, catalog, ...rest };
}

function placeOf(
  { plugins, secrets, stateDir, store }: Config,
  { chosen, shipped }: { readonly chosen: readonly ChosenPlugin[]; readonly shipped: readonly Plugin[] },
  faults: string[],
): StorePlace {
  const left = shipped.filter(({ name }) => plugins[name] === false);
  const engines = enginesOf([...chosen.map(({ plugin }) => plugin), ...left], (name) => plugins[name] === false);
  return { stateDir, ...given({ address: storeAddressOf(store, secrets, engines, faults) }) };
}

async function configurePlugin(choice: ChosenPlugin, config: Config, faults: string[]): Promise<LoadedPlugin> {
  const { plugin, file } = choice;
  const setting = config.plugins[plugin.name];
  const raw = setting === undefined || setting === false ? {} : (setting.config ?? {});
  const configured = configure(raw, plugin.config, `plugins.${plugin.name}`, config, faults);
  const loaded = { plugin, config: configured, ...(file === undefined ? {} : { external: true as const }) };
  if (plugin.store === undefined) return loaded;
  const storeFile = storeFileOf(choice, packageDir);
  if (storeFile === undefined)
    return { ...loaded, store: { module: plugin.store as StoreModule<Operations, unknown> } };
  const module = (await loadDefinition(storeFile, `plugins.${plugin.name}/store`, faults))?.definition as
    StoreModule<Operations, unknown> | undefined;
  return { ...loaded, ...(module === undefined ? {} : { store: { module, file: storeFile } }) };
}

interface LoadedAdapter {
  readonly adapter: Adapter;
  /** Digest of its files; absent for a shipped one. */
  readonly code?: string;
}

async function loadAdapters(
  config: Config,
  builtin: readonly Adapter[],
  faults: string[],
): Promise<Map<string, LoadedAdapter>> {
  const adapters = new Map<string, LoadedAdapter>(builtin.map((adapter) => [adapter.name, { adapter }]));
  for (const [name, { from }] of Object.entries(config.adapters)) {
    const path = `platform.json/adapters/${name}`;
    if (adapters.has(name)) faults.push(`${path}: a shipped adapter already has this name; choose another`);
    const file = await loadDefinition(resolve(config.home, from), `${path}/from`, faults);
    if (file === undefined) continue;
    const adapter = file.definition as Adapter;
    if (adapter.name === name) adapters.set(name, { adapter, code: file.digest });
    else faults.push(`${path}: the file defines another adapter, ${String(adapter.name)}`);
  }
  return adapters;
}

function loadProviders(
  config: Config,
  adapters: ReadonlyMap<string, LoadedAdapter>,
  faults: string[],
): Map<string, Provider> {
  const providers = new Map<string, Provider>();
  for (const [name, { adapter: adapterName, config: raw = {}, limits }] of Object.entries(config.providers)) {
    const found = adapters.get(adapterName);
    if (found !== undefined) providers.set(name, createProvider({ name, ...found, raw, config, limits }, faults));
    else {
      const known = [...adapters.keys()].join(', ');
      faults.push(`providers.${name}/adapter: there is no adapter ${adapterName}; known: ${known}`);
    }
  }
  return providers;
}

function localFiles(home: string): readonly string[] {
  const names = program.localFiles(home).join(', ');
  if (names === '') return [];
  return [
    `${names} in the program's folder ${packageDir} is ignored: only shipped files are used from there; copy your own files into the home`,
  ];
}

function warningsOf({ name, adapter, config }: Provider): readonly string[] {
  return (adapter.warningsOf?.(config as never) ?? []).map((warning) => `providers.${name}: ${warning}`);
}

interface ProviderSource extends LoadedAdapter {
  readonly name: string;
  readonly raw: object;
  readonly config: Config;
  readonly limits: Provider['limits'] | undefined;
}

function createProvider(source: ProviderSource, faults: string[]): Provider {
  const { name, adapter, code, raw, config, limits } = source;
  return Object.freeze({
    name,
    adapter,
    config: configure(raw, adapter.config, `providers.${name}`, config, faults),
    config_digest: digest(canonical({ adapter: adapter.name, config: raw, ...(code === undefined ? {} : { code }) })),
    ...(limits === undefined ? {} : { limits }),
    renew: () => {
      const found: string[] = [];
      const renewed = createProvider(source, found);
      if (found.length === 0) return renewed;
      const errors = found.map((detail) => ({ pointer: '#/provider', detail }));
      throw new PlatformError('invalid_provider', `the configuration of ${name} is invalid`, { errors });
    },
  });
}

/** Validates one configuration: references resolved, defaults filled, secrets only by reference. */
function configure(raw: object, schema: JsonSchema, path: string, config: Config, faults: string[]): unknown {
  const unresolved: string[] = [];
  const resolved = resolveReferences(raw, path, config.secrets, unresolved);
  faults.push(...unresolved, ...literalSecrets(raw, schema, path));
  // A value that could not be resolved gets no further fault.
  const absent = new Set(unresolved.map((fault) => fault.slice(0, fault.indexOf(': '))));
  try {
    for (const { pointer, detail } of compile(schema)(resolved)) {
      const at = `${path}${pointer.slice(1)}`;
      if (!absent.has(at)) faults.push(`${at}: ${detail}`);
    }
  } catch (error) {
    faults.push(`${path}: its configuration schema is invalid (${(error as Error).message})`);
  }
  return resolved;
}

function checkBindings(
  config: Config,
  catalog: Catalog,
  providers: ReadonlyMap<string, Provider>,
  faults: string[],
): void {
  for (const [orbId, order] of Object.entries(config.bindings)) {
    const path = `platform.json/bindings/${orbId}`;
    const orb = catalog.orbs.get(orbId);
    if (orb === undefined)
      faults.push(
        `${path}: there is no such Orb in data/orbs; for an Orb added through the API, swap its provider instead`,
      );
    for (const name of order) {
      const provider = providers.get(name);
      if (provider === undefined) faults.push(`${path}: there is no provider ${name}`);
      else if (orb !== undefined && provider.adapter.capability !== orb.manifest.capability)
        faults.push(`${path}: ${name} offers ${provider.adapter.capability}, the Orb needs ${orb.manifest.capability}`);
    }
  }
}
