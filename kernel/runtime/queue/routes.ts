import { holds, requireLive, type Principal } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import { toProblem } from '../../http/problem.ts';
import { defineRoute, type RequestInfo, type Route } from '../../http/route.ts';
import { refuseHeld } from '../../http/server/held-answers.ts';
import type { ProblemTable } from '../../problem-table.ts';
import { exactly } from '../../tools/schema.ts';
import { runSchema, type RunReads } from '../run/run-routes.ts';
import type { AttemptsPort } from '../run.ts';
import { longestWaitS, waits } from './asked.ts';
import type { RunQueue } from './queue.ts';
import { endedState, mayAnswer, maySee, queuedState, type Owned } from './run-state.ts';

/** The dependencies of the routes of one run. */
export interface RunStateOptions {
  readonly queue: RunQueue;
  readonly reads: Pick<RunReads, 'findRun'>;
  /** Finds the attempts of a run by the id of its receipt. */
  readonly attempts: AttemptsPort;
  readonly problems: ProblemTable;
  readonly publicUrl: string;
}

/** Answers `GET /runs/{run_id}` and `POST /runs/{run_id}/cancel`. */
export function runStateRoutes(options: RunStateOptions): readonly Route[] {
  return [showRoute(options), cancelRoute(options)];
}

const params = exactly({ run_id: { type: 'string', maxLength: 64, description: 'Id of the run' } });

const showRoute = (options: RunStateOptions): Route =>
  defineRoute({
    method: 'GET',
    path: '/runs/{run_id}',
    operationId: 'getRun',
    service: 'runtime',
    scope: ['runs:read', 'orbs:execute'],
    narrowed: true,
    summary: 'Show a run, or wait for its end',
    params,
    query: {
      type: 'object',
      properties: {
        wait: {
          type: 'integer',
          minimum: 0,
          maximum: longestWaitS,
          default: 0,
          description: 'Seconds to wait for its end',
        },
      },
    },
    response: runSchema,
    problems: ['run_not_found'],
    handle: async (call) => {
      const {
        params: { run_id },
        query: { wait },
        principal,
      } = call;
      const first = await state(run_id, principal, call, options);
      if (wait === 0 || first.ended) return first.shown;
      const needed = call.hold(waits) ?? refuseHeld(waits);
      await options.queue.wait(run_id, wait * 1000, [call.disconnected, call.draining, needed]);
      // The key may have been revoked meanwhile.
      const now = await call.callerNow();
      return (now === undefined ? first : await state(run_id, now, call, options)).shown;
    },
  });

const cancelRoute = (options: RunStateOptions): Route =>
  defineRoute({
    method: 'POST',
    path: '/runs/{run_id}/cancel',
    operationId: 'cancelRun',
    service: 'runtime',
    scope: ['runs:cancel', 'runs:manage'],
    summary: 'Cancel a run that has sent nothing yet',
    params,
    response: runSchema,
    problems: ['run_not_found', 'run_dispatched', 'run_ended', 'storage_unavailable'],
    handle: async (call) => {
      const {
        params: { run_id },
        principal,
      } = call;
      const { queue, reads } = options;
      const run = (await queue.find(run_id)) ?? (await reads.findRun(run_id));
      requireCancel(run_id, run, principal);
      const became = await queue.cancel(run_id);
      if (became === 'dispatched')
        throw new PlatformError('run_dispatched', `${run_id} was dispatched; its outcome decides`, { run_id });
      const ended = await reads.findRun(run_id);
      if (became === 'ended' || ended?.status !== 'cancelled')
        throw new PlatformError('run_ended', `${run_id} has ended: ${ended?.status ?? 'see it'}`, { run_id });
      return (await stateOf(run_id, principal, call, options)).shown;
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

/** How far a run was at one moment, as it is sent. */
interface State {
  readonly ended: boolean;
  readonly shown: object;
}

async function state(runId: string, caller: Principal, info: RequestInfo, options: RunStateOptions): Promise<State> {
  const { queue, reads } = options;
  const waiting = await queue.find(runId);
  const run = waiting ?? (await reads.findRun(runId));
  if (run === undefined || !maySee(run, caller)) throw notFound(runId);
  return stateOf(runId, caller, info, options);
}

async function stateOf(runId: string, caller: Principal, info: RequestInfo, options: RunStateOptions): Promise<State> {
  const { queue, reads } = options;
  const waiting = await queue.find(runId);
  if (waiting !== undefined) return { ended: false, shown: await queuedState(waiting, queue) };
  const run = await reads.findRun(runId);
  if (run === undefined) throw notFound(runId);
  const answer = async () => (mayAnswer(run, caller) ? queue.answer(runId, caller.id) : undefined);
  const attempts = await options.attempts(run.receipt_id);
  const shown = await endedState({ run, attempts }, answer, (failure) => toProblem(failure, options, info.request_id));
  return { ended: true, shown };
}

function notFound(runId: string): PlatformError {
  return new PlatformError('run_not_found', `there is no run ${runId}; GET /runs lists yours`);
}
