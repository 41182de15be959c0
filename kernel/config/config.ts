import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import stripComments from 'strip-json-comments';
import { ConfigError } from '../error.ts';
import { apiServices, type ServiceName } from '../http/route/route.ts';
import { logLevels, type LogFormat, type LogLevel } from '../tools/log/level.ts';
import { compileLater, type Infer } from '../tools/schema.ts';
import { referencedVariables, resolveReferences, type SecretSource } from './secret.ts';
import { nodeNameFault } from '../store/node.ts';
import { given } from '../tools/given.ts';
import { ProgramFolder } from './program-folder.ts';
import { platformFile, variables, type limit } from './settings.ts';
import { stateDirOf, type Environment } from './state-dir.ts';
import { storeAddressOf, type EngineOwner, type StoreSettings } from './store-address.ts';
import type { StorePlace } from '../store/contract.ts';
import { withoutUnseen } from '../tools/text/html.ts';

/** Folder of the package, which holds the files that ORB_HOME does not have. */
export const packageDir: string = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** What a home takes from the folder of the package. */
export const program: ProgramFolder = new ProgramFolder(packageDir);

// Certificate and key of a listener: PEM texts, and the references they were read from.
interface ListenTls {
  readonly cert: string;
  readonly key: string;
  readonly from: { readonly cert: unknown; readonly key: unknown };
}

interface Listen {
  readonly address: string;
  readonly services: readonly Exclude<ServiceName, 'shared'>[];
  /** Base of links to its services, without a slash at the end. */
  readonly publicUrl?: string;
  readonly tls?: ListenTls;
}

type Settings = Infer<typeof platformFile>;

/** A limit of rate and concurrency. */
export type Limit = Infer<typeof limit>;

/** The operator's whole configuration, defaults filled; provider and plugin configurations are still raw. */
export interface Config {
  readonly home: string;
  readonly stateDir: string;
  readonly listen: readonly Listen[];
  readonly publicUrl: string | undefined;
  readonly brand: Brand;
  readonly trustProxy: readonly string[];
  readonly connections: { readonly total?: number; readonly per_address?: number };
  readonly insecureHttp: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat | undefined;
  readonly masterKey: string | undefined;
  /** Where the store is; `load` reads it by the engines of the plugins. */
  readonly store: StoreSettings;
  /** Whether other nodes serve on the same database. */
  readonly severalNodes: boolean;
  /** Name of the node; absent: the one kept in the state dir. */
  readonly node: string | undefined;
  readonly authorize: string;
  /** How long the server answers as before while it says that it is not ready, ms. */
  readonly drainNoticeMs: number;
  /** How long open requests may take at a stop, ms. */
  readonly drainMs: number;
  /** How long runs may finish on a provider that was replaced, ms. */
  readonly swapDrainMs: number;
  readonly keyLimit: Limit;
  /** `false`: the plugin is left out. */
  readonly plugins: Readonly<NonNullable<Settings['plugins']>>;
  readonly adapters: Readonly<NonNullable<Settings['adapters']>>;
  /** The configurations of plugins and providers are still raw. */
  readonly providers: Readonly<NonNullable<Settings['providers']>>;
  readonly bindings: Readonly<NonNullable<Settings['bindings']>>;
  readonly secrets: SecretSource;
  readonly file: Settings; // As it is written: references are not resolved.
}

// Gives the code of a file error, because its message would name the path.
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

const validate = compileLater(platformFile);

