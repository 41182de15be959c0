import { definePlugin, exactly, optional, grouped, integer } from '../../kernel/index.ts';
import { incidents } from '../ingestion/contract.ts';
import { scheduleCommands } from './commands.ts';
import { problems } from './problems.ts';
import { changeRoutes } from './routes/change.ts';
import { createRoute } from './routes/create.ts';
import { readRoutes } from './routes/read.ts';
import { runRoute } from './routes/run.ts';
import type { RouteScope } from './routes/scope.ts';
import { updateRoute } from './routes/update.ts';
import type { ScheduleScope } from './scope.ts';
import { HandOver } from './slots/hand-over.ts';
import { Scheduler } from './slots/scheduler.ts';
import { Stops } from './slots/stops.ts';
import schedulesStore from './store.ts';
import { runtime, credential } from '../runtime/contract.ts';

const config = exactly({
  most_per_tenant: optional(integer(1, 100_000, 1000, 'Maximum number of schedules per tenant')),
});

/** Runs Orbs at the times of cron patterns, by the queue of runs. */
export default definePlugin({
  name: 'schedules',
  ids: ['sch', 'slt'],
  config,
  problems,
  scopes: { 'schedules:manage': { title: 'Create, read, change, pause and delete schedules of runs' } },
  requires: { runtime },
  uses: { credential, incidents },
  commands: grouped([{ name: 'schedules', task: 'run', summary: 'run Orbs on a schedule' }], scheduleCommands),
  keeps: [
    { what: 'slots of schedules', tables: ['schedules_slots'], advice: 'The newest 500 of each schedule are kept.' },
  ],
  store: schedulesStore,
  start(given) {
    const { config: settings, hooks, services, store } = given;
    const reads = store.reads(schedulesStore);
    // Without an authenticator that knows its keys again no schedule runs.
    const { credential: known = () => undefined, incidents: kept } = services;
    const shared: ScheduleScope = { ...given, runtime: services.runtime, reads, credential: known, incidents: kept };
    const stops = new Stops(shared);
    const handOver = new HandOver({ ...shared, stops });
    const scheduler = new Scheduler({ ...shared, handOver });
    // One node hands over what is due; it tells again of what had stopped before, which the one before may have missed.
    const begin = async (): Promise<void> => {
      await stops.start();
      scheduler.start();
    };
    hooks.ready.tap('schedules', () => store.peers.whenHeld('schedules', begin).begun);
    const lists = store.awaitedReads(schedulesStore);
    const scope: RouteScope = { ...shared, lists, stops, most: settings.most_per_tenant ?? 1000 };
    const made = [createRoute(scope), updateRoute(scope), runRoute(scope)];
    return { routes: [...made, ...readRoutes(scope), ...changeRoutes(scope)], stop: () => scheduler.stop() };
  },
});
