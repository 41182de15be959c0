import { setTimeout as delay } from 'node:timers/promises';
import { kernelScopes, type Scopes } from './access.ts';
import { followingClock, systemClock, timestamp, type Clock } from './tools/clock.ts';
import { rereadTls, type Config } from './config/config.ts';
import { describeProgram, type Description } from './description.ts';
import type { Command } from './cli/command/command.ts';
import { ConfigError } from './error.ts';
import type { FactOwner } from './fact.ts';
import { guarded, type Health, type HealthCheck } from './health.ts';
import { createHooks, type Hooks } from './hooks.ts';
import { checkSchemas } from './http/route/parameters.ts';
import type { Route } from './http/route/route.ts';
import { wholeUrlOf } from './http/request/links.ts';
import { createHttp, type Http, type HttpOptions } from './http/server/server.ts';
import { createIds, idsOf } from './tools/id.ts';
import { startPlugins, type OpenPlugins, type StartedPlugins } from './boot/lifecycle.ts';
import { createLog, textWriter, type ServerLog } from './tools/log.ts';
import { createMetrics } from './tools/metrics.ts';
import { platformFor, type PlatformOptions } from './platform.ts';
import { boundedRoutes, provenBy } from './store-away.ts';
import type { Plugin } from './plugin.ts';
import { problemTable } from './problem-table.ts';
import { systemRoutes } from './system-routes.ts';
import { sealerOf } from './store/sealer.ts';
import { measureSetup } from './setup-metrics.ts';
import { openStore, type OpenStore } from './store/serving/store.ts';
import { given } from './tools/given.ts';
import { version } from './tools/version.ts';
import { configuration, type Configuration, type Loaded, type LoadedPlugin, type Reread } from './boot/loaded.ts';
import { problemsOf } from './http/route/route-problem.ts';

/** What a kernel is made of. */
export interface KernelOptions {
  readonly config: Config;
  readonly loaded: Loaded;
  /** The commands that ship, for pages that describe the program. */
  readonly commands?: readonly Command[];
  readonly clock?: Clock;
  /** Id of the installation if its store is new. */
  readonly installation?: string;
  readonly log?: ServerLog;
  /** Reads the configuration again, for `POST /config/reload`. */
  readonly reread: Reread;
  /** For tests: checks every JSON answer against its route's schema. */
  readonly checkResponse?: HttpOptions['checkResponse'];
  /** For tests: stands between the store and all who use it. */
  readonly throughStore?: (store: OpenStore) => OpenStore;
  /** For tests: hears of every call of a tap. */
  readonly onTap?: (hook: string, tap: string) => void;
}

/** A running kernel. */
export interface Kernel {
  readonly listeners: readonly { readonly url: string; readonly services: readonly string[] }[];
  readonly routes: readonly Route[];
  readonly hooks: Hooks;
  /** Resolves when another process has taken the database that is the store: this one serves no more. */
  readonly lost: Promise<void>;
  /** Logs and counts an uncaught error. */
  readonly uncaught: (error: unknown) => void;
  /** Answers 503 to new requests, lets open ones end, then stops plugins in reverse, providers, and the store last. */
  stop(): Promise<void>;
}

/** Boots: store → plugins start → plugins open → `ready` → port open. Throws after stopping what had started. */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const undo: (() => Promise<void>)[] = [];
  try {
    return await boot(options, undo);
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined);
    throw error;
  }
}

