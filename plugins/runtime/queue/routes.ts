import type { RunReads } from '../run/listing/list.ts';
import { runParams as params, runSchema, shown } from '../run/run-routes.ts';
import type { Attempt, AttemptsPort, FailurePort } from '../facts/facts.ts';
import { providerKey } from '../facts/provider-key.ts';
import type { DeliveryReports, RunDelivery } from '../facts/reports.ts';
import { silentCalls } from '../tables/unsettled.ts';
import type { RunRow } from '../store.ts';
import { longestWaitS, waits } from './execute-route.ts';
import type { RunQueue } from './queue.ts';
import { mayAnswer, maySee, queuedState, type Owned } from './run-state.ts';
import type { QueuedRow } from './store.ts';
import {
  holds,
  requireLive,
  type Principal,
  PlatformError,
  defineRoute,
  type RequestInfo,
  type Route,
  refuseHeld,
  type Platform,
  given,
} from '../../../kernel/index.ts';

/** The dependencies of the routes of one run. */
export interface RunStateOptions {
  readonly queue: RunQueue;
  readonly reads: Pick<RunReads, 'findRun'>;
  /** Finds the attempts of a run by the id of its receipt. */
  readonly attempts: AttemptsPort;
  /** Finds why a run failed. */
  readonly failure: FailurePort;
  /** Finds what vendors reported of a run. */
  readonly reports: DeliveryReports | undefined;
  readonly platform: Pick<Platform, 'problemOf'>;
}

/** Answers `GET /runs/{run_id}` and `POST /runs/{run_id}/cancel`. */
export function runStateRoutes(options: RunStateOptions): readonly Route[] {
  return [showRoute(options), cancelRoute(options)];
}

const showRoute = (options: RunStateOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/runs/{run_id}',
    operationId: 'getRun',
    service: 'runtime',
    scope: ['runs:read', 'orbs:execute'],
    narrowed: true,
    summary: 'Show a run, or wait until it ends',
    params,
    query: {
      type: 'object',
      properties: {
        wait: {
          type: 'integer',
          minimum: 0,
          maximum: longestWaitS,
          default: 0,
          description: 'Seconds to wait until it ends',
        },
      },
    },
    response: runSchema,
    problems: ['run_not_found'],
    handle: async (call) => {
      const { principal, query } = call;
      const [{ run_id }, { wait }] = [call.params, query];
      const first = await find(run_id, principal, options);
      if (wait === 0 || first.waiting === undefined) return show(first, principal, call, options);
      const needed = call.hold(waits) ?? refuseHeld(waits);
      await options.queue.wait(run_id, wait * 1000, [call.disconnected, call.draining, needed]);
      // The key may have been revoked meanwhile.
      const now = await call.callerNow();
      if (now === undefined) return show(first, principal, call, options);
      return show(await find(run_id, now, options), now, call, options);
    },
  });

const cancelRoute = (options: RunStateOptions): Route =>
  defineRoute({
    method: 'POST',
    path: '/runs/{run_id}/cancel',
    operationId: 'cancelRun',
    service: 'runtime',
    scope: ['runs:cancel', 'runs:manage'],
    summary: 'Cancel a run that was not sent to a provider yet',
    params,
    response: runSchema,
    problems: ['run_not_found', 'run_dispatched', 'run_ended', 'storage_unavailable'],
    handle: async (call) => {
      const { principal } = call;
      const { run_id } = call.params;
      const { queue, reads } = options;
      const run = (await queue.find(run_id)) ?? (await reads.findRun(run_id));
      requireCancel(run_id, run, principal);
      const became = await queue.cancel(run_id);
      if (became === 'dispatched')
        throw new PlatformError('run_dispatched', `${run_id} was already sent to a provider; wait until it ends`, {
          run_id,
        });
      const ended = await reads.findRun(run_id);
      if (became === 'ended' || ended?.status !== 'cancelled')
        throw new PlatformError('run_ended', `${run_id} has ended: ${ended?.status ?? 'see it'}`, { run_id });
      return show({ run: ended }, principal, call, options);
    },
  });

function requireCancel(runId: string, run: (Owned & { readonly mode: string }) | undefined, caller: Principal): void {
  const { id, tenant, scopes } = caller;
  const manages = holds(scopes, 'runs:manage');
  if (run === undefined || (run.tenant !== tenant && !scopes.includes('*'))) throw notFound(runId);
  // As to reading it: a run that the caller may not see is not there.
  if (!manages && run.principal !== id && !maySee(run, caller)) throw notFound(runId);
  if (run.principal !== id && !manages)
    throw new PlatformError('insufficient_scope', "the key needs the scope runs:manage for another principal's run", {
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="runs:manage"' },
    });
  if (run.mode === 'live') requireLive(caller, `${runId} is a live run`);
}

/** A run at one moment: in the queue or under way, or ended. */
type Found =
  | { readonly waiting: QueuedRow; readonly run?: undefined }
  | { readonly waiting?: undefined; readonly run: RunRow };

async function find(runId: string, caller: Principal, { queue, reads }: RunStateOptions): Promise<Found> {
  const waiting = await queue.find(runId);
  const run = waiting ?? (await reads.findRun(runId));
  if (run === undefined || !maySee(run, caller)) throw notFound(runId);
  return waiting === undefined ? { run: run as RunRow } : { waiting };
}

// Shows a run; one that has ended to its own principal with its answer.
async function show(
  { waiting, run }: Found,
  caller: Principal,
  info: RequestInfo,
  options: RunStateOptions,
): Promise<object> {
  const { queue } = options;
  if (waiting !== undefined) return queuedState(waiting, queue);
  const attempts = await options.attempts(run.receipt_id);
  // Who may see a run is its principal, or holds `runs:read`.
  const failure = run.status === 'completed' ? undefined : await options.failure(run);
  const delivery = await deliveryOf(run, attempts, options);
  const state = { ...shown(run), ...given({ attempts, failure, delivery }) };
  if (!mayAnswer(run, caller)) return state;
  try {
    return { ...state, ...given({ outputs: (await queue.answer(run.run_id, caller.id))?.outputs }) };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { ...state, problem: options.platform.problemOf(error, info.request_id).body };
  }
}

async function deliveryOf(
  run: RunRow,
  attempts: readonly Attempt[] = [],
  { reports }: Pick<RunStateOptions, 'reports'>,
): Promise<RunDelivery | undefined> {
  if (reports === undefined) return undefined;
  const names = [...attempts, ...silentCalls(run)].map(({ provider }) => provider);
  if (run.provider !== null) names.push(run.provider);
  const calls = [...new Set(names)].map((provider) => ({ provider, key: providerKey(run.run_id, provider) }));
  return (await reports.of(calls))?.delivery;
}

function notFound(runId: string): PlatformError {
  return new PlatformError('run_not_found', `there is no run ${runId}; GET /runs lists yours`);
}
