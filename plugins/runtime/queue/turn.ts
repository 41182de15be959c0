import journalStore from '../journal/store.ts';
import queueStore from './store.ts';
import * as unserved from './unserved.ts';
import type { ApprovalsPort } from '../facts/held.ts';
import type { MeterPort } from '../facts/metering.ts';
import type { RuntimeScope } from '../facts/scope.ts';
import type { TracingPort } from '../facts/tracing.ts';
import type { Announce } from '../run/metrics.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { RunControl, RunRequest, Settled } from '../dispatch/run-record.ts';
import type { StoreRetry } from '../journal/store-retry.ts';
import type { Attempt } from '../facts/facts.ts';
import type { Execution } from '../run/execution.ts';
import { ApprovalRequired, asksOf, heldDenial, heldEnding, heldRunOf } from '../run/held.ts';
import { settlementOf } from '../run/metering.ts';
import { mostAttempts } from '../run/run-fact.ts';
import { claimOf, readRequest, type WaitingRequest } from './request.ts';
import type { ClaimedRow } from './store.ts';
import type { RunEvents } from './run-events.ts';
import { holds, operation, PlatformError, type Principal } from '../../../kernel/index.ts';
import type { Effect } from '../../../kernel/runner.ts';
import type { CredentialPort } from '../facts/ports.ts';

/** The dependencies of a turn. */
export interface TurnOptions extends Omit<RuntimeScope, 'ids'> {
  readonly execution: Execution;
  readonly catalog: Catalog;
  readonly announce: Announce;
  readonly credential: CredentialPort;
  readonly events: RunEvents;
  readonly retry: StoreRetry;
  readonly approvals?: ApprovalsPort | undefined;
  readonly meter?: MeterPort | undefined;
  readonly tracing?: TracingPort | undefined;
  /** 0–1. */
  readonly random: () => number;
}

/** A run that returns to the queue: when its next turn may begin. */
type Again = Pick<ClaimedRow, 'due_at'>;

const retryMs = 1000;
// A run is held at first and once more.
const mostHolds = 2;

