import { timestamp, type Clock } from '../clock.ts';
import { ConfigError } from '../error.ts';
import type { HealthChange } from '../health.ts';
import type { Hooks } from '../hooks.ts';
import type { Route } from '../http/route.ts';
import type { Ids } from '../id.ts';
import type { Config } from '../config.ts';
import type { Loaded } from '../loader.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Store } from '../store/contract.ts';
import { openBindings } from './bindings.ts';
import type { Catalog } from './catalog.ts';
import { Execution } from './execution.ts';
import { catalogRoutes, executeRoute, runRoutes } from './routes.ts';
import { unknownStanding, type Attempt, type RunSettled, type StandingPort } from './run.ts';
import runtimeStore from './store.ts';
import { systemRoutes, type SystemOptions } from './system-routes.ts';

/** What the runtime service is opened with. */
export interface RuntimeOptions {
  readonly config: Config;
  readonly loaded: Loaded;
  readonly store: Store;
  readonly hooks: Hooks;
  readonly stateDir: string;
  readonly version: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The port `standing`, when a plugin provides it. */
  readonly standing: unknown;
}

/** The runtime service: Orbs, Orbisets, runs, providers. */
export interface Runtime {
  routes(system: SystemOptions): readonly Route[];
  close(): Promise<void>;
}

/** Opens the runtime: checks manifests against those already used, opens and probes providers. */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { loaded, store, hooks, metrics, clock, config } = options;
  const reads = store.reads(runtimeStore);
  checkManifests(loaded.catalog, reads.usedManifests());
  const bindings = await openBindings({
    ...options,
    order: config.bindings,
    onHealth: (name, from, to, reason) => {
      const change: HealthChange = { kind: 'provider', name, from, to, reason, at: timestamp(clock.now()) };
      hooks.healthChanged(change);
    },
  });
  const execution = new Execution({
    ...options,
    catalog: loaded.catalog,
    bindings,
    // The plugin that provides the port promised its type by the kernel's own token.
    standing: (options.standing as StandingPort | undefined) ?? (() => unknownStanding),
    settled: announce(hooks, metrics),
  });
  return {
    routes: (system) => [
      executeRoute(execution),
      ...catalogRoutes(loaded.catalog),
      ...runRoutes(reads),
      ...systemRoutes(system),
    ],
    close: () => bindings.close(),
  };
}

function announce(hooks: Hooks, metrics: Metrics): (event: RunSettled, attempts: readonly Attempt[]) => void {
  const runs = metrics.counter('orb_runs_total', 'Runs by status', ['orb_id', 'status', 'mode']);
  const outcomes = metrics.counter('orb_attempts_total', 'Attempts by provider and outcome', ['provider', 'outcome']);
  return (event, attempts) => {
    runs.inc({ orb_id: event.orb_id, status: event.status, mode: event.mode });
    for (const { provider, outcome } of attempts) outcomes.inc({ provider, outcome });
    hooks.runSettled(event);
  };
}

function checkManifests({ orbs }: Catalog, used: ReadonlyMap<string, string>): void {
  const faults = [...orbs.values()]
    .filter(({ orb_id, digest }) => (used.get(orb_id) ?? digest) !== digest)
    .map(
      ({ orb_id }) => `orbs/${orb_id}.json: differs from the manifest that runs already used; give it a new version`,
    );
  if (faults.length > 0) throw new ConfigError(faults);
}
