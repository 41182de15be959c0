import type { Binding } from '../../provider/binding.ts';
import { originOf } from '../../provider/stored.ts';
import {
  exactly,
  given,
  optional,
  type Config,
  type Description,
  type Infer,
  type JsonSchema,
} from '../../../../kernel/index.ts';
import type { Provider } from '../../../../kernel/adapter.ts';
import { memberOf, referenceOf, shownValue } from './masked.ts';

const text = (description: string) => ({ type: 'string', description }) as const;

/** Schema of one setting: its value, and where that comes from. */
export const settingSchema = exactly('Setting', {
  part: text('`server`, `environment`, `plugins.<name>`, `providers.<name>` or `bindings`'),
  name: text('Name of the setting in its part'),
  value: optional(text('The value in use, as JSON; absent: it has none, or it is hidden')),
  source: {
    enum: ['file', 'environment', 'secret_file', 'default', 'store'],
    description: 'Where the value comes from; `file`: platform.json; `store`: the API changed it',
  },
  from: optional(text('The variable or the file that has the value')),
  hidden: optional({ type: 'boolean', description: 'The value is a secret, or comes by a reference: it is not shown' }),
  description: optional(text('What the setting does')),
});

/** One setting with its origin. */
export type Setting = Infer<typeof settingSchema>;

/** What the settings in use are read from. */
export interface SettingsSource {
  /** As the server was started. */
  readonly config: Config;
  /** As it was last reloaded: for providers and bindings. */
  readonly reloaded: Config;
  readonly description: Pick<Description, 'settings' | 'variables' | 'plugins' | 'adapters'>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** The orders of providers by Orb that the file or the store gives. */
  readonly orders: Readonly<Record<string, readonly string[]>>;
  readonly bindings: Iterable<Pick<Binding, 'orb' | 'order' | 'source'>>;
  /** Name of the node that answers. */
  readonly node: string;
}

/** Lists all settings in use, without any secret. */
export function settingsInUse(source: SettingsSource): readonly Setting[] {
  return [
    ...serverSettings(source),
    ...variableSettings(source),
    ...source.description.plugins.flatMap((plugin) => pluginSettings(plugin, source)),
    ...leftOut(source),
    ...[...source.providers.values()].flatMap((provider) => providerSettings(provider, source)),
    ...[...source.bindings].map((binding) => bindingSetting(binding, source)),
  ];
}

// Variables that set a member of the file.
const variableOf: Readonly<Record<string, string>> = {
  listen: 'ORB_LISTEN',
  public_url: 'ORB_PUBLIC_URL',
  log_level: 'ORB_LOG_LEVEL',
  store: 'ORB_STORE_URL',
};

// What is in use, of members that have a value when the file has none.
const inUse: Readonly<Record<string, (config: Config) => unknown>> = {
  listen: ({ listen }) => listen.map(({ address, services }) => ({ address, services })),
  public_url: ({ publicUrl }) => publicUrl,
  site: ({ brand: { name } }) => ({ name }),
  trust_proxy: ({ trustProxy }) => trustProxy,
  insecure_http: ({ insecureHttp }) => insecureHttp,
  log_level: ({ logLevel }) => logLevel,
  authorize: ({ authorize }) => authorize,
  drain_notice_ms: ({ drainNoticeMs }) => drainNoticeMs,
  drain_ms: ({ drainMs }) => drainMs,
  swap_drain_ms: ({ swapDrainMs }) => swapDrainMs,
};

const apart = new Set(['plugins', 'adapters', 'providers', 'bindings']);

function serverSettings({ config, description: { settings } }: SettingsSource): readonly Setting[] {
  const { env } = config.secrets;
  const names = Object.keys(settings['properties'] ?? {}).filter((name) => !apart.has(name));
  return names.map((name) => {
    const schema = memberOf(settings, name);
    const raw = config.file[name as keyof Config['file']];
    const from = variableOf[name];
    const about = { part: 'server', name, ...described(schema) };
    // The file has priority for the listeners alone.
    if (from !== undefined && env[from] !== undefined && (name !== 'listen' || raw === undefined)) {
      const shown = name === 'store' ? { hidden: true as const } : valueOf(inUse[name]?.(config));
      return { ...about, source: 'environment', from, ...shown };
    }
    if (raw !== undefined) return { ...about, ...written(name, raw, schema) };
    return { ...about, source: 'default', ...valueOf(inUse[name]?.(config)) };
  });
}

