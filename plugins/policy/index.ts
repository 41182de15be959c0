import { after, definePlugin, type Infer, type PluginScope, grouped, integer } from '../../kernel/index.ts';
import { answering } from './decide/record.ts';
import { policyCommands } from './commands.ts';
import { createDecider, createTally } from './decide/decider.ts';
import { Engine } from './decide/engine.ts';
import { createBreaker } from './evaluator/breaker.ts';
import { createPool } from './evaluator/pool.ts';
import { policyHome } from './folder/home.ts';
import { SharedFolder } from './folder/shared.ts';
import { watchFolder, type WatchOptions } from './folder/watch.ts';
import { reportHealth } from './decide/health.ts';
import { createChanges } from './changes/changes.ts';
import { enactAlone } from './changes/enactment.ts';
import { enactShared } from './changes/enact-shared.ts';
import { keepDecisions } from './decide/retention.ts';
import { checkRoutes } from './routes/check.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { dryRunRoute } from './routes/dry-run.ts';
import { policyRoutes } from './routes/policies.ts';
import { replayRoute } from './routes/replay.ts';
import { revisionRoutes } from './routes/revisions.ts';
import { statusRoutes } from './routes/status.ts';
import { readShipped, shippedFolder, shippedPolicies } from './shipped.ts';
import policyStore from './store.ts';
import { openCompilerSource } from './toolchain/source.ts';
import { problems } from './problems.ts';
import { approvals, type ApprovalGroups } from '../approvals/contract.ts';
import { type Runtime, runtime } from '../runtime/contract.ts';
import { policyHistory } from './contract.ts';
import { policyTopic } from './revisions/activations.ts';
import { revisionsBetween } from './revisions/history.ts';

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    cache: {
      type: 'boolean',
      default: true,
      description: 'Whether equal requests are answered from a cache in memory',
    },
    deadline_ms: integer(1, 10_000, 50, 'Time limit of one evaluation'),
    threads: integer(1, 16, 2, 'Number of threads that evaluate policies'),
    retention_rows: {
      type: 'integer',
      minimum: 1,
      default: 5_000_000,
      description: 'Maximum number of decisions that are kept',
    },
    retention_days: { type: 'integer', minimum: 1, default: 30, description: 'How long decisions are kept' },
    build_compiler: {
      type: 'boolean',
      default: true,
      description: 'Whether a missing policy compiler is built when Go is on PATH',
    },
  },
} as const;

/** Decides with the Rego files of the folder `policies/`. */
export default definePlugin({
  name: 'policy',
  config,
  problems,
  scopes: {
    'policies:read': { title: 'Read policies, revisions and the decision log', installation: true },
    'policies:write': { title: 'Check policies and write drafts', installation: true },
    'policies:activate': { title: 'Activate and disable policies', installation: true, keyAgain: true },
    'policies:decide': { title: 'Request decisions without effect', installation: true },
  },
  commands: grouped(
    [{ name: 'policy', task: 'access', summary: 'test, activate and roll back policies' }],
    policyCommands,
  ),
  keeps: [
    {
      what: 'decisions of policies',
      tables: ['policy_decisions', 'policy_marks', 'policy_decision_texts'],
      settings: ['retention_days', 'retention_rows'],
    },
  ],
  store: policyStore,
  requires: { runtime },
  uses: { approvals },
  provides: { policyHistory },
  async start(given) {
    const scope = { ...given, ...given.services, groups: given.services.approvals?.groups() };
    const { hooks, store, log, clock } = scope;
    const parts = await open(scope);
    const { decider, enactment, engine, pool, source, trial, watch } = parts;
    // When another plugin decides, this one only checks policies and answers dry runs.
    if (scope.deciding) hooks.authorize.tap('policy', answering(decider, store));
    reportHealth(engine, scope);
    // The build takes minutes, so it starts late: a server that stops at once does not begin it.
    const notBuilt = (err: unknown): void => log.error({ err }, 'the policy compiler could not be built');
    const stopBuilding = after(
      buildAfterMs,
      () => (scope.config.build_compiler ? source.buildIfAbsent(() => watch.look({ again: true })) : undefined),
      notBuilt,
    );
    const stopPruning = keepDecisions(
      store,
      clock,
      { days: scope.config.retention_days, rows: scope.config.retention_rows },
      log,
    );
    const routeScope = { ...scope, ...parts, lists: store.awaitedReads(policyStore) };
    return {
      services: { policyHistory: { between: (from, to) => revisionsBetween(parts.reads, from, to) } },
      routes: [
        ...policyRoutes(routeScope),
        ...checkRoutes(routeScope),
        ...statusRoutes(routeScope),
        ...revisionRoutes(routeScope),
        ...decisionRoutes(routeScope),
        ...[dryRunRoute(routeScope), replayRoute(routeScope)],
      ],
      async stop() {
        stopBuilding();
        stopPruning();
        engine.stop();
        await watch.stop();
        await enactment.stop();
        await Promise.all([source.stop(), pool.stop(), trial.stop()]);
      },
    };
  },
});

const buildAfterMs = 3_000;

interface Scope extends Omit<PluginScope<Infer<typeof config>, Record<never, never>>, 'services'> {
  readonly runtime: Runtime;
  readonly groups: ApprovalGroups | undefined;
}

// The decider and the parts that change it; ready when the folder was checked.
async function open(scope: Scope) {
  const { store, stateDir, log, clock, groups } = scope;
  const source = await openCompilerSource(process.env['ORB_POLICY_COMPILER'], stateDir, log, groups);
  const { deadline_ms: deadlineMs, threads, cache: caching } = scope.config;
  const pool = createPool({ threads, deadlineMs, queue: { all: 1000, each: 200 } });
  const warmUpMs = Math.max(5 * deadlineMs, 250);
  const trial = createPool({ threads: 1, deadlineMs, warmUpMs, queue: { all: 100, each: 100 } });
  const tally = createTally(scope.metrics);
  const decider = createDecider({ pool, breaker: createBreaker(clock), clock, tally, log, caching, groups });
  const reads = store.reads(policyStore);
  const home = policyHome(scope.home, shippedPolicies);
  const folder = store.shared ? new SharedFolder({ home, stateDir, reads, log }) : undefined;
  const engine = new Engine({ ...scope, source, decider, pool, trial, reads, folder, shipped: readShipped() });
  const enactment =
    folder === undefined ? enactAlone({ engine, home, store, reads, log }) : enactShared(engine, folder);
  const settled: WatchOptions['settled'] = async (snapshot) => {
    // The store that still refuses this refuses the folder's revision too, which is then reported.
    await enactment.ended().catch(() => undefined);
    return engine.take(snapshot);
  };
  const { read, served } = home;
  const watch = watchFolder(served, { pollMs: 1000, debounceMs: 200, fixed: shippedFolder, read, settled });
  const unread = (err: unknown): void => log.error({ err }, 'the policies folder could not be checked');
  store.peers.follow(policyTopic, async () => {
    await engine.follow();
    // The folder follows in the background.
    watch.look({ again: true }).catch(unread);
  });
  await engine.restore();
  await enactment.settle();
  const looked = watch.look();
  // The active revision decides, so the start does not wait until the folder is compiled.
  if (folder === undefined || engine.active === undefined) await looked;
  else looked.catch(unread);
  const changes = createChanges({ engine, watch, home, store, enactment });
  return { source, pool, trial, tally, decider, reads, folder, engine, watch, enactment, changes };
}