/** Serves claimed runs: each ends with its receipt, or returns to the queue. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #controls = new Map<string, Control>();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Finds what stops a run that is under way here. */
  control(runId: string): Control | undefined {
    return this.#controls.get(runId);
  }

  /**
   * Serves one run; `free` is called when its providers are done, before its end is recorded. Undefined: it has ended, or
   * is left to the recovery of the next start.
   */
  async serve(row: ClaimedRow, free: () => void): Promise<Again | undefined> {
    const { clock, credential, catalog } = this.#options;
    const request = readRequest(row.request);
    const attempts = JSON.parse(row.attempts) as readonly Attempt[];
    if (row.expires_at <= clock.now()) return this.end(row, { ending: unserved.expiredEnding });
    const principal = credential(request.call.principal.key_id);
    if (principal === undefined || !holds(principal.scopes, 'orbs:execute', row.orb_id))
      return this.end(row, { ending: unserved.revokedEnding, decision: unserved.revokedDecision(request) });
    const control = new Control(catalog.orbs.get(row.orb_id)?.manifest.effect, () => this.#started(row));
    this.#controls.set(row.run_id, control);
    try {
      return await this.#served(row, { request, attempts, principal, control, free });
    } finally {
      this.#controls.delete(row.run_id);
    }
  }

  /** Ends a run that is not served. */
  async end(row: ClaimedRow, end: unserved.Unserved): Promise<undefined> {
    await this.#untilDone(() => unserved.endUnserved(row, end, this.#options));
  }

  async #served(row: ClaimedRow, turn: Turn): Promise<Again | undefined> {
    const { execution } = this.#options;
    const { control } = turn;
    const asked = requestOf(row, turn, this.#options);
    let settled: Settled;
    try {
      settled = await execution.serve(asked);
      turn.free();
    } catch (error) {
      if (!control.leave()) return this.end(row, { ending: unserved.cancelledOnRequest });
      return error instanceof ApprovalRequired ? this.#held(row, error) : this.#refused(row, error);
    }
    if (mayWaitAgain(settled) && control.leave()) return this.#again(row, settled);
    const cancelled = control.stopped && unserved.hasNoAnswer(settled);
    const ended = cancelled ? { ...settled, ending: unserved.cancelledOnRequest } : settled;
    await this.#untilDone(() => execution.finish(ended));
    return undefined;
  }

  // What the policy asks now is not what people have approved: they are asked again, but not without end.
  async #held(row: ClaimedRow, { run }: ApprovalRequired): Promise<Again | undefined> {
    const { approvals, clock, store } = this.#options;
    if (approvals === undefined || row.holds >= mostHolds)
      return this.end(row, {
        ending: heldEnding('approval_required'),
        decision: heldDenial(run.decision, 'approval_required'),
      });
    const { run_id, tenant } = row;
    const asking = {
      run: heldRunOf(run, run.decision),
      tenant,
      asks: asksOf(run.decision),
    };
    const opened = approvals.open(asking);
    const { id: approval, expires_at } = opened.approval;
    const holding = { run_id, approval, now: clock.now(), expires_at: Date.parse(expires_at) };
    const held = operation(queueStore, 'hold', holding);
    return (await this.#untilDone(() => store.write([held, ...opened.writes]))) ? { due_at: Infinity } : undefined;
  }

  // Nothing was sent: the Orb, its providers or the store are not there now.
  #refused(row: ClaimedRow, error: unknown): Promise<Again | undefined> {
    const { log } = this.#options;
    const known = error instanceof PlatformError ? error : undefined;
    if (known === undefined) log.error({ err: error, run_id: row.run_id }, 'a queued run could not be served');
    // It only waits for a place.
    if (known?.code === 'rate_limited' || known?.code === 'overloaded')
      return this.#put(row, { turns: row.turns, attempts: row.attempts, delay: retryMs });
    const { retry_after } = known?.extensions ?? {};
    return this.#put(row, { turns: row.turns + 1, attempts: row.attempts, delay: this.#delay(row, retry_after) });
  }

  #again(row: ClaimedRow, settled: Settled): Promise<Again | undefined> {
    const { attempts, ending, waited } = settled;
    const all = [...(waited?.attempts ?? []), ...attempts].slice(-mostAttempts);
    const delay = this.#delay(row, ending.retry_after);
    return this.#put(row, { turns: row.turns + 1, attempts: JSON.stringify(all), delay }, settled);
  }

  #delay({ turns }: ClaimedRow, retryAfter: number | undefined): number {
    return backoffMs(turns, retryAfter, this.#options.random());
  }

  // Nothing waits for it: it commits before the receipt, because writes do so in their order.
  #started(row: ClaimedRow): void {
    const { store, events, log } = this.#options;
    store
      .write([events.started(row)])
      .catch((err: unknown) =>
        log.debug({ err, run_id: row.run_id }, 'the event that a run started could not be recorded'),
      );
  }

  async #put({ run_id }: ClaimedRow, { delay, ...rest }: Put, settled?: Settled): Promise<Again | undefined> {
    const { store, clock, meter } = this.#options;
    const now = clock.now();
    const due_at = now + delay;
    const again = operation(queueStore, 'again', { run_id, due_at, now, ...rest });
    const put = async (): Promise<unknown> => {
      if (settled?.intended !== true) return store.write([again]);
      const { operations = [] } = (await settlementOf(settled, meter)) ?? {};
      return store.write([operation(journalStore, 'closeRun', { run_id }), ...operations, again]);
    };
    return (await this.#untilDone(put)) ? { due_at } : undefined;
  }

  // The result of a run must be recorded: otherwise the run would start again, or its outcome would be unknown.
  #untilDone(work: () => Promise<unknown>): Promise<boolean> {
    return this.#options.retry.until(work, 'the result of a queued run could not be recorded');
  }
}

