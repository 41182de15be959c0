import {
  definePlugin,
  exactly,
  given,
  optional,
  type AwaitableReads,
  type PluginScope,
  type Held,
  grouped,
  integer,
} from '../../kernel/index.ts';
import { incidents, type Incidents } from '../ingestion/contract.ts';
import { pages } from '../pages/contract.ts';
import { showStatus } from './status-command.ts';
import { statusMetrics } from './metrics.ts';
import { showHealth } from './health/command.ts';
import { noteHealth } from './health/noting.ts';
import { healthRoute } from './health/route.ts';
import healthStore from './health/store.ts';
import { feedRoute } from './page/feed.ts';
import { historyPageRoute } from './page/history.ts';
import { statusPageRoute } from './page/page.ts';
import { statusRoutes } from './routes/status.ts';
import { statuspageRoutes } from './routes/statuspage.ts';
import { tracesRoute } from './routes/traces.ts';
import { Board } from './status/board.ts';
import { beatMs } from './status/gap.ts';
import { Heart } from './status/heartbeat.ts';
import type { Services } from './status/measure.ts';
import { Nodes } from './status/nodes.ts';
import { createHistory } from './status/history.ts';
import { keepWatch } from './status/watch.ts';
import observabilityStore from './store.ts';
import { recordTraces } from './traces/span.ts';
import { healthChanged } from '../runtime/contract.ts';

const config = exactly({
  restart_grace_s: optional(
    integer(0, 3600, 600, 'A clean restart within this many seconds counts as maintenance, a longer one as an outage'),
  ),
  heartbeat_s: optional(
    integer(
      1,
      3600,
      10,
      'Seconds between two records that the server runs; three times as long without one is an outage. Several nodes: always 10',
    ),
  ),
  spans: optional(integer(0, 100_000, 1000, 'How many recent spans are kept in memory for GET /traces')),
  retention_days: optional(
    integer(
      90,
      36_500,
      100,
      'How many days the periods are kept in which a service was not operational; /status shows up to 90',
    ),
  ),
});

// Used when no installed plugin provides incidents.
const noIncidents: Incidents = Object.freeze({
  open: () => [],
  maintenance: () => [],
  find: () => undefined,
  titleOf: () => undefined,
  between: () => [],
  maintenanceBetween: () => [],
  intervals: () => [],
  onChange: () => () => undefined,
  report: () => undefined,
});

/**
 * Measures the status of the platform, publishes it, and records the times when no process was running to measure it.
 */
export default definePlugin({
  name: 'observability',
  config,
  uses: { incidents, pages },
  commands: grouped(
    [
      { name: 'status', task: 'observe' },
      { name: 'providers', task: 'operate', summary: 'show, swap and change providers' },
    ],
    [showStatus, showHealth],
  ),
  keeps: [
    {
      what: 'times in which a service was not operational',
      tables: ['observability_spans'],
      settings: ['retention_days'],
    },
    {
      what: 'changes of the health of providers, by the minute',
      tables: ['observability_health_minutes'],
      settings: ['retention_days'],
    },
  ],
  store: observabilityStore,
  stores: [healthStore],
  async start(scope) {
    const { brand, store, clock, log, hooks, publicUrl, services } = scope;
    const { incidents: kept = noIncidents, pages: site } = services;
    const reads = store.reads(observabilityStore);
    const graceMs = (scope.config.restart_grace_s ?? 600) * 1000;
    const role = store.peers.whenHeld('status');
    const everyMs = store.shared ? beatMs : (scope.config.heartbeat_s ?? 10) * 1000;
    const { board, heart, nodes } = await openBoard(scope, { reads, kept, graceMs, everyMs, role });
    const history = createHistory(board, kept, scope);
    const keptDays = scope.config.retention_days ?? 100;
    const watch = keepWatch({ board, store, clock, log, keptDays, tidies: () => role.now });
    const unsubscribe = kept.onChange(watch.soon);
    scope.health(() => heart.health());
    statusMetrics(scope.metrics, board, heart);
    const traces = recordTraces(scope, scope.config.spans ?? 1000);
    const noting = noteHealth(scope, keptDays, () => role.now);
    hooks.of(healthChanged).tap('observability', (change) => (watch.soon(), noting.note(change)));
    // Starts only now: nothing was served before `ready`, so the time until then belongs to the gap without a
    // heartbeat.
    hooks.ready.tap('observability', async () => {
      await heart.start();
      nodes?.start();
      watch.start();
    });
    const status = { board, brand, history, publicUrl, clock, graceMs, everyMs };
    return {
      routes: [
        ...statusRoutes(status),
        ...statuspageRoutes({ ...status, installation: store.installation }),
        ...(site === undefined ? [] : [statusPageRoute(site, status), historyPageRoute(site, status)]),
        feedRoute(status),
        healthRoute({ clock, store, reads: store.awaitedReads(healthStore) }),
        tracesRoute(traces, kept),
      ],
      async stop() {
        unsubscribe();
        nodes?.stop();
        noting.stop();
        watch.stop();
        await heart.stop();
      },
    };
  },
});

type Scope = Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'platform' | 'store'>;

interface BoardParts {
  readonly reads: AwaitableReads<ReturnType<typeof observabilityStore.read>>;
  readonly kept: Incidents;
  readonly graceMs: number;
  readonly everyMs: number;
  readonly role: Held;
}

/** Makes the board and the heartbeat; with several nodes, one of them records the combined measurements. */
async function openBoard(scope: Scope, { graceMs, everyMs, kept, reads, role }: BoardParts) {
  const { store } = scope;
  const nodes = store.shared ? new Nodes({ ...scope, reads }) : undefined;
  const beside = nodes && { node: store.node, own: () => board.own };
  const heart = new Heart({ ...scope, last: await reads.heartbeat(), graceMs, everyMs, ...given({ beside }) });
  const together = nodes && { fold: (own: Services) => nodes.fold(own), writes: () => role.now };
  const observedSince = (): number | undefined => heart.observedSince;
  const board: Board = new Board({ ...scope, reads, incidents: kept, observedSince, ...given({ together }) });
  return { board, heart, nodes };
}