/** Reads `data/platform.json` and `ORB_*`; faults are added. Throws ConfigError when the file is unreadable. */
export function readConfig(env: Environment, cwd: string, faults: string[]): Config {
  const home = resolve(cwd, env['ORB_HOME'] ?? '.');
  const secrets: SecretSource = { env, home };
  const file = readPlatformFile(home);
  const found = validate(file);
  faults.push(...found.map(({ pointer, detail }) => `platform.json${pointer.slice(1)}: ${detail}`));
  faults.push(...unknownVariables(env, file), ...wrongLevel(env['ORB_LOG_LEVEL']), ...wrongNode(env['ORB_NODE']));
  // The valid settings are read on, so that their faults are reported together with those of the schema.
  const settings = without(file, new Set(found.map(({ pointer }) => pointer.split('/')[1] ?? ''))) as Settings;
  const address = env['ORB_LISTEN'] ?? '127.0.0.1:8080';
  const stateDir = stateDirOf(env, cwd);
  return {
    home,
    stateDir,
    listen: (settings.listen ?? [{ address }]).map((entry, index) =>
      listen(entry, settings.listen === undefined ? 'ORB_LISTEN' : `platform.json/listen/${index}`, secrets, faults),
    ),
    publicUrl: env['ORB_PUBLIC_URL']?.replace(/\/$/, '') ?? settings.public_url,
    brand: readBrand(settings.site ?? {}, home, faults),
    trustProxy: settings.trust_proxy ?? [],
    connections: settings.connections ?? {},
    insecureHttp: settings.insecure_http ?? false,
    logLevel: (env['ORB_LOG_LEVEL'] ?? settings.log_level ?? 'info') as LogLevel,
    logFormat: settings.log_format,
    masterKey: env['ORB_MASTER_KEY'],
    store: given({ store: settings.store, insecure_store: settings.insecure_store }),
    severalNodes: settings.store?.several_nodes ?? false,
    node: env['ORB_NODE'],
    authorize: settings.authorize ?? 'policy',
    drainNoticeMs: settings.drain_notice_ms ?? 0,
    drainMs: settings.drain_ms ?? 30_000,
    swapDrainMs: settings.swap_drain_ms ?? 30_000,
    keyLimit: settings.limits?.key ?? {},
    plugins: settings.plugins ?? {},
    adapters: settings.adapters ?? {},
    providers: settings.providers ?? {},
    bindings: settings.bindings ?? {},
    secrets,
    file: settings,
  };
}

/** Reads which plugins `data/platform.json` names; none when it is unreadable or has faults there. */
export function readPluginSettings(env: Environment, cwd: string): Pick<Config, 'home' | 'plugins'> {
  const home = resolve(cwd, env['ORB_HOME'] ?? '.');
  return { home, plugins: valid(home, ({ plugins = {} }) => ({ plugins })).plugins ?? {} };
}

