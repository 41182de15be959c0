import type { RuntimeScope } from '../facts/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { platformRefusal } from '../outcome/outcome.ts';
import { inputParsers } from '../provider/input-parser.ts';
import { eventRecorder } from '../events/recording.ts';
import { runMetrics } from '../run/metrics.ts';
import { Execution, type ExecutionOptions } from '../run/execution.ts';
import { OpenRuns, RunLimits } from '../run/run-limits.ts';
import { intends } from '../run/run-fact.ts';
import { openLimits } from '../run/limits/open.ts';
import { RunQueue, type QueueOptions } from './queue.ts';
import { runEvents } from './run-events.ts';
import type { Configuration } from '../../../kernel/runner.ts';
import type { Metrics } from '../../../kernel/index.ts';

const away = 'this node has no connection to the database; nothing was sent';

/** What runs are executed with. */
type RunningOptions = RuntimeScope &
  Pick<
    ExecutionOptions,
    'approvals' | 'bindings' | 'descriptions' | 'meter' | 'retry' | 'standing' | 'tracing' | 'version'
  > &
  Pick<QueueOptions, 'credential' | 'keys'> & {
    readonly manifests: { readonly catalog: Catalog };
    readonly configuration: Pick<Configuration, 'config' | 'loaded'>;
    readonly metrics: Metrics;
  };

/** Makes what executes runs: at once, or when their turn has come. */
export async function openExecution(options: RunningOptions) {
  const { store, metrics, hooks, bindings, manifests } = options;
  const { config, loaded } = options.configuration;
  const openRuns = new OpenRuns();
  const announce = runMetrics(metrics, hooks, bindings);
  const parsers = inputParsers(loaded.adapters);
  const shared = { ...options, catalog: manifests.catalog, parsers, openRuns, announce, random: Math.random };
  // Another node may settle the runs of this node, and would not know of a call that is sent now.
  const fence = store.shared ? () => (store.isAway() ? platformRefusal('lease', away) : undefined) : undefined;
  const counting = openLimits(shared);
  const limits = new RunLimits(config.keyLimit, counting);
  const execution = new Execution({
    ...shared,
    limits,
    intend: intends(store, options.meter),
    fence,
    waits: store.waits,
  });
  const queue = new RunQueue({
    ...{ ...shared, execution, drainMs: config.drainMs },
    events: runEvents(eventRecorder(options)),
    line: counting.line,
  });
  metrics.gauge('orb_queued_runs', 'Asynchronous runs that are queued or running', () => queue.count());
  await queue.takeUp();
  return { openRuns, execution, queue };
}
