import { program, readConfig, type Config } from '../../boot/config.ts';
import { ConfigError } from '../../error.ts';
import type { Plugin } from '../../plugin.ts';
import { readCatalog } from '../../../plugins/runtime/catalog/catalog.ts';
import type { StoreView } from '../../store/read-only.ts';
import { given } from '../../tools/given.ts';
import type { CommandCall, PluginKeeps } from '../command.ts';
import { sum, type TableSize } from './tables.ts';

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

// The kernel's own tables that grow.
const own: readonly PluginKeeps[] = [
  { what: 'runs', tables: ['runtime_runs'], advice: 'Kept permanently, like their receipts.' },
  {
    what: 'counts of runs and webhooks',
    tables: ['runtime_counts', 'runtime_count_parts'],
    advice: 'Kept per minute for 2 days, per hour for 60 days, per day for 3 years.',
  },
  { what: 'events without a receipt', tables: ['runtime_events'], advice: 'Kept for 7 days.' },
  {
    what: 'results of idempotency keys',
    tables: ['journal_keys'],
    advice: 'Kept for 24 hours: callers can retry that long.',
  },
];

/** Where the present values are read. */
export interface KeepingSource {
  readonly call: Pick<CommandCall, 'env' | 'note'>;
  readonly plugins: readonly Plugin[];
  readonly view: StoreView;
  readonly tables: readonly TableSize[];
}

/** Lists what the kernel and the shipped plugins keep, the largest first, with the present values of what keeps less. */
export function keepings({ call, plugins, view, tables }: KeepingSource): readonly Keeping[] {
  const config = configOf(call);
  const keepingOf = (keeps: PluginKeeps, plugin?: Plugin): Keeping => ({
    ...given({ what: keeps.what, tables: keeps.tables, advice: keeps.advice }),
    bytes: sum(tables.filter(({ name }) => keeps.tables.includes(name)).map(({ bytes }) => bytes)),
    settings: plugin === undefined ? [] : (keeps.settings ?? []).map((name) => settingOf(plugin, name, config)),
    values: [...orbisetValues(keeps, view, config), ...queriedValues(keeps, view)],
  });
  const known = new Set(tables.map(({ name }) => name));
  return [
    ...own.map((keeps) => keepingOf(keeps)),
    ...plugins.flatMap((plugin) => plugin.keeps.map((keeps) => keepingOf(keeps, plugin))),
  ]
    .filter((keeping) => keeping.tables.some((name) => known.has(name)))
    .sort((one, other) => other.bytes - one.bytes);
}

// Only faults of `plugins` matter: a shell beside the server need not have its secrets.
function configOf({ env, note }: Pick<CommandCall, 'env' | 'note'>): Config | undefined {
  const faults: string[] = [];
  try {
    const config = readConfig(env, process.cwd(), faults);
    if (!faults.some((fault) => /^platform\.json(:|\/plugins)/.test(fault))) return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  note('the values of the settings are unknown; run orb config check to find the error in platform.json');
  return undefined;
}

function settingOf({ name: plugin, config: schema }: Plugin, name: string, config: Config | undefined): Value {
  const path = name.split('.');
  const { description, default: preset } = path.reduce<Described>(
    (within, part) => within.properties?.[part] ?? {},
    schema,
  );
  const setting = config?.plugins[plugin];
  const set = setting === undefined || setting === false ? undefined : path.reduce(memberOf, setting.config as unknown);
  const usual = config !== undefined && set === undefined && preset !== undefined;
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
function orbisetValues({ orbiset }: PluginKeeps, view: StoreView, config: Config | undefined): readonly Value[] {
  if (orbiset === undefined || config === undefined) return [];
  const files = readCatalog(program.dataFolders(config.home), []).orbisets;
  const all = new Map<string, unknown>(files);
  if (view.hasTable('runtime_orbisets'))
    for (const { orbiset_id, manifest } of view
      .prepare('SELECT orbiset_id, manifest FROM runtime_orbisets WHERE manifest IS NOT NULL')
      .all())
      all.set(String(orbiset_id), JSON.parse(String(manifest)));
  return [...all].flatMap(([id, manifest]) => {
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
