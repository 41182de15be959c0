import type { Decided } from '../dispatch/run-record.ts';
import { KeyLost, type Claim, type IdempotencyKeys } from '../journal/keys.ts';
import { askingOf } from '../journal/owner.ts';
import journalStore from '../journal/store.ts';
import type { OpenRunView } from '../facts/facts.ts';
import type { ExecuteCall } from '../run/execute.ts';
import type { ExecutionResult } from '../facts/facts.ts';
import type { OpenRuns } from '../run/run-limits.ts';
import { Canceller, type Cancelled } from './canceller.ts';
import { Dispatcher } from './dispatcher.ts';
import { Followers, type Ends } from './followers.ts';
import { asksOf, heldRunOf } from '../run/held.ts';
import { expireHeld, heldRuns } from './held-runs.ts';
import type { ApprovalState, HeldRuns } from '../facts/held.ts';
import type { LineBounds } from '../run/limits/line-bounds.ts';
import { Lines } from './lines.ts';
import { answerName, requestText, timesOf, type Asked } from './request.ts';
import { listedState } from './run-state.ts';
import queueStore, { type ClaimedRow, type QueuedRow } from './store.ts';
import { Turns, type TurnOptions } from './turn.ts';
import {
  PlatformError,
  operation,
  type Awaitable,
  type NodeIdentity,
  type Operation,
  given,
  within,
} from '../../../kernel/index.ts';
import { renewError, GaveUp } from '../../../kernel/runner.ts';
import type { QueuedFilter } from '../tables/run-pages.ts';

/** The dependencies of the queue. */
export interface QueueOptions extends TurnOptions {
  readonly keys: IdempotencyKeys;
  readonly openRuns: OpenRuns;
  /** How long the close waits for runs under way. */
  readonly drainMs: number;
  readonly line: LineBounds;
}

/** What a caller gets for a run that it does not wait for; `replayed`: an earlier call with the key made the run. */
export type Submitted = { readonly replayed: boolean } & (Entered | { readonly answer: ExecutionResult });

interface Entered {
  readonly run: QueuedRow;
  readonly position?: number;
}

type Times = ReturnType<typeof timesOf>;

const uncounted = { enter: () => undefined, leave: () => undefined };

/** The durable queue of runs that outlive their request. */
export class RunQueue {
  readonly #options: QueueOptions;
  readonly #open: Pick<OpenRuns, 'enter' | 'leave'>;
  readonly #reads;
  readonly #lists;
  readonly #lines: Lines;
  readonly #turns: Turns;
  readonly #followers: Followers;
  readonly #canceller: Canceller;
  readonly #dispatcher: Dispatcher;
  readonly #closing = new AbortController();
  #stopExpiry: () => void = () => undefined;
  /** The runs that wait for people. */
  readonly held: HeldRuns;