const secretVariables = new Set(['ORB_MASTER_KEY', 'ORB_STORE_URL', 'ORB_STORE_MIGRATION_URL']);
const clientVariables = new Set(['ORB_URL', 'ORB_KEY']);

function variableSettings({ config, description: { variables }, node }: SettingsSource): readonly Setting[] {
  const { env } = config.secrets;
  const shown = new Set(Object.values(variableOf));
  const known: Readonly<Record<string, string>> = {
    ORB_HOME: config.home,
    ORB_STATE_DIR: config.stateDir,
    ORB_NODE: node,
  };
  return Object.entries(variables)
    .filter(([name]) => !shown.has(name) && !clientVariables.has(name))
    .map(([name, description]) => {
      const isSet = env[name] !== undefined;
      const about = { part: 'environment', name, description };
      if (isSet && secretVariables.has(name)) return { ...about, source: 'environment', from: name, hidden: true };
      const value = valueOf(known[name] ?? env[name]);
      return isSet
        ? { ...about, source: 'environment', from: name, ...value }
        : { ...about, source: 'default', ...value };
    });
}

function pluginSettings({ name, config: schema }: Description['plugins'][number], source: SettingsSource) {
  const chosen = source.config.file.plugins?.[name];
  const raw = chosen === undefined || chosen === false ? {} : (chosen.config ?? {});
  return membersOf(`plugins.${name}`, raw, schema);
}

const leftOut = ({ config }: SettingsSource): readonly Setting[] =>
  Object.entries(config.file.plugins ?? {})
    .filter(([, chosen]) => chosen === false)
    .map(([name]) => ({ part: `plugins.${name}`, name: 'enabled', value: 'false', source: 'file' }));

function providerSettings(provider: Provider, { reloaded }: SettingsSource): readonly Setting[] {
  const { adapter, name, limits } = provider;
  const part = `providers.${name}`;
  const source = originOf(provider);
  const own = (member: string, value: unknown): Setting => ({ part, name: member, source, ...valueOf(value) });
  // The configuration of a provider of the store is sealed; `GET /providers/{name}` shows it without its secrets.
  const raw = source === 'file' ? (reloaded.file.providers?.[name]?.config ?? {}) : undefined;
  return [
    own('adapter', adapter.name),
    ...(limits === undefined ? [] : [own('limits', limits)]),
    ...(raw === undefined ? [] : membersOf(part, raw, adapter.config)),
  ];
}

function bindingSetting(
  { orb, order, source }: Pick<Binding, 'orb' | 'order' | 'source'>,
  { orders, reloaded }: SettingsSource,
): Setting {
  const { orb_id: name } = orb;
  const inFile = Object.hasOwn(reloaded.file.bindings ?? {}, name);
  const stored = source === 'swap' || (!inFile && Object.hasOwn(orders, name));
  const names = order.map(({ provider }) => provider.name);
  return { part: 'bindings', name, ...valueOf(names), source: stored ? 'store' : inFile ? 'file' : 'default' };
}

// The members that a schema describes, and those that are only written.
function membersOf(part: string, raw: object, schema: JsonSchema): readonly Setting[] {
  const values = raw as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(schema['properties'] ?? {}), ...Object.keys(values)]);
  return [...names].map((name) => {
    const member = memberOf(schema, name);
    const about = { part, name, ...described(member) };
    if (Object.hasOwn(values, name)) return { ...about, ...written(name, values[name], member) };
    return { ...about, source: 'default', ...valueOf(member?.['default']) };
  });
}

function written(
  name: string,
  raw: unknown,
  schema: JsonSchema | undefined,
): Pick<Setting, 'source' | 'from' | 'value' | 'hidden'> {
  const reference = referenceOf(raw);
  if (reference !== undefined) return { ...reference, hidden: true };
  return { source: 'file', ...shownValue(name, raw, schema) };
}

const valueOf = (value: unknown) => given({ value: value === undefined ? undefined : JSON.stringify(value) });

const described = (schema: JsonSchema | undefined) =>
  given({ description: (schema?.['description'] ?? schema?.['title']) as string | undefined });
