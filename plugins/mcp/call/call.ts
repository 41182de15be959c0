import { given, PlatformError, reply, within, type Principal, type Reply } from '../../../kernel/index.ts';
import type { UpstreamProgress } from '../../../kernel/adapter.ts';
import { callOptions, type CallOptions } from '../wire/call-meta.ts';
import type { McpScope, Request } from '../scope.ts';
import { answerTo, failedResult, shownResult, wordsResult } from './result.ts';
import { heldAnswer, heldRunOf } from './held.ts';
import { taskOf } from './task.ts';
import { eventStream, type Events } from '../wire/event-stream.ts';
import { runStatus } from '../tools/status-tool.ts';
import { isStatusTool, type ToolList } from '../tools/tool-lists.ts';
import { codes, declaresTasks, faultBody, isMembers, RpcFault, type Id, type Members } from '../wire/wire.ts';
import { untilSignal } from './until-signal.ts';
import { underWay } from './words.ts';
import {
  isGuarded,
  type ExecuteCall,
  type OpenRunView,
  type Orb,
  type QueuedCall,
  type RunWatcher,
} from '../../runtime/contract.ts';

/** Answers `tools/call`: the same run as by `POST /orbisets/{id}/execute`. Throws an RpcFault. */
export function callTool(
  request: Request & { readonly id: Id },
  list: ToolList,
  scope: McpScope,
): Promise<Reply> | Reply {
  const { id, message, principal, info } = request;
  const { name } = message.params;
  const args = message.params['arguments'] ?? {};
  if (typeof name !== 'string') throw new RpcFault(200, codes.params, 'name must be a string', { id });
  if (!isMembers(args)) throw new RpcFault(200, codes.params, 'arguments must be an object', { id });
  const options = callOptions(message, info.headers);
  if (isStatusTool(list, name)) {
    scope.runtime.noteCall({ principal: principal.id, orbiset_id: request.orbiset_id, inputs: args }, name);
    return runStatus(args, principal, scope).then((status) => reply({ body: answerTo(id, status, message) }));
  }
  const orb = list.orbs.get(name);
  if (orb === undefined) throw unknownTool(name, id);
  const call = new ToolCall(request, { list, orb, name, args, options, queued: declaresTasks(message) }, scope);
  return options.progressToken === undefined ? call.answer() : eventStream((events) => call.tell(events), info);
}

// The same words whether it does not exist or the key may not use it.
function unknownTool(name: string, id: Id): RpcFault {
  const text = `Unknown tool: ${name.slice(0, 100)}. tools/list shows what this key may use.`;
  return new RpcFault(200, codes.params, text, { id });
}

interface Called {
  readonly list: ToolList;
  readonly orb: Orb;
  readonly name: string;
  readonly args: Members;
  readonly options: CallOptions;
  /** By way of the queue: a task may replace the result. */
  readonly queued: boolean;
}

/** How often a repetition looks for the run of the first call in the queue. */
const lookAgainMs = 250;

/** One call of a tool, from its request to its result. */
class ToolCall {
  readonly #request: Request & { readonly id: Id };
  readonly #called: Called;
  readonly #scope: McpScope;
  #runId: string | undefined;
  /** Aborted when a task replaces the result. */
  readonly #left = new AbortController();
  readonly #entered = Promise.withResolvers<undefined>();
  /** The answer of a call whose run waits for people. */
  readonly #held = Promise.withResolvers<object>();
  /** The client was told that its call is still under way. */
  #told = false;

  constructor(request: Request & { readonly id: Id }, called: Called, scope: McpScope) {
    this.#request = request;
    this.#called = called;
    this.#scope = scope;
  }