  constructor(options: QueueOptions) {
    this.#options = options;
    // A run may be served by another node than the one that accepted it: then the rows alone count them.
    this.#open = options.store.shared ? uncounted : options.openRuns;
    const reads = options.store.reads(queueStore);
    this.#reads = reads;
    this.#lists = options.store.awaitedReads(queueStore);
    this.#lines = new Lines((id) => options.line.bound(id));
    this.#turns = new Turns(options);
    this.#followers = new Followers(async (runId) => (await reads.find(runId)) === undefined);
    this.#dispatcher = new Dispatcher({
      ...options,
      ...{ lines: this.#lines, turns: this.#turns, reads },
      ended: (row) => this.#ended(row),
    });
    this.held = heldRuns({
      ...options,
      ...{ turns: this.#turns, lines: this.#lines, find: reads.find, request: reads.request },
      wake: () => this.#dispatcher.wake(),
      ended: (row) => this.#ended(row),
    });
    this.#canceller = new Canceller({
      ...options,
      ...{ turns: this.#turns, lines: this.#lines, followers: this.#followers },
      find: (runId) => this.find(runId),
      ended: (row) => this.#ended(row),
    });
  }

  /**
   * Takes up the runs that a process left, else those of earlier starts of this node; those that wait for the recovery of
   * their intents stay.
   */
  async takeUp(ended?: NodeIdentity): Promise<void> {
    const { store, clock } = this.#options;
    const asking = askingOf(store, ended);
    const waiting = await this.#reads.waiting();
    if (waiting.length === 0) return;
    const except = (await store.reads(journalStore).openRuns(asking)).map(({ run_id }) => run_id);
    await store.write([operation(queueStore, 'releaseAll', { ...asking, except })]);
    for (const { tenant, orbiset_id, orb_id, runs } of waiting) {
      for (let one = 0; one < runs; one++) this.#open.enter({ orb: { orb_id }, orbiset: { id: orbiset_id } });
      this.#lines.note(tenant, orbiset_id, clock.now());
    }
    this.#dispatcher.wake();
  }

  /** Begins to serve runs. */
  start(): void {
    this.#dispatcher.start();
    if (this.#options.approvals === undefined) this.#stopExpiry = expireHeld(this.held, this.#reads, this.#options);
  }

  /** Begins no further run, and waits for those under way; what then goes on is settled by the next start. */
  async close(): Promise<void> {
    const { drainMs, retry } = this.#options;
    this.#closing.abort();
    this.#stopExpiry();
    await within<unknown>(drainMs, Promise.all([retry.close(), this.#dispatcher.close()]), () => undefined);
  }

  /** Counts the runs that wait or are under way. */
  count(): Awaitable<number> {
    return this.#reads.count();
  }

  /** Finds a run that waits or is under way. */
  find(runId: string): Awaitable<QueuedRow | undefined> {
    return this.#reads.find(runId);
  }

  /** Finds a run that waits or is under way, as plugins see it. */
  async view(runId: string): Promise<OpenRunView | undefined> {
    const run = await this.find(runId);
    if (run === undefined) return undefined;
    const { run_id, principal, orbiset_id, orb_id, mode } = run;
    const status = run.state === 'held' ? 'held' : this.isUnderWay(run) ? 'running' : 'queued';
    return { run_id, status, principal, orbiset_id, orb_id, mode, ...given({ approval: await this.approvalOf(run) }) };
  }

  /** Lists runs that wait or are under way, newest first, as they are sent. */
  async list(filter: QueuedFilter) {
    const { items, ...rest } = await this.#lists.listQueued(filter);
    return { ...rest, items: items.map((run) => listedState(run, this.isUnderWay(run))) };
  }

  /** Says whether a run is under way; it waits otherwise. */
  isUnderWay({ run_id, state }: QueuedRow): boolean {
    return state === 'claimed' && (this.#turns.control(run_id) !== undefined || !this.#lines.holds(run_id));
  }

  /** Finds the approval that a run waits for. */
  async approvalOf({ state, approval }: QueuedRow): Promise<ApprovalState | undefined> {
    return state === 'held' && approval !== null ? this.#options.approvals?.state(approval) : undefined;
  }

  /** Returns about how many runs of its Orbiset are served before a waiting run, itself included; at most 1,000. */
  position(run: QueuedRow): Awaitable<number> {
    return this.#reads.position(run);
  }

  /** Returns the answer of a run that has ended to its principal, for a day; throws it when it is a problem. */
  answer(runId: string, principal: string): Promise<ExecutionResult | undefined> {
    // The run stored it under this name.
    return this.#options.keys.kept(answerName(principal, runId)) as Promise<ExecutionResult | undefined>;
  }

  /** Waits until a run has ended, at most `ms`. */
  wait(runId: string, ms: number, ends: Ends): Promise<void> {
    return this.#followers.wait(runId, ms, ends);
  }

  /** Waits until a run has ended, for as long as this process serves; false: something ended the wait before. */
  async ended(runId: string, ends: Ends): Promise<boolean> {
    const all = [...ends, this.#closing.signal];
    for (;;) {
      const hasEnded = (await this.find(runId)) === undefined;
      if (hasEnded || all.some(({ aborted }) => aborted)) return hasEnded;
      await this.wait(runId, 60_000, all);
    }
  }

  /** Puts a run into the queue, once per key: a repetition gets the same run, and later its answer. */
  async submit(call: ExecuteCall, key: string | undefined, asked: Asked, ends: Ends): Promise<Submitted> {
    const submitted = await this.#once(call, key, asked);
    if (!('run' in submitted) || asked.waitMs === 0) return submitted;
    const { run_id } = submitted.run;
    await this.wait(run_id, asked.waitMs, ends);
    if ((await this.find(run_id)) !== undefined) return submitted;
    const answer = await this.answer(run_id, call.principal.id);
    return answer === undefined ? submitted : { answer, replayed: false };
  }

  /**
   * Puts a run into the queue, under the claim of its key if it has one. Throws 503 after some seconds while the database
   * is away; one that names the run: it may be in the queue when the database is back.
   */
  async enter(call: ExecuteCall, asked: Asked, claim?: Claim): Promise<Entered> {
    const { clock, execution, store } = this.#options;
    const times = timesOf(asked, clock.now());
    const admitting = execution.admit({ ...call, claim, later: true });
    const { waits } = store;
    if (waits === undefined) return this.#record(await admitting, asked, times, claim);
    const run = await waits.wait(admitting);
    return waits.wait(this.#record(run, asked, times, claim)).catch((error: unknown) => {
      if (!(error instanceof GaveUp)) throw error;
      throw renewError(error.code, error.message, { ...error.extensions, run_id: run.run_id });
    });
  }

  async #record(run: Decided, asked: Asked, times: Times, claim: Claim | undefined): Promise<Entered> {
    const { approvals, execution, store, events, retry } = this.#options;
    const { run_id, orbiset, orb_id, principal, mode, decision } = run;
    const { id: orbiset_id, tenant } = orbiset;
    const asks = asksOf(decision);
    const opened = asks.length === 0 ? undefined : approvals?.open({ run: heldRunOf(run, decision), tenant, asks });
    const approval = opened?.approval.id ?? null;
    const row = { run_id, tenant, orbiset_id, orb_id, principal: principal.id, mode, approval, ...times };
    const event = opened === undefined ? events.queued(row) : events.held(row);
    const more: Operation[] = [event, ...(opened?.writes ?? []), ...(asked.beside?.(run_id) ?? [])];
    if (decision.record !== undefined) more.push(decision.record({ run_id }));
    this.#open.enter(run);
    try {
      await claim?.take();
      const due_at = opened === undefined ? times.run_at : Date.parse(opened.approval.expires_at);
      const entering = operation(queueStore, 'enter', { ...row, due_at, request: requestText(run, opened?.salt) });
      const [position] = await store.write([entering, ...more]);
      if (opened === undefined) {
        this.#lines.note(tenant, orbiset_id, times.run_at);
        this.#dispatcher.wake();
      }
      const state = opened === undefined ? 'queued' : 'held';
      const queued = { ...row, state, due_at, turns: 0, attempts: '[]', holds: 0 } as const;
      return { run: queued, position: Number(position) };
    } catch (error) {
      this.#open.leave(run);
      if (claim !== undefined && !(error instanceof KeyLost))
        await retry.now(() => store.write(claim.freed()), 'the key of a refused run could not be freed');
      if (error instanceof PlatformError && error.code === 'approval_backlog')
        return execution.deny(run, 'approval_backlog');
      throw error;
    }
  }

  /** Cancels a run unless it was dispatched or has ended. Throws 503 `storage_unavailable` while its end is not recorded. */
  cancel(runId: string): Promise<Cancelled> {
    return this.#canceller.cancel(runId);
  }

  async #once(call: ExecuteCall, key: string | undefined, asked: Asked): Promise<Submitted> {
    if (key === undefined) return { ...(await this.enter(call, asked)), replayed: false };
    const { keys } = this.#options;
    const { principal, orbiset_id, orb_id, inputs, delivery, timeout_ms, disclose, sandbox, callback } = call;
    const { run_at, expires_in_s } = asked;
    const name = { principal: principal.id, method: 'POST', path: `/orbisets/${orbiset_id}/execute`, key };
    const body = given({ orb_id, inputs, delivery, timeout_ms, disclose, sandbox, callback, run_at, expires_in_s });
    let entered: Entered | undefined;
    try {
      const told = await keys.told<ExecutionResult | Entered>(name, body, async (claim) => {
        entered = await this.enter(call, asked, claim);
        return entered;
      });
      // The work was not done: the answer is the one that an earlier run stored under the key.
      return entered ? { ...entered, replayed: false } : { answer: told.answer as ExecutionResult, replayed: true };
    } catch (error) {
      const run = await this.underWay(error);
      if (run === undefined) throw error;
      return { run, replayed: true };
    }
  }

  /** Finds the run that waits or is under way to which the key of a refused call belongs. */
  underWay(error: unknown): Awaitable<QueuedRow | undefined> {
    if (!(error instanceof PlatformError) || error.code !== 'idempotency_in_progress') return undefined;
    const { run_id } = error.extensions;
    return run_id === undefined ? undefined : this.find(run_id);
  }

  #ended({ run_id, orb_id, orbiset_id }: ClaimedRow): void {
    this.#open.leave({ orb: { orb_id }, orbiset: { id: orbiset_id } });
    this.#followers.tell(run_id);
  }
}