async function boot(options: KernelOptions, undo: (() => Promise<void>)[]): Promise<Kernel> {
  const base = createBase(options);
  const { log, hooks } = base;
  for (const warning of options.loaded.warnings) log.warn({}, warning);
  measureSetup(base, options.loaded);
  const store = await openStoreOf(base, options, undo);
  const { config, loaded, commands = [], reread } = options;
  let http: Http | undefined = undefined;
  const describe = (): Description => {
    if (http === undefined) throw new Error('the program can be described only while it serves');
    return describeProgram({ ...base, adapters: loaded.adapters, commands, routes: http.routes });
  };
  const platform = { ...base, node: store.node, describe };
  const own = new Map([[configuration.name, { config, loaded, reread } satisfies Configuration]]);
  const plugins = await startPlugins(loaded.plugins, scopes(base, store, platform, loaded.facts), { log, own });
  undo.push(() => plugins.stop());
  const silent = hooks.silent();
  if (silent.length > 0)
    throw new ConfigError([`plugins: no plugin answers ${silent.join(', ')}; do not leave out the one that does`]);
  const open = await plugins.open();
  undo.push(() => open.close());
  await hooks.ready();
  hooks.seal();
  // What others changed while this process started, as a key that was revoked, is learned before a request comes.
  await store.begin();
  const routes = boundedRoutes(routesOf(base, store, { open, plugins }), store.waits);
  checkExternal(loaded, plugins);
  checkRoutes(routes, base);
  http = createHttp({ ...base, hooks: provenBy(store, hooks), routes, ...httpOptions(options) });
  const listeners = await http.start();
  open.serving();
  base.state.now = 'ready';
  const stopAll = stop.bind(undefined, base, http, undo);
  return { listeners, routes, hooks, lost: store.lost, uncaught: uncaughtBy(base), stop: stopAll };
}

async function openStoreOf(base: Base, options: KernelOptions, undo: (() => Promise<void>)[]): Promise<OpenStore> {
  const { config, installation, loaded, throughStore = (own: OpenStore) => own } = options;
  const { masterKey, node, severalNodes: beside } = config;
  const modules = loaded.plugins.flatMap((plugin) => plugin.stores);
  const settings = given({ list: loaded.stores, masterKey, node, installation, address: loaded.place.address });
  const store = throughStore(await openStore({ ...base, modules, beside, ...settings }));
  undo.push(() => store.close());
  // All nodes have the same time, whatever the clocks of their machines show.
  if (store.now !== undefined) base.follows?.follow(store.now);
  base.health.set('store', store.health);
  return store;
}

type Base = ReturnType<typeof createBase>;

function createBase(options: KernelOptions) {
  const { config, loaded, log = logOf(config), onTap } = options;
  const plugins = loaded.plugins.map(({ plugin }) => plugin);
  // Set when the clock is to follow that of the store.
  const follows = loaded.place.address === undefined || options.clock !== undefined ? undefined : followingClock();
  const clock = options.clock ?? follows ?? systemClock;
  const metrics = createMetrics();
  const failures = metrics.counter('orb_hook_failures_total', 'Failures of listeners; they do not affect other work', [
    'hook',
    'tap',
  ]);
  const hooks = createHooks(
    {
      failed: (hook, tap, error) => {
        failures.inc({ hook, tap });
        log.error({ err: error, hook, tap }, `a listener of the hook ${hook} failed`);
      },
      outdated: (hook, tap) =>
        log.warn({ hook, tap }, `${tap} taps hooks.${hook}, which the next version does not have; see the CHANGELOG`),
      ...given({ timed: onTap }),
    },
    plugins,
  );
  const state: { now: 'starting' | 'ready' | 'draining' } = { now: 'starting' };
  return {
    ...{ config, plugins, version, clock, follows, log, metrics, hooks, state },
    stateDir: config.stateDir,
    publicUrl: config.publicUrl ?? publicUrlOf(config),
    ids: createIds(clock),
    health: new Map<string, HealthCheck>(),
    allScopes: scopesOf(plugins),
    problems: problemTable(plugins),
    startedAt: clock.monotonic(),
  };
}

function logOf({ logLevel, logFormat = process.stderr.isTTY ? 'text' : 'json' }: Config): ServerLog {
  return createLog(logLevel, textWriter(logFormat));
}

function publicUrlOf({ listen: [first] }: Config): string {
  return `${first?.tls === undefined ? 'http' : 'https'}://${first?.address ?? 'localhost'}`;
}