/** Finds where the store is, for a command, by the engines of the plugins that ship. Throws ConfigError. */
export function storePlaceOf(env: Environment, cwd: string, shipped: readonly EngineOwner[]): StorePlace {
  const { home, plugins } = readPluginSettings(env, cwd);
  const faults: string[] = [];
  const settings = valid(home, ({ store, insecure_store }) => given({ store, insecure_store }));
  const address = storeAddressOf(settings, { env, home }, { owners: shipped, plugins }, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { stateDir: stateDirOf(env, cwd), ...given({ address }) };
}

// Some members of the file; none when one has a fault, which `orb config check` reports.
function valid<T extends object>(home: string, membersOf: (file: Settings) => T): Partial<T> {
  try {
    const members = membersOf(readPlatformFile(home) ?? {});
    if (validate(members).length === 0) return members;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  return {};
}

/** Parses JSON that may hold comments and trailing commas; an error names positions of the file. Throws SyntaxError. */
export function parseSettings(text: string): unknown {
  return JSON.parse(stripComments(text, { trailingCommas: true }));
}

function readPlatformFile(home: string): unknown {
  const { path, shown } = program.platformFile(home);
  try {
    return parseSettings(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`${shown}: cannot be read as JSON (${reasonOf(error)})`]);
  }
}

function without(file: unknown, members: ReadonlySet<string>): object {
  if (typeof file !== 'object' || file === null || members.has('')) return {};
  return Object.fromEntries(Object.entries(file).filter(([name]) => !members.has(name)));
}

function listen(
  entry: NonNullable<Settings['listen']>[number],
  path: string,
  secrets: SecretSource,
  faults: string[],
): Listen {
  if (!/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/.test(entry.address))
    faults.push(`${path}/address: must be host:port or [v6]:port`);
  const { address, services = apiServices, public_url: publicUrl, tls } = entry;
  const read = tls && readTls({ cert: tls.cert, key: tls.key }, `${path}/tls`, secrets, faults);
  return { address, services, ...given({ publicUrl, tls: read }) };
}

function readTls(
  from: ListenTls['from'],
  path: string,
  secrets: SecretSource,
  faults: string[],
): ListenTls | undefined {
  const { cert, key } = resolveReferences(from, path, secrets, faults) as { cert: unknown; key: unknown };
  if (typeof cert !== 'string' || typeof key !== 'string') {
    faults.push(`${path}: cert and key must be PEM text; write {"$file": "path"}`);
    return undefined;
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    faults.push(`${path}: cert and key must be a PEM pair (${reasonOf(error)})`);
    return undefined;
  }
  return { cert, key, from };
}

/** Reads certificate and key of a listener again. Throws when they cannot be read. */
export function rereadTls({ from }: ListenTls, secrets: SecretSource): ListenTls {
  const faults: string[] = [];
  const tls = readTls(from, 'tls', secrets, faults);
  if (tls === undefined || faults.length > 0) throw new Error(faults.join('; '));
  return tls;
}

function unknownVariables(env: Environment, file: unknown): string[] {
  const known = new Set<string>([...Object.keys(variables), ...referencedVariables(file)]);
  return Object.keys(env)
    .filter((name) => name.startsWith('ORB_') && !known.has(name))
    .map((name) => `environment/${name}: is not a known variable; remove it, or refer to it with {"$env": …}`);
}

function wrongLevel(level: string | undefined): string[] {
  if (level === undefined || (logLevels as readonly string[]).includes(level)) return [];
  return [`environment/ORB_LOG_LEVEL: must be one of ${logLevels.join(', ')}`];
}

function wrongNode(name: string | undefined): string[] {
  const fault = name === undefined ? undefined : nodeNameFault(name);
  return fault === undefined ? [] : [`environment/ORB_NODE: ${fault}`];
}

/** What an operator sets once for all pages. */
export interface Brand {
  readonly name: string;
  readonly notice?: string;
  /** `#rrggbb` */
  readonly accent?: string;
  readonly logo?: { readonly type: 'image/svg+xml' | 'image/png'; readonly bytes: Uint8Array };
}

type SiteSettings = NonNullable<Infer<typeof platformFile>['site']>;

const defaultName = 'Agent Orb Platform';

const mostLogoBytes = 64 * 1024;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Reads what an operator set for the pages; what is wrong is collected into `faults`. */
export function readBrand({ name, notice, accent, logo }: SiteSettings, home: string, faults: string[]): Brand {
  const shown = withoutUnseen(name ?? defaultName).trim();
  if (shown === '') faults.push('platform.json/site/name: must contain a visible character');
  const picture = logo === undefined ? undefined : readLogo(resolve(home, logo), faults);
  return { name: shown, ...given({ notice, accent, logo: picture }) };
}

function readLogo(path: string, faults: string[]): Brand['logo'] {
  const fault = (text: string): undefined => void faults.push(`platform.json/site/logo: ${text}`);
  try {
    if (statSync(path).size > mostLogoBytes) return fault('must be a file of at most 64 KiB');
    const bytes = readFileSync(path);
    if (bytes.subarray(0, png.length).equals(png)) return { type: 'image/png', bytes };
    const text = bytes.toString('utf8').trimStart();
    if (/^(?:<\?xml[^>]*\?>\s*)?(?:<!--[^]*?-->\s*)*<svg[\s>]/.test(text)) return { type: 'image/svg+xml', bytes };
    return fault('must be an SVG or a PNG file');
  } catch (error) {
    // The message of the error would name the whole path.
    return fault(`is not readable (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
