import {
  ConfigError,
  given,
  type CommandCall,
  type Config,
  type Installation,
  type PluginKeeps,
} from '../../../kernel/index.ts';
import type { PluginTools, StoreView } from '../../../kernel/maintenance.ts';
import { sum, type TableSize } from './tables.ts';
import { catalogOf } from '../../runtime/contract.ts';

/** A value that decides how much is kept, as it is now. */
export interface Value {
  /** Path of the setting, or the name of an Orbiset or another thing that has the value. */
  readonly name: string;
  /** Absent when nothing sets it, and when the configuration cannot be read. */
  readonly value?: unknown;
  /** True when the value is the default. */
  readonly default?: true;
  readonly description?: string;
}

/** What is kept in some tables, how much room it takes, and what keeps less. */
export interface Keeping {
  readonly what: string;
  readonly tables: readonly string[];
  readonly bytes: number;
  readonly advice?: string;
  readonly settings: readonly Value[];
  /** Values of Orbisets, or of other things that callers can change. */
  readonly values: readonly Value[];
}

/** Lists what the shipped plugins keep, the largest first, with the present values of what keeps less. */
export function keepings(
  { installation, note }: Pick<CommandCall, 'installation' | 'note'>,
  view: StoreView,
  tables: readonly TableSize[],
): readonly Keeping[] {
  const settings = settingsOf(installation);
  if (settings === undefined)
    note('the values of the settings are unknown; run orb config check to find the error in platform.json');
  const orbisets = settings === undefined ? new Map<string, unknown>() : orbisetsOf(installation, view);
  const keepingOf = (keeps: PluginKeeps, plugin: PluginTools): Keeping => ({
    ...given({ what: keeps.what, tables: keeps.tables, advice: keeps.advice }),
    bytes: sum(tables.filter(({ name }) => keeps.tables.includes(name)).map(({ bytes }) => bytes)),
    settings: (keeps.settings ?? []).map((name) => settingOf(plugin, name, settings)),
    values: [...orbisetValues(keeps, orbisets), ...queriedValues(keeps, view)],
  });
  const known = new Set(tables.map(({ name }) => name));
  return installation.shipped
    .flatMap((plugin) => plugin.keeps.map((keeps) => keepingOf(keeps, plugin)))
    .filter((keeping) => keeping.tables.some((name) => known.has(name)))
    .sort((one, other) => other.bytes - one.bytes);
}

type Settings = Config['plugins'] | undefined;

// Settings of plugins as platform.json has them; undefined when the file or these settings have a fault. Other faults do
// not matter: a shell next to the server need not have its secrets.
function settingsOf({ read }: Installation): Settings {
  const faults: string[] = [];
  try {
    const { plugins } = read(faults);
    return faults.some((fault) => /^platform\.json(:|\/plugins)/.test(fault)) ? undefined : plugins;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function settingOf({ name: plugin, config: schema }: PluginTools, name: string, settings: Settings): Value {
  const path = name.split('.');
  const { description, default: preset } = path.reduce<Described>(
    (within, part) => within.properties?.[part] ?? {},
    schema,
  );
  const setting = settings?.[plugin];
  const set = setting === undefined || setting === false ? undefined : path.reduce(memberOf, setting.config as unknown);
  const usual = settings !== undefined && set === undefined && preset !== undefined;
  return given({
    name: `plugins.${plugin}.config.${name}`,
    value: usual ? preset : set,
    default: usual ? (true as const) : undefined,
    description,
  });
}

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly description?: string;
  readonly default?: unknown;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

// Orbisets of files, and those that were put over the API.
function orbisetsOf({ home }: Installation, view: StoreView): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>(catalogOf(home).orbisets);
  if (view.hasTable('runtime_orbisets'))
    for (const { orbiset_id, manifest } of view
      .prepare('SELECT orbiset_id, manifest FROM runtime_orbisets WHERE manifest IS NOT NULL')
      .all())
      all.set(String(orbiset_id), JSON.parse(String(manifest)));
  return all;
}

function orbisetValues({ orbiset }: PluginKeeps, orbisets: ReadonlyMap<string, unknown>): readonly Value[] {
  if (orbiset === undefined) return [];
  return [...orbisets].flatMap(([id, manifest]) => {
    const value = memberOf(manifest, orbiset);
    return value === undefined ? [] : [{ name: `Orbiset ${id}: ${orbiset}`, value }];
  });
}

function queriedValues({ values, tables }: PluginKeeps, view: StoreView): readonly Value[] {
  if (values === undefined || !tables.every((name) => view.hasTable(name))) return [];
  return view
    .prepare(values)
    .all()
    .map(({ name, value }) => ({ name: String(name), value }));
}
