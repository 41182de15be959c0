import { after, operation, PlatformError, within, type Log } from '../../../../kernel/index.ts';
import { problems } from '../../problems.ts';
import { topics } from '../../topics.ts';
import { requestPart, type OpenRequest, type RequestAnswer, type RequestReads } from './store.ts';
import type { CarryOut } from './request-execution.ts';
import type { IncidentScope } from '../store/scope.ts';
import type { Ask, IncidentRequest } from '../model/request.ts';

interface RequestsScope extends Pick<IncidentScope, 'ids' | 'log' | 'store'> {
  readonly reads: RequestReads;
}

// Longer than a node lives on in the rows after it has died: then another one answers.
const patienceMs = 25_000;
const retryMs = 500;
const mostAtOnce = 100;

/**
 * The way to the one node that folds incidents. On that node a request is carried out at once. On the others it is a
 * row, which that node answers in the commit of the requested change: the change is made once, or not at all.
 */
export class Requests {
  readonly #scope: RequestsScope;
  readonly #carryOut: CarryOut;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  #begun = false;
  #stopped = false;
  #more = false;
  #working: Promise<void> | undefined;
  #notAgain = (): void => undefined;

  constructor(scope: RequestsScope, carryOut: CarryOut) {
    this.#scope = scope;
    this.#carryOut = carryOut;
    const { peers } = scope.store;
    peers.follow(topics.asked, () => this.#look());
    peers.follow(topics.answered, async (ids) => {
      for (const id of ids) await this.#settle(id);
    });
  }

  /** Begins to answer on this node: it folds incidents from now on. */
  begin(): void {
    this.#begun = true;
    this.#look();
  }

  /** Ends the waiting, and resolves after the current request. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#notAgain();
    for (const { reject } of this.#waiting.values()) reject(unanswered());
    await this.#working;
  }

  readonly ask: Ask = (request) => (this.#begun ? this.#carryOut(request, []) : this.#askOther(request));

  async #askOther(request: IncidentRequest): Promise<void> {
    if (this.#stopped) throw unanswered();
    const { ids, store } = this.#scope;
    const request_id = ids('ask');
    const answer = Promise.withResolvers<void>();
    // It may be rejected before a caller awaits it.
    answer.promise.catch(() => undefined);
    this.#waiting.set(request_id, answer);
    try {
      await store.write([operation(requestPart, 'ask', { request_id, request })]);
      // This node may have become the folding node in the meantime, and gets no notifications of its own rows.
      this.#look();
      await within<unknown>(patienceMs, answer.promise, () => this.#withdraw(request_id, answer.promise));
    } finally {
      this.#waiting.delete(request_id);
      // Remaining rows are deleted within an hour.
      store.write([operation(requestPart, 'dropRequest', { request_id })]).catch(() => undefined);
    }
  }

  async #withdraw(request_id: string, answer: Promise<void>): Promise<void> {
    const [withdrawn] = await this.#scope.store.write([operation(requestPart, 'withdrawRequest', { request_id })]);
    if (withdrawn > 0) throw unanswered();
    await this.#settle(request_id);
    return answer;
  }

  async #settle(requestId: string): Promise<void> {
    const waiting = this.#waiting.get(requestId);
    const answer = waiting && (await this.#scope.reads.requestAnswer(requestId));
    if (answer === undefined) return;
    if (answer.problem === undefined) waiting?.resolve();
    else waiting?.reject(problemOf(answer.problem));
  }

  #look(): void {
    if (!this.#begun || this.#stopped) return;
    this.#more = true;
    this.#working ??= this.#work()
      .catch((err: unknown) => this.#again(err))
      .finally(() => (this.#working = undefined));
  }

  #again(err: unknown): void {
    this.#scope.log.warn(
      { err },
      'this node could not apply a change of incidents that another node requested; it tries again',
    );
    const failed = (error: unknown): void => this.#again(error);
    this.#notAgain = after(retryMs, () => this.#look(), failed);
  }

  async #work(): Promise<void> {
    while (this.#more && !this.#stopped) {
      this.#more = false;
      const open = await this.#scope.reads.openRequests(mostAtOnce);
      const failures: unknown[] = [];
      for (const one of open) await this.#answer(one).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
      if (open.length === mostAtOnce) this.#more = true;
    }
  }

  async #answer({ request, request_id }: OpenRequest): Promise<void> {
    const { store } = this.#scope;
    const answering = (answer: RequestAnswer) => operation(requestPart, 'answerRequest', { request_id, answer });
    try {
      await this.#carryOut(request, [answering({})]);
    } catch (error) {
      // The store is away, or the request was withdrawn: then it is not open any more.
      const problem = asProblem(error, this.#scope.log);
      if (problem.code === 'storage_unavailable' || problem.code === 'overloaded') throw error;
      await store.write([answering({ problem })]);
    }
    await this.#settle(request_id);
  }
}

function unanswered(): PlatformError {
  return new PlatformError('storage_unavailable', 'no node processes incidents at the moment; send the request again', {
    retry_after: 5,
  });
}

function asProblem(error: unknown, log: Pick<Log, 'error'>): { readonly code: string; readonly detail: string } {
  if (error instanceof PlatformError) return { code: error.code, detail: error.message };
  log.error({ err: error }, 'a change of incidents that another node requested failed');
  return { code: 'internal', detail: 'the node that processes incidents failed' };
}

function problemOf({ code, detail }: { readonly code: string; readonly detail: string }): PlatformError {
  const own = Object.values(problems).find((problem) => problem.code === code);
  return new PlatformError(own ?? 'internal', detail);
}
