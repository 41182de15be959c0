import { resolve } from 'node:path';
import { provideAuthorModules } from '../boot/author-modules.ts';
import { readConfig, readPluginSettings } from '../config/config.ts';
import { loadDefinition } from '../boot/definition-file.ts';
import { load } from '../boot/loader.ts';
import { choosePlugins } from '../boot/plugin-choice.ts';
import type { Environment } from '../config/state-dir.ts';
import { storesOf } from '../boot/stores.ts';
import { ConfigError } from '../error.ts';
import { version } from '../tools/version.ts';
import type { CheckedConfig, Command, ConfiguredAdapter, Installation, LoadedStore } from './command/command.ts';
import { checksOf, verdictOn } from './store-check.ts';
import type { Builtin } from '../boot/loaded.ts';

/** Describes the program that consists of these parts and commands, and the home that the environment names. */
export function installationOf(builtin: Builtin, commands: readonly Command[], env: Environment): Installation {
  return {
    version,
    home: resolve(env['ORB_HOME'] ?? '.'),
    shipped: builtin.plugins,
    commands,
    async plugins() {
      // What is wrong with the choice is a fault of the configuration, which `check` reports.
      const { chosen } = await choosePlugins(readPluginSettings(env, process.cwd()), builtin.plugins, []);
      return chosen.map(({ plugin }) => plugin);
    },
    pluginSettings: () => pluginSettings(env),
    check: () => check(builtin, env),
    loadStore: (variables) => loadStore(builtin, variables),
    checkStore: (call) => verdictOn(checksOf(builtin.plugins), call),
    adapter: (file, config) => configuredAdapter(builtin, env, { file, config }),
  };
}

// Only faults of `plugins` matter: a shell beside the server need not have its secrets.
function pluginSettings(env: Environment): ReturnType<Installation['pluginSettings']> {
  const faults: string[] = [];
  try {
    const { plugins } = readConfig(env, process.cwd(), faults);
    return faults.some((fault) => /^platform\.json(:|\/plugins)/.test(fault)) ? undefined : plugins;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

async function check(builtin: Builtin, env: Environment): Promise<CheckedConfig> {
  const faults: string[] = [];
  const config = readConfig(env, process.cwd(), faults);
  const { place, plugins, providers, warnings } = await load(config, builtin, faults);
  for (const { plugin, files } of plugins) await plugin.files?.check(files, place);
  const lists = plugins.flatMap(({ plugin, files }) => Object.entries(plugin.files?.list(files) ?? {}));
  return {
    state_dir: config.stateDir,
    plugins: plugins.map(({ plugin }) => plugin.name),
    providers: [...providers.values()].map(({ name, adapter }) => ({ name, adapter: adapter.name })),
    defined: Object.fromEntries(lists),
    warnings,
    listeners: config.listen.map(({ address, tls }) => ({ address, tls: tls !== undefined })),
    insecure_http: config.insecureHttp,
  };
}

async function loadStore(builtin: Builtin, env: Environment): Promise<LoadedStore> {
  const faults: string[] = [];
  const config = readConfig(env, process.cwd(), faults);
  const loaded = await load(config, builtin, faults);
  const configured = storesOf({ config, loaded }).modules.map(({ module }) => module);
  const names = new Set(configured.map(({ name }) => name));
  const shipped = builtin.plugins.flatMap(({ store }) => (typeof store === 'object' ? [store] : []));
  const modules = [...configured, ...shipped.filter(({ name }) => !names.has(name))];
  return { ...loaded.place, masterKey: config.masterKey, node: config.node, modules };
}

async function configuredAdapter(
  builtin: Builtin,
  env: Environment,
  { file, config }: { readonly file: string; readonly config: object },
): Promise<ConfiguredAdapter> {
  const faults: string[] = [];
  provideAuthorModules(builtin);
  const name = ((await loadDefinition(file, file, faults))?.definition as { name?: unknown } | undefined)?.name;
  if (faults.length === 0 && typeof name !== 'string')
    faults.push(`${file} defines no adapter; call api.defineProvider`);
  if (typeof name !== 'string' || faults.length > 0) throw new ConfigError(faults);
  // The rest of platform.json, and its faults, do not matter here.
  const only = {
    ...readConfig(env, process.cwd(), []),
    plugins: {},
    adapters: { [name]: { from: file } },
    providers: { verified: { adapter: name, config } },
    bindings: {},
    authorize: builtin.plugins[0]?.name ?? '',
  };
  const provider = (await load(only, builtin, faults)).providers.get('verified');
  if (provider === undefined) throw new ConfigError([`${file}: the adapter was not loaded`]);
  return provider;
}
