import { dirname, extname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadDefinition } from './definition-file.ts';
import { kernelServices } from '../service.ts';
import type { Plugin } from '../plugin.ts';

/** A plugin that is to run; `file`: absolute path of a file that platform.json names. */
export interface ChosenPlugin {
  readonly plugin: Plugin;
  readonly file?: string;
}

// The plugins that are to run, and warnings about the choice for the operator.
interface PluginChoice {
  readonly chosen: readonly ChosenPlugin[];
  readonly warnings: readonly string[];
}

/**
 * Chooses the plugins that run: the shipped ones, with the changes of platform.json. One that requires a service of a
 * plugin that is left out is left out too, with a warning. Faults are added with their path.
 */
export async function choosePlugins(
  config: Pick<Config, 'home' | 'plugins'>,
  shipped: readonly Plugin[],
  faults: string[],
): Promise<PluginChoice> {
  const named = new Map<string, ChosenPlugin>(shipped.map((plugin) => [plugin.name, { plugin }]));
  const warnings: string[] = [];
  const left = new Set<string>();
  for (const [name, setting] of Object.entries(config.plugins)) {
    const path = `platform.json/plugins/${name}`;
    const known = named.has(name);
    if (setting === false) left.add(name);
    if (!known && (setting === false || setting.from === undefined))
      faults.push(`${path}: there is no such plugin; name its file with "from"`);
    if (setting === false || setting.from === undefined) continue;
    const file = resolve(config.home, setting.from);
    const plugin = (await loadDefinition(file, `${path}/from`, faults))?.definition as Plugin | undefined;
    if (plugin === undefined) continue;
    if (plugin.name !== name) faults.push(`${path}: the file defines another plugin, ${String(plugin.name)}`);
    else named.set(name, { plugin, file });
    if (known) warnings.push(`plugins.${name}: the file ${setting.from} replaces the shipped plugin`);
  }
  leaveOutDependents(named, left, warnings);
  return { chosen: [...named.values()].filter(({ plugin }) => !left.has(plugin.name)), warnings };
}

// A plugin that an operator added by a file is never left out silently: its missing service is a fault at the start.
function leaveOutDependents(named: ReadonlyMap<string, ChosenPlugin>, left: Set<string>, warnings: string[]): void {
  for (let before = -1; before < left.size;) {
    before = left.size;
    for (const { plugin, file } of named.values()) {
      if (file !== undefined || left.has(plugin.name)) continue;
      const missing = Object.values(plugin.requires).find((token) => isGone(token.name, named, left));
      if (missing === undefined) continue;
      left.add(plugin.name);
      warnings.push(`plugins.${plugin.name} is not loaded: no plugin provides the service ${missing.name}`);
    }
  }
}

function isGone(service: string, named: ReadonlyMap<string, ChosenPlugin>, left: ReadonlySet<string>): boolean {
  if (kernelServices.includes(service)) return false;
  return ![...named.values()].some(
    ({ plugin }) => !left.has(plugin.name) && Object.values(plugin.provides).some(({ name }) => name === service),
  );
}

/** Returns the file of a plugin's store module: the path that it names, or `store` next to the plugin's own file. */
export function storeFileOf({ plugin: { store }, file }: ChosenPlugin, packageDir: string): string | undefined {
  if (typeof store === 'string') return resolve(dirname(file ?? packageDir), store);
  return file === undefined ? undefined : join(dirname(file), `store${extname(file)}`);
}
