import type { Provider, Adapter } from '../provider/adapter.ts';
import { resolve } from 'node:path';
import { provideAuthorModules } from './author-modules.ts';
import { canonical, digest } from '../tools/canonical.ts';
import { packageDir, program, type Config } from '../config/config.ts';
import { loadDefinition } from './definition-file.ts';
import { kernelHooks } from '../hooks.ts';
import { prefixFaults } from '../tools/id.ts';
import { ConfigError, PlatformError } from '../error.ts';
import type { FilesSource } from '../plugin-files.ts';
import { given } from '../tools/given.ts';
import { hookFaults } from '../plugin-hook.ts';
import { problemFaults } from '../problem-table.ts';
import type { Builtin, Loaded, LoadedPlugin } from './loaded.ts';
import { choosePlugins, storeFileOf, type ChosenPlugin } from './plugin-choice.ts';
import { compile, type JsonSchema } from '../tools/schema.ts';
import { literalSecrets, resolveReferences } from '../config/secret.ts';
import type { Operations, StoreModule, StorePlace } from '../store/contract.ts';
import { storeAddressOf } from '../config/store-address.ts';

/** Loads plugins, adapters, providers and manifests. Throws ConfigError with all faults at once, `faults` included. */
export async function load(config: Config, builtin: Builtin, faults: string[]): Promise<Loaded> {
  provideAuthorModules(builtin);
  const { chosen, warnings: ofChoice } = await choosePlugins(config, builtin.plugins, faults);
  const place = placeOf(config, { chosen, builtin }, faults);
  const plugins = await Promise.all(chosen.map((choice) => configurePlugin(choice, config, faults)));
  const owners = chosen.map(({ plugin }) => plugin);
  faults.push(...prefixFaults(owners), ...hookFaults(owners, kernelHooks), ...problemFaults(owners));
  const adapters = await loadAdapters(config, builtin.adapters, faults);
  const providers = loadProviders(config, adapters, faults);
  faults.push(...program.faults(config.home));
  const read = plugins.map((loaded) => withFiles(loaded, { config, providers }, faults));
  if (!plugins.some(({ plugin }) => plugin.name === config.authorize))
    faults.push(`platform.json/authorize: ${whyAbsent(config.authorize, ofChoice)}`);
  if (faults.length > 0) throw new ConfigError(faults);
  const warnings = [...ofChoice, ...[...providers.values()].flatMap(warningsOf), ...localFiles(config.home)];
  const { stores } = builtin;
  const left = builtin.plugins.filter(({ name }) => !owners.some((owner) => owner.name === name));
  const facts = [...plugins, ...left.map((plugin) => ({ plugin, external: undefined }))].map(
    ({ plugin: { name, facts: kinds }, external }) => ({ name, facts: kinds, ...given({ external }) }),
  );
  const known = [...adapters.values()].map(({ adapter }) => adapter);
  return { plugins: read, adapters: known, facts, providers, place, warnings, ...given({ stores }) };
}

function placeOf(
  { plugins, secrets, stateDir, store }: Config,
  { chosen, builtin }: { readonly chosen: readonly ChosenPlugin[]; readonly builtin: Builtin },
  faults: string[],
): StorePlace {
  const left = builtin.plugins.filter(({ name }) => plugins[name] === false);
  const owners = [...chosen.map(({ plugin }) => plugin), ...left];
  const address = storeAddressOf(store, secrets, { owners, plugins }, faults);
  const owner = chosen.find(({ plugin }) => plugin.engines.some(({ module }) => module === address?.module));
  return { stateDir, ...given({ address: address && given({ ...address, list: owner?.file && builtin.stores }) }) };
}

async function configurePlugin(choice: ChosenPlugin, config: Config, faults: string[]): Promise<LoadedPlugin> {
  const { plugin, file: external } = choice;
  const setting = config.plugins[plugin.name];
  const raw = setting === undefined || setting === false ? {} : (setting.config ?? {});
  const configured = configure(raw, plugin.config, `plugins.${plugin.name}`, config, faults);
  const file = plugin.store === undefined ? undefined : storeFileOf(choice, packageDir);
  const module = (
    file === undefined ? plugin.store : (await loadDefinition(file, `plugins.${plugin.name}/store`, faults))?.definition
  ) as StoreModule<Operations, unknown> | undefined;
  const own = module === undefined ? [] : [{ module, ...given({ file }) }];
  return {
    plugin,
    config: configured,
    stores: [...own, ...plugin.stores.map((part) => ({ module: part }))],
    ...given({ external: external === undefined ? undefined : (true as const) }),
  };
}

function whyAbsent(name: string, warnings: readonly string[]): string {
  const left = warnings.find((warning) => warning.startsWith(`plugins.${name} is not loaded`));
  return left === undefined ? `there is no plugin ${name}` : `${left}; do not leave out the one that does`;
}

function withFiles(loaded: LoadedPlugin, source: FilesSource, faults: string[]): LoadedPlugin {
  const { files } = loaded.plugin;
  return files === undefined ? loaded : { ...loaded, files: files.read(source, faults) };
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
    config_digest: digest(canonical({ adapter: adapter.name, config: raw, ...given({ code }) })),
    ...given({ limits }),
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