interface Put extends Pick<ClaimedRow, 'attempts' | 'turns'> {
  readonly delay: number;
}

interface Turn {
  readonly request: WaitingRequest;
  readonly attempts: readonly Attempt[];
  readonly principal: Principal;
  readonly control: Control;
  readonly free: () => void;
}

function requestOf({ run_id, approval }: ClaimedRow, turn: Turn, options: TurnOptions): RunRequest {
  const { request, attempts, principal, control } = turn;
  const { call, fact } = request;
  const approved = approval === null ? undefined : { approval_id: approval, salt: fact.inputs_salt ?? '' };
  const accepted_decision_id = fact.decision.decision_id;
  return {
    ...call,
    principal,
    inputs: JSON.parse(fact.inputs) as RunRequest['inputs'],
    claim: claimOf(run_id, request, options),
    waited: { run_id, attempts, control, accepted_decision_id, approval: approved },
  };
}

const firstMs = 1000;
const longestMs = 300_000;
// The default reason of an ending whose provider gave none.
const defaultS = 5;

/**
 * Returns how long a run waits after a turn that could not be served: each time twice as long, up to 5 minutes, or as
 * long as a provider asked. `turns`: turns before this one; `jitter`: 0–1.
 */
export function backoffMs(turns: number, retryAfter: number | undefined, jitter: number): number {
  const own = Math.min(longestMs, firstMs * 2 ** Math.min(turns, 20)) * (0.5 + jitter / 2);
  return Math.round(Math.max(own, (retryAfter ?? 0) > defaultS ? (retryAfter ?? 0) * 1000 : 0));
}

const harmless: ReadonlySet<string> = new Set(['not_sent', 'throttled', 'provider_fault']);
const later: ReadonlySet<string | undefined> = new Set([
  'provider_unavailable',
  'no_provider_allowed',
  'policy_unavailable',
  'run_timed_out',
  'storage_unavailable',
]);

/** Says whether a turn ended because it cannot be served now, and nothing was done: the run may wait again. */
export function mayWaitAgain({ ending, attempts }: Pick<Settled, 'ending' | 'attempts'>): boolean {
  return later.has(ending.code) && attempts.every(({ outcome }) => harmless.has(outcome));
}

/** Stops one run on request, as long as that is safe. */
export class Control implements RunControl {
  readonly #harmless: boolean;
  #begun: (() => void) | undefined;
  #stopped = false;
  #dispatched = false;
  #left = false;
  #abort: (() => void) | undefined;

  /** `begun` is called before the first call of a run without effect; others have an intent by then. */
  constructor(effect: Effect | undefined, begun?: () => void) {
    this.#harmless = effect === 'none';
    this.#begun = this.#harmless ? begun : undefined;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  begin(abort: () => void): void {
    this.#begun?.();
    this.#begun = undefined;
    this.#dispatched = true;
    this.#abort = abort;
  }

  end(outcome: Attempt['outcome']): void {
    this.#abort = undefined;
    if (without.has(outcome)) this.#dispatched = false;
  }

  /** Lets the run go back into the queue, where it cannot be stopped by this any more; false: it was stopped before. */
  leave(): boolean {
    this.#left = !this.#stopped;
    return this.#left;
  }

  /**
   * Stops the run, and the call of one without effect. `dispatched`: it may have its effect. `left`: it is on its way
   * back into the queue.
   */
  stop(): 'stopped' | 'dispatched' | 'left' {
    if (this.#left) return 'left';
    if (this.#dispatched && !this.#harmless) return 'dispatched';
    this.#stopped = true;
    this.#abort?.();
    return 'stopped';
  }
}

// Outcomes of calls that had no effect.
const without: ReadonlySet<Attempt['outcome']> = new Set(['not_sent', 'throttled', 'provider_fault']);
