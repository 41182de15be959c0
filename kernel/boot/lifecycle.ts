import { ConfigError } from '../error.ts';
import type { Log } from '../tools/log.ts';
import type { Opened, PluginScope, Started } from '../plugin.ts';
import type { ServiceToken } from '../service.ts';
import { within } from '../tools/every.ts';
import type { LoadedPlugin } from './loaded.ts';

type Tokens = Readonly<Record<string, ServiceToken<unknown>>>;

// Makes the scope of one plugin; `services` are the required ones, resolved.
type ScopeFor = (loaded: LoadedPlugin, services: Readonly<Record<string, unknown>>) => PluginScope<never, Tokens>;

type Services = ReadonlyMap<string, unknown>;

interface LifecycleOptions {
  readonly log: Log;
  /** The kernel's own services by the names of their tokens. */
  readonly own: Services;
}

interface StartedPlugin {
  readonly plugin: LoadedPlugin['plugin'];
  readonly name: string;
  readonly answer: Started<Tokens, Tokens>;
}

export interface StartedPlugins {
  readonly started: readonly StartedPlugin[];
  /** Opens those that do more once all have started, in the order of starting; the last one opened closes first. */
  open(): Promise<OpenPlugins>;
  /** Stops all, in reverse order of starting, each for 10 s at most; failures are logged. */
  stop(): Promise<void>;
}

/** What plugins do once all of them have started. */
export interface OpenPlugins extends Required<Opened> {
  readonly routes: NonNullable<Opened['routes']>;
}

const startTimeoutMs = 30_000;
// The rest of the shutdown, with the store closed last, must fit into the time that a supervisor waits.
const stopTimeoutMs = 10_000;

/** Starts plugins, each after those it requires. After a failed start the started ones stop; the error names it. */
export async function startPlugins(
  plugins: readonly LoadedPlugin[],
  scopeFor: ScopeFor,
  { log, own }: LifecycleOptions,
): Promise<StartedPlugins> {
  const services = new Map(own);
  const started: StartedPlugin[] = [];
  const stop = ending(started, log, 'stop', ({ answer }) => within(stopTimeoutMs, answer.stop?.()));
  const ordered = inOrder(plugins, own);
  try {
    for (const loaded of ordered) {
      const answer = await startOne(loaded, scopeFor, services);
      started.push({ plugin: loaded.plugin, name: loaded.plugin.name, answer });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { started, open: () => openAll(started, services, log), stop };
}

type Named = Pick<StartedPlugin, 'name'>;

// Ends all of a list, the last one first; a failure is logged, and the others end nevertheless.
function ending<One extends Named>(all: One[], log: Log, what: 'stop' | 'close', end: (one: One) => unknown) {
  return async (): Promise<void> => {
    for (const one of all.splice(0).reverse())
      try {
        await end(one);
      } catch (error) {
        log.error({ err: error, plugin: one.name }, `a plugin did not ${what} cleanly`);
      }
  };
}

async function openAll(started: readonly StartedPlugin[], services: Services, log: Log): Promise<OpenPlugins> {
  const opened: { readonly name: string; readonly found: Opened }[] = [];
  const close = ending(opened, log, 'close', ({ found }) => found.close?.());
  try {
    for (const { name, plugin, answer } of started) {
      const found = await answer.open?.(resolvedOf(plugin.ports, services));
      if (found !== undefined) opened.push({ name, found });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    routes: opened.flatMap(({ found: { routes = [] } }) => routes),
    serving: () => opened.forEach(({ found }) => found.serving?.()),
    close,
  };
}

const resolvedOf = (tokens: Tokens, services: Services): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(tokens).map(([key, token]) => [key, services.get(token.name)]));

async function startOne(
  loaded: LoadedPlugin,
  scopeFor: ScopeFor,
  services: Map<string, unknown>,
): Promise<Started<Tokens, Tokens>> {
  const { name, requires, uses, provides, start } = loaded.plugin;
  const resolved = resolvedOf({ ...uses, ...requires }, services);
  const begun = performance.now();
  const failed = (error: unknown): Error => {
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`plugin ${name} did not start (after ${Math.round(performance.now() - begun)} ms): ${message}`, {
      cause: error,
    });
  };
  try {
    const answer = await within(startTimeoutMs, start(scopeFor(loaded, resolved)));
    for (const [key, token] of Object.entries(provides)) {
      const service = answer.services?.[key];
      if (service === undefined) throw new Error(`it declares the service ${token.name} but did not return it`);
      services.set(token.name, service);
    }
    return answer;
  } catch (error) {
    throw error instanceof ConfigError ? error : failed(error);
  }
}

// Sorts plugins so that each comes after those it requires. Throws ConfigError on a gap, a cycle or two owners.
function inOrder(plugins: readonly LoadedPlugin[], own: Services): readonly LoadedPlugin[] {
  const owners = ownersOf(plugins, own);
  const sorted: LoadedPlugin[] = [];
  const visiting: string[] = [];
  const visit = (loaded: LoadedPlugin): void => {
    const { name, requires, uses } = loaded.plugin;
    if (sorted.includes(loaded)) return;
    if (visiting.includes(name))
      throw new ConfigError([`plugins.${name}: has a circular dependency: ${[...visiting, name].join(' → ')}`]);
    visiting.push(name);
    for (const token of Object.values(requires)) {
      if (own.has(token.name)) continue;
      const owner = owners.get(token.name);
      if (owner === undefined)
        throw new ConfigError([`plugins.${name}: requires the service ${token.name}, which no plugin provides`]);
      visit(owner);
    }
    for (const token of Object.values(uses)) {
      const owner = owners.get(token.name);
      if (owner !== undefined) visit(owner);
    }
    visiting.pop();
    sorted.push(loaded);
  };
  plugins.forEach(visit);
  return sorted;
}

function ownersOf(plugins: readonly LoadedPlugin[], own: Services): ReadonlyMap<string, LoadedPlugin> {
  const owners = new Map<string, LoadedPlugin>();
  for (const loaded of plugins) {
    for (const token of Object.values(loaded.plugin.provides)) {
      const other = own.has(token.name) ? 'the kernel' : owners.get(token.name)?.plugin.name;
      if (other !== undefined)
        throw new ConfigError([
          `plugins.${loaded.plugin.name}: provides the service ${token.name}, which ${other} provides too`,
        ]);
      owners.set(token.name, loaded);
    }
  }
  return owners;
}