function scopes(base: Base, store: OpenStore, platform: PlatformOptions, facts: readonly FactOwner[]) {
  return ({ plugin, config, files, stores }: LoadedPlugin, services: Readonly<Record<string, unknown>>) => ({
    config: config as never,
    hooks: base.hooks.taps({ deciding: plugin.name === base.config.authorize }),
    calls: base.hooks.callsOf(plugin),
    deciding: plugin.name === base.config.authorize,
    services,
    store: {
      ...store,
      sealer: sealerOf(store.sealer, {
        name: plugin.name,
        seals: stores.flatMap(({ module: { seals = [] } }) => seals),
      }),
    },
    platform: platformFor(plugin, platform),
    scopes: base.allScopes,
    facts,
    files,
    publicUrl: base.publicUrl,
    brand: base.config.brand,
    wholeUrl: wholeUrlOf({ ...base.config, publicUrl: base.publicUrl }),
    home: base.config.home,
    stateDir: base.stateDir,
    version,
    health: (check: HealthCheck, component = plugin.name) => void base.health.set(component, guarded(check)),
    metrics: base.metrics,
    log: base.log.child({ plugin: plugin.name }),
    clock: base.clock,
    ids: idsOf(base.ids, plugin),
  });
}

function uncaughtBy({ log, metrics }: Base): Kernel['uncaught'] {
  const count = metrics.counter('orb_uncaught_errors_total', 'Uncaught errors; each is a defect and is logged');
  return (error) => {
    count.inc();
    log.error({ err: error }, 'the server caught an unexpected error and continues');
  };
}

function httpOptions({ config, checkResponse: check }: KernelOptions) {
  const { connections, trustProxy, insecureHttp, secrets } = config;
  const listen = config.listen.map(({ tls, ...rest }) =>
    tls === undefined ? rest : { ...rest, tls: { ...tls, reread: () => rereadTls(tls, secrets) } },
  );
  return { listen, trustProxy, connections, insecureHttp, ...(check && { checkResponse: check }) };
}

/** All scopes of the kernel and of plugins, by name. */
export function scopesOf(plugins: readonly Plugin[]): Scopes {
  return Object.freeze(Object.assign({}, kernelScopes, ...plugins.map((plugin) => plugin.scopes)) as Scopes);
}

function routesOf(base: Base, store: OpenStore, { open, plugins }: { open: OpenPlugins; plugins: StartedPlugins }) {
  const components = (): Record<string, Health> =>
    Object.fromEntries([...base.health].map(([name, check]) => [name, check().health]));
  const own = systemRoutes({ ...base, state: () => base.state.now, components, isAway: store.isAway });
  return [...open.routes, ...own, ...plugins.started.flatMap(({ answer }) => answer.routes ?? [])];
}

function checkExternal(loaded: Loaded, { started }: StartedPlugins): void {
  const external = new Set(loaded.plugins.filter((each) => each.external).map(({ plugin }) => plugin.name));
  for (const { name, answer } of started) if (external.has(name)) answer.routes?.forEach(checkSchemas);
}

async function stop(base: Base, http: Http, undo: readonly (() => Promise<void>)[]): Promise<void> {
  base.state.now = 'draining';
  base.log.info({ at: timestamp(base.clock.now()) }, 'draining');
  // /health/ready answers 503 by now: a balancer that asks it sends the next requests elsewhere.
  if (base.config.drainNoticeMs > 0) await delay(base.config.drainNoticeMs);
  await http.drain(base.config.drainMs);
  for (const step of [...undo].reverse()) await step();
  base.log.info({}, 'stopped');
}

// Throws unless each route is public or names scopes that are declared, and names only declared problems.
function checkRoutes(routes: readonly Route[], { allScopes: known, problems }: Base): void {
  for (const { method, path, scope, public: open, anyKey } of routes) {
    if (open === true || anyKey === true) continue;
    const named = scope === undefined ? [] : [scope].flat();
    if (named.length === 0 || named.some((name) => known[name] === undefined))
      throw new Error(
        `${method} ${path} must name scopes that exist, or be public; it names ${named.join(', ') || 'none'}`,
      );
  }
  const faults = routes.flatMap((route) =>
    problemsOf(route)
      .filter((code) => !problems.has(code))
      .map((code) => `${route.method} ${route.path}: names the problem ${code}, which no plugin declares`),
  );
  if (faults.length > 0) throw new ConfigError(faults);
}
