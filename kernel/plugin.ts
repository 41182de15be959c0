import type { Scopes } from './access.ts';
import type { Brand } from './config/config.ts';
import type { Clock } from './tools/clock.ts';
import type { PluginTools } from './cli/command/command.ts';
import type { FactOwner } from './fact.ts';
import type { HealthCheck } from './health.ts';
import type { HookCalls, HookTaps } from './hooks.ts';
import type { PluginHook } from './plugin-hook.ts';
import type { ProblemType } from './error.ts';
import type { Route } from './http/route/route.ts';
import type { Ids } from './tools/id.ts';
import type { Log } from './tools/log.ts';
import type { Metrics } from './tools/metrics.ts';
import type { Platform } from './platform.ts';
import type { EngineDeclaration } from './store/engine.ts';
import { given } from './tools/given.ts';
import { exactly, type Infer, type JsonSchema } from './tools/schema.ts';
import type { Resolved, ServiceToken } from './service.ts';
import type { Operations, Store, StoreModule } from './store/contract.ts';

type Tokens = Readonly<Record<string, ServiceToken<unknown>>>;

/** Everything a plugin may use; nothing else, and nothing global. */
export interface PluginScope<Config, Requires extends Tokens, Uses extends Tokens = Record<never, never>> {
  /** Validated, defaults filled, secrets resolved. */
  readonly config: Config;
  readonly hooks: HookTaps;
  /** Calls the hooks that the plugin declares. */
  readonly calls: HookCalls;
  /** True when platform.json names this plugin as deciding: it alone may tap `authorize`. */
  readonly deciding: boolean;
  /** The required services, and those of `uses` that a plugin provides. */
  readonly services: Resolved<Requires> & Partial<Resolved<Uses>>;
  readonly store: Store;
  readonly platform: Platform;
  /** All scopes of the installation, by name. */
  readonly scopes: Scopes;
  /** All kinds of facts of the installation, with those of shipped plugins that are left out, each with its plugin. */
  readonly facts: readonly FactOwner[];
  /** What its `files` read; undefined when it has none. */
  readonly files: unknown;
  /** Base of links, without a slash at the end. */
  readonly publicUrl: string;
  /** Base of links to routes that are `whole`; undefined: no address serves them. */
  readonly wholeUrl: string | undefined;
  /** Name, accent and logo that the operator gave this installation. */
  readonly brand: Brand;
  /** Absolute path of ORB_HOME, the folder of `data/` and `policies/`. */
  readonly home: string;
  readonly stateDir: string;
  readonly version: string;
  /** Reports the health of a component; without its name, that of the plugin. */
  readonly health: (check: HealthCheck, component?: string) => void;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The result of `open`. */
export interface Opened {
  readonly routes?: readonly Route[];
  /** Called once the port is open. */
  serving?(): void;
  /** Ends its work while all other plugins still run. Called once, before any `stop`. */
  close?(): Promise<void>;
}

/** The result of `start`. */
export interface Started<Provides extends Tokens, Ports extends Tokens = Record<never, never>> {
  /** Exactly the services it promised; may be left out when it promised none. */
  readonly services?: Resolved<Provides>;
  readonly routes?: readonly Route[];
  /** Called when all plugins have started, with those of its `ports` that somebody provides. */
  open?(ports: Partial<Resolved<Ports>>): Promise<Opened>;
  /** Releases what start took. Called once, in reverse order of starting. */
  stop?(): Promise<void> | void;
}

/** A service plugin, its types erased. */
export interface Plugin extends PluginTools {
  /** Prefixes of the identifiers that it makes, such as `src` of `src_<ULID>`; no other plugin may name one of them. */
  readonly ids: readonly string[];
  /** Hooks that it owns: it alone calls them, others tap them by `hooks.of(hook)`. */
  readonly hooks: readonly PluginHook<never, unknown>[];
  /** Kinds of facts that it attests, by `platform.attest`; two plugins may declare a kind if both declare it alike. */
  readonly facts: FactOwner['facts'];
  /** Kinds of facts that it attests and that the plugin of the hook `attest` knows by itself. */
  readonly attests: readonly string[];
  readonly requires: Tokens;
  readonly uses: Tokens;
  /** Optional services of plugins that may start later: it gets them in `open`. */
  readonly ports: Tokens;
  readonly provides: Tokens;
  readonly scopes: Scopes;
  /** Problems of its routes, operations and threads, in addition to the kernel's; made by `defineProblems`. */
  readonly problems: Readonly<Record<string, ProblemType>>;
  /** Engines that keep the store elsewhere than in a file. */
  readonly engines: readonly EngineDeclaration[];
  /** Store modules of its parts, in addition to its own. */
  readonly stores: readonly StoreModule<Operations, unknown>[];
  start(scope: PluginScope<never, Tokens>): Promise<Started<Tokens, Tokens>>;
}

type Optional = Exclude<keyof Plugin, 'name' | 'config' | 'store' | 'start' | Port>;
type Port = 'requires' | 'uses' | 'ports' | 'provides';

// What an author writes. Importing the file does nothing; `start` may be called once.
interface PluginDefinition<
  C extends JsonSchema,
  Req extends Tokens,
  Prov extends Tokens,
  Uses extends Tokens = Record<never, never>,
  Ports extends Tokens = Record<never, never>,
>
  extends Pick<Plugin, 'name'>, Partial<Pick<Plugin, Optional>> {
  readonly config?: C;
  /** Required services; the plugin starts after their owners. */
  readonly requires?: Req;
  /** Optional services, used when a plugin provides them. */
  readonly uses?: Uses;
  /** Optional services of plugins that may start later, for `open`. */
  readonly ports?: Ports;
  readonly provides?: Prov;
  readonly store?: StoreModule<Operations, never> | StoreModule<never, never> | object | string;
  start(scope: PluginScope<Infer<C>, Req, Uses>): Promise<Started<Prov, Ports>> | Started<Prov, Ports>;
}

const noConfig = exactly({});
const nothing = {
  config: noConfig,
  ...{ requires: {}, uses: {}, ports: {}, provides: {}, scopes: {}, problems: {} },
  ...{ ids: [], hooks: [], facts: [], attests: [], commands: [], examinations: [], engines: [], keeps: [], stores: [] },
};

/** Defines a plugin: define → configure → start → stop. */
export function definePlugin<
  const C extends JsonSchema = typeof noConfig,
  const Req extends Tokens = Record<never, never>,
  const Prov extends Tokens = Record<never, never>,
  const Uses extends Tokens = Record<never, never>,
  const Ports extends Tokens = Record<never, never>,
>(definition: PluginDefinition<C, Req, Prov, Uses, Ports>): Plugin {
  // The types of its configuration, services and store are erased: only the plugin's own code needs them.
  return Object.freeze({
    ...nothing,
    ...given(definition),
    start: async (scope: never) => definition.start(scope),
  } as Plugin);
}
