import { holds, PlatformError, reply, requireLive, type Principal, type Reply } from '../../../kernel/index.ts';
import type { McpScope, Request } from '../scope.ts';
import type { ToolList } from '../tools/tool-lists.ts';
import { codes, declaresTasks, RpcFault, tasksExtension, type Id } from '../wire/wire.ts';
import { heldRunOf, heldTask, inputRequestsOf } from './held.ts';
import { answerTo, complete, failedResult, shownResult } from './result.ts';
import { endOf, taskError, taskOf, type TaskStatus } from './task.ts';
import type { OpenRunView, Repeat } from '../../runtime/contract.ts';

type TaskRequest = Request & { readonly id: Id };

/** Answers the methods of the tasks extension. */
export const taskAnswers = Object.freeze({
  async 'tasks/get'(request: TaskRequest, list: ToolList, scope: McpScope): Promise<Reply> {
    const run = await taskRun(request, scope);
    const held = run.open && heldRunOf(run);
    const task = run.open
      ? held
        ? { ...heldTask(held), inputRequests: inputRequestsOf(held, request.message) }
        : taskOf(run.run_id, 'working')
      : await endedTask(run, request, { list, scope, carrier: request.info.onDelivered });
    return reply({ body: answerTo(request.id, task, request.message) });
  },
  async 'tasks/cancel'(request: TaskRequest, list: ToolList, scope: McpScope): Promise<Reply> {
    const run = await taskRun(request, scope);
    requireCancel(request.principal);
    if (run.mode === 'live') requireLive(request.principal, `${run.run_id} is a live run`);
    // A run that was dispatched or has ended does not change; the next `tasks/get` shows its state.
    if (run.open) await scope.runtime.queued.cancel(run.run_id);
    else await endedTask(run, request, { list, scope });
    return reply({ body: answerTo(request.id, {}, request.message) });
  },
  // That a client has shown an approval decides nothing: people do, where it is shown.
  async 'tasks/update'(request: TaskRequest, list: ToolList, scope: McpScope): Promise<Reply> {
    const run = await taskRun(request, scope);
    if (!run.open) await endedTask(run, request, { list, scope });
    return reply({ body: answerTo(request.id, {}, request.message) });
  },
});

interface EndedRun extends Omit<OpenRunView, 'status'> {
  /** RFC 3339, of one that has ended. */
  readonly finished_at?: string;
}

type TaskRun = (OpenRunView & { readonly open: true }) | (EndedRun & { readonly open: false });

/** Finds the run of a task of this caller at this endpoint. Throws the same RpcFault whether it is another's or none. */
async function taskRun(request: TaskRequest, { runtime }: McpScope): Promise<TaskRun> {
  const { id, message, principal, orbiset_id } = request;
  if (!declaresTasks(message)) throw undeclared(id);
  const { taskId } = message.params;
  if (typeof taskId !== 'string') throw new RpcFault(200, codes.params, 'taskId must be a string', { id });
  const open = await runtime.findOpenRun(taskId);
  const ended = open === undefined ? await runtime.findRun(taskId) : undefined;
  const run: EndedRun | undefined = open ?? ended;
  if (run === undefined || run.orbiset_id !== orbiset_id || !isOwn(run, principal)) throw unknownTask(taskId, id);
  return open === undefined ? { ...run, open: false } : { ...open, open: true };
}

function isOwn({ principal, orb_id }: EndedRun, { id, scopes }: Principal): boolean {
  return principal === id && holds(scopes, 'orbs:execute', orb_id);
}

// As `POST /runs/{run_id}/cancel` wants it of a caller's own run.
function requireCancel({ scopes }: Principal): void {
  if (holds(scopes, 'runs:cancel') || holds(scopes, 'runs:manage')) return;
  throw new PlatformError('insufficient_scope', 'the key needs the scope runs:cancel to cancel a task', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="runs:cancel"' },
  });
}

interface Ending {
  readonly list: ToolList;
  readonly scope: McpScope;
  readonly carrier?: ReturnType<Repeat['carrier']>;
}

// Only queued runs have stored answers, for one day.
async function endedTask(run: EndedRun, request: TaskRequest, { list, scope, carrier }: Ending): Promise<object> {
  const { run_id, finished_at } = run;
  const { id, principal, info } = request;
  const task = (status: TaskStatus, more: object): object => ({
    ...taskOf(run_id, status, finished_at),
    ...more,
  });
  try {
    const answer = await scope.runtime.queued.answer(run_id, principal.id, carrier);
    if (answer === undefined) throw unknownTask(run_id, id);
    const orb = scope.runtime.catalog.orbs.get(run.orb_id);
    const result = await shownResult(answer, { list, orb, replayed: false }, scope);
    return task('completed', { result: complete(result) });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const problem = scope.platform.problemOf(error, info.request_id);
    const status = endOf(error);
    if (status === 'cancelled') return task(status, {});
    if (status === 'failed') return task(status, { error: taskError(problem) });
    return task(status, { result: complete(failedResult(problem, scope, error.extensions.retry_after)) });
  }
}

function undeclared(id: Id): RpcFault {
  const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
  const text = `declare the extension ${tasksExtension} in the capabilities of this request`;
  return new RpcFault(400, codes.capability, text, { id, data });
}

function unknownTask(taskId: string, id: Id): RpcFault {
  return new RpcFault(200, codes.params, `there is no task ${JSON.stringify(taskId.slice(0, 64))} of yours here`, {
    id,
  });
}