  /** Answers with the result, or after a while that the call is still under way. */
  async answer(): Promise<Reply> {
    return reply({ body: this.#envelope(await this.#inTime()) });
  }

  /** Tells progress while the call is under way, and its result at the end. */
  async tell(events: Events): Promise<object> {
    const { progressToken } = this.#called.options;
    const tell = (progress: number, message: string): void =>
      events.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, message } });
    const names = this.#request.principal.scopes.some((scope) => scope === '*' || scope === 'providers:read');
    let progress = 0;
    try {
      const result = await this.#orHeld({
        accepted: () => tell(progress, 'accepted'),
        attempt: (provider, place, of) =>
          tell((progress += 1), `asking provider ${place} of ${of}${names ? `: ${provider}` : ''}`),
        progress: (told) => tell((progress += 1), told.message ?? farOf(told)),
      });
      return this.#envelope(result);
    } catch (error) {
      return this.#fault(error);
    }
  }

  // The stream has begun: a failure can only be its last message.
  #fault(error: unknown): object {
    const { id, info } = this.#request;
    if (error instanceof RpcFault) return faultBody({ ...error, message: error.message, id });
    this.#scope.log.error({ err: error, request_id: info.request_id }, 'a call of a tool failed unexpectedly');
    return faultBody({ code: codes.internal, message: `a defect, request ${info.request_id}`, data: undefined, id });
  }

  #envelope(result: object): object {
    const { id, message } = this.#request;
    return answerTo(id, result, message);
  }

  // A run that waits for people goes on without its caller.
  async #orHeld(watch: Watching = {}): Promise<object> {
    const work = this.#result(watch);
    return Promise.race([this.#called.queued ? this.#orTask(work) : work, this.#held.promise]);
  }

  async #lookWhetherHeld(): Promise<void> {
    const open = await this.#openRun();
    const held = open && heldRunOf(open);
    const { message } = this.#request;
    const asked = { message, queued: this.#called.queued, repeatable: this.#repeatable() };
    const answer = held && heldAnswer(held, asked, this.#scope);
    if (answer === undefined) return;
    this.#leave();
    this.#held.resolve(answer);
  }

  // Whether the same call gets the same run.
  #repeatable(): boolean {
    return this.#called.options.key !== undefined || isGuarded(this.#execution(), this.#scope.runtime.catalog);
  }

  // The run goes on; a repetition gets its result.
  #leave(): void {
    this.#told = true;
    this.#left.abort();
  }

  // A run that takes long, and is in the queue, goes on without its caller: a task is answered. So while the server
  // drains.
  async #orTask(work: Promise<object>): Promise<object> {
    const { taskAfterMs } = this.#scope;
    const { disconnected, draining } = this.#request.info;
    let waited = await untilSignal(work, taskAfterMs, [disconnected, draining]);
    // A task is a run in the queue: policy or the store may need longer to let it in. A repetition may know the run of
    // the first call before that.
    while (waited === undefined && (await this.#openRun()) === undefined)
      waited = await (this.#runId === undefined
        ? Promise.race([work, this.#entered.promise])
        : untilSignal(work, lookAgainMs, []));
    const runId = this.#runId;
    if (waited !== undefined || runId === undefined) return waited ?? work;
    this.#leave();
    work.catch(() => undefined);
    return { resultType: 'task', ...taskOf(runId, 'working') };
  }

  async #openRun(): Promise<OpenRunView | undefined> {
    return this.#runId === undefined ? undefined : await this.#scope.runtime.findOpenRun(this.#runId);
  }

  // Most clients give up after a minute and then call again.
  async #inTime(): Promise<object> {
    const work = this.#orHeld();
    if (this.#called.options.timeout_ms !== undefined) return work;
    return within(this.#scope.answerWithinMs, work, () => this.#late());
  }

  #late(): object {
    this.#told = true;
    const runId = this.#runId;
    if (runId === undefined) return wordsResult('Still waiting for its turn. Call again later.', this.#scope);
    return wordsResult(underWay(runId, { repeatable: this.#repeatable() }), this.#scope, {
      'agent-orb/run': { run_id: runId, status: 'running' },
    });
  }

  async #result(watch: Watching = {}): Promise<object> {
    const { runtime, underWay: runs } = this.#scope;
    const { list, orb, options, queued } = this.#called;
    try {
      const later = () => runtime.queued.run(this.#queuedCall(watch), options.key);
      const now = () => runtime.execute({ ...this.#execution(), ...this.#watched(watch) }, options.key);
      // A run that people must approve waits for them in the queue.
      const { answer, replayed } = await (queued
        ? later()
        : now().catch(async (error: unknown) => {
            const waits = mustWait(error) || (await this.#isHeld(error));
            if (!waits || this.#left.signal.aborted) throw error;
            return later();
          }));
      this.#request.info.noteRun(answer.run_id);
      return await shownResult(answer, { list, orb, replayed }, this.#scope);
    } catch (error) {
      const failed = this.#failed(error, this.#request.principal);
      if (error instanceof PlatformError && error.code === 'rate_limited') await this.#request.info.refused();
      return failed;
    } finally {
      if (this.#runId !== undefined) runs.delete(this.#runId);
    }
  }

  // The first call with the key waits for people.
  async #isHeld(error: unknown): Promise<boolean> {
    if (!(error instanceof PlatformError) || error.code !== 'idempotency_in_progress') return false;
    const { run_id } = error.extensions;
    return run_id !== undefined && (await this.#scope.runtime.findOpenRun(run_id))?.status === 'held';
  }

  #execution() {
    const { principal, info, orbiset_id, message } = this.#request;
    const { orb, name, args, options } = this.#called;
    const { timeout_ms, delivery, disclose, client } = options;
    const channel = { kind: 'mcp', ...given({ protocol: message.version }), tool: name, ...given({ client }) };
    return {
      orbiset_id,
      orb_id: orb.orb_id,
      inputs: args,
      ...given({ timeout_ms, delivery, disclose }),
      principal,
      client_ip: info.client_ip,
      traceparent: options.traceparent ?? info.traceparent,
      channel,
      repeat: {
        ...{ name, carrier: () => (this.#told ? undefined : info.onDelivered) },
        joined: (runId: string) => this.#enter(runId),
      },
    };
  }

  #enter(runId: string): void {
    this.#runId = runId;
    this.#entered.resolve(undefined);
    this.#request.info.noteRun(runId);
    this.#lookWhetherHeld().catch(this.#held.reject);
  }

  #queuedCall({ accepted }: Watching): QueuedCall {
    const entered = (runId: string): void => {
      this.#enter(runId);
      accepted?.();
    };
    const left = AbortSignal.any([this.#left.signal, this.#request.info.disconnected]);
    return { ...this.#execution(), entered, left };
  }

  #watched({ accepted, attempt, progress }: Watching): Pick<ExecuteCall, 'watcher' | 'abandoned'> {
    const watcher: RunWatcher = {
      accepted: (runId) => {
        this.#runId = runId;
        this.#request.info.noteRun(runId);
        this.#scope.underWay.set(runId, this.#request.principal.id);
        accepted?.();
      },
      ...given({ attempt, progress }),
    };
    return { watcher, abandoned: () => this.#request.info.gone || this.#left.signal.aborted };
  }

  // A defect is no answer of a tool: the caller throws it on.
  #failed(error: unknown, principal: Principal): object {
    if (!(error instanceof PlatformError)) throw error;
    const { id, info } = this.#request;
    // The Orb left the catalog, or the Orbiset, while the list was read.
    if (error.code === 'orb_not_found') throw unknownTool(this.#called.name, id);
    const problem = this.#scope.platform.problemOf(error, info.request_id);
    if (problem.status === 500) throw error;
    if ('run_id' in problem.body && typeof problem.body.run_id === 'string') info.noteRun(problem.body.run_id);
    this.#scope.log.debug({ code: error.code, principal: principal.id }, 'a call of a tool did not complete');
    return failedResult(problem, this.#scope, error.extensions.retry_after);
  }
}

// Nothing was recorded: the run has no receipt yet.
function mustWait(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'approval_required' && error.extensions.receipt === undefined;
}

interface Watching extends Omit<RunWatcher, 'accepted'> {
  readonly accepted?: () => void;
}

function farOf({ progress, total }: UpstreamProgress): string {
  return total === undefined ? String(progress) : `${progress} of ${total}`;
}
