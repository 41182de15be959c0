import type { AttestedRun, ExecutionResult } from '../facts/facts.ts';
import type { ApprovalsPort, HeldEnd } from '../facts/held.ts';
import type { RuntimeHooks } from '../facts/hooks.ts';
import { accept, type AcceptOptions } from './accept.ts';
import type { QuestionOptions } from './access-request.ts';
import { describedQuestion, type Descriptions } from './described.ts';
import { dispatch, type DispatchOptions } from '../dispatch/dispatch.ts';
import { finishLater, naming, undoLater, type LateOptions } from '../dispatch/late.ts';
import { ApprovalRequired, asksOf, heldDenial, heldEnding, heldRunOf } from './held.ts';
import { TenantShare, type OpenRuns, type RunLimits } from './run-limits.ts';
import { isIntended, type Orb } from '../catalog/orb.ts';
import type { MeterPort } from '../facts/metering.ts';
import { billedBy, settlementOf } from './metering.ts';
import { cancelledEnding, deniedEnding, unbegunEnding } from '../outcome/outcome.ts';
import type { Attested, Decided, Dispatched, Run, RunRequest, Settled } from '../dispatch/run-record.ts';
import type { StoreRetry } from '../journal/store-retry.ts';
import { factOf, present } from './run-fact.ts';
import { settledEvent, tracedRun, type Announce } from './metrics.ts';
import { type PluginScope, PlatformError } from '../../../kernel/index.ts';
import { GaveUp, type Denied, type MaybePromise } from '../../../kernel/runner.ts';

/** The dependencies of runs. */
export interface ExecutionOptions
  extends AcceptOptions, DispatchOptions, Pick<PluginScope<unknown, never>, 'log' | 'version'> {
  readonly hooks: RuntimeHooks;
  readonly limits: RunLimits;
  readonly openRuns: OpenRuns;
  readonly retry: StoreRetry;
  readonly announce: Announce;
  /** Keeps what people are asked; undefined: nobody is, and what a policy asks denies. */
  readonly approvals?: ApprovalsPort | undefined;
  /** What plugins tell policies of calls. */
  readonly descriptions: Pick<Descriptions, 'of'>;
  /** Keeps budgets and prices. */
  readonly meter?: MeterPort | undefined;
}

/** Runs Orbs: accept → decide → bind and dispatch → attest → announce → present. */
export class Execution {
  readonly #options: ExecutionOptions;
  // Orbs whose digest is known to be stored: a manifest is immutable once used.
  readonly #used = new WeakSet<Orb>();
  readonly #share: TenantShare;
  readonly #late: LateOptions;
  readonly #asking: QuestionOptions;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#asking = { ...options, installation: options.store.installation };
    this.#share = new TenantShare(options.clock);
    this.#late = { ...options, finish: (run) => this.finish(run), announce: (run) => this.#announce(run) };
  }

  /** Executes one run; throws a problem with run_id and receipt when it did not complete. */
  async run(request: RunRequest): Promise<ExecutionResult> {
    const { openRuns, waits } = this.#options;
    const run = accept(request, this.#options);
    openRuns.enter(run);
    request.watcher?.accepted?.(run.run_id);
    let left = free;
    try {
      run.claim?.begin(run.run_id);
      const leave = this.#admit(run);
      left = leave instanceof Promise ? await leave : leave;
      const settled = await this.#serve(run);
      // As `finish` does, without a promise of its own.
      let attested: Attested;
      try {
        const attesting = this.#attest(settled);
        attested = await (waits === undefined ? attesting : waits.wait(attesting));
      } catch (error) {
        finishLater(settled, error, this.#late);
        throw error instanceof GaveUp ? naming(error, settled) : error;
      }
      this.#announce(attested);
      if (attested.metered !== undefined) request.watcher?.metered?.(attested.metered);
      return present(attested);
    } finally {
      left();
      openRuns.leave(run);
    }
  }

  /**
   * Accepts and decides a run that will wait for its turn, or for people if its decision asks. Throws what `run` throws
   * before anything is sent, and 422 for a callback that no plugin sends; a denial has its receipt.
   */
  async admit(request: RunRequest): Promise<Decided> {
    const { openRuns } = this.#options;
    const run = accept(request, this.#options);
    openRuns.enter(run);
    let left = free;
    try {
      run.claim?.begin(run.run_id);
      this.#options.hooks.callbacks.require(run);
      left = await this.#admit(run);
      const decided = await this.#decided(run);
      if (decided.decision.allow || this.#mayHold(decided)) return decided;
      present(await this.finish(await this.#deny(decided)));
      return decided;
    } finally {
      left();
      run.lease?.generation.release(run.lease);
      openRuns.leave(run);
    }
  }

  /** Decides about a run without executing it. Throws what `run` throws before it decides. */
  async preview(request: RunRequest): Promise<Decided> {
    const run = accept(request, this.#options);
    run.lease?.generation.release(run.lease);
    if (run.parsed !== undefined && 'refused' in run.parsed)
      throw new PlatformError('invalid_inputs', run.parsed.refused.message);
    const decided = await this.#decided(run);
    if (!decided.decision.allow) await this.#options.limits.denied(decided);
    return decided;
  }

  /** Serves a run that has waited for its turn. Throws only before its dispatch; `ApprovalRequired` if people must approve it. */
  async serve(request: RunRequest): Promise<Settled> {
    const run = await this.#answered(accept(request, this.#options));
    let left = free;
    try {
      const entered = this.#options.limits.enter(run);
      left = entered instanceof Promise ? await entered : entered;
      return await this.#serve(run);
    } finally {
      left();
      run.lease?.generation.release(run.lease);
    }
  }

  /** Denies a run that was to be held, with its receipt. Throws its problem, or 429 when the key had too many denials. */
  async deny(run: Decided, why: HeldEnd): Promise<never> {
    await this.#options.limits.denied(run);
    const decision = heldDenial(run.decision, why);
    present(await this.finish(this.#end({ ...run, decision }, { ...cancelled, ending: heldEnding(why) })));
    throw new PlatformError(why, 'the run is denied');
  }

  /** Issues the receipt of an ended run, and announces it. Throws 503 when the receipt cannot be recorded. */
  async finish(settled: Settled): Promise<Attested> {
    const attested = await this.#attest(settled);
    this.#announce(attested);
    return attested;
  }

  // The store did not take its intent in time.
  #undo(run: Decided, error: unknown): never {
    const intended = isIntended(run.orb.manifest);
    if (error instanceof GaveUp)
      undoLater(this.#end(run, { ...cancelled, ending: unbegunEnding, intended }), error, this.#late);
    throw error;
  }

  #admit(run: Run): MaybePromise<() => void> {
    const { limits, waits } = this.#options;
    if (!limits.concerns(run)) return free;
    const admitting = run.admitted === true ? Promise.resolve(limits.enter(run)) : limits.admit(run);
    return (waits === undefined ? admitting : waits.wait(admitting)).catch((error: unknown) => {
      run.lease?.generation.release(run.lease);
      if (error instanceof GaveUp)
        admitting.then(
          (leave) => leave(),
          () => undefined,
        );
      throw error;
    });
  }

  // The generation is leased from the moment its order was read until the run has its outcome, and no longer.
  async #serve(run: Run): Promise<Settled> {
    try {
      const decision = this.#decided(run);
      const decided = decision instanceof Promise ? await decision : decision;
      if (!decided.decision.allow) {
        if (this.#mayHold(decided)) throw new ApprovalRequired(decided);
        return await this.#deny(decided);
      }
      if (run.abandoned?.() === true) return this.#end(decided, cancelled);
      const dispatching = dispatch(decided, this.#options);
      if (this.#options.waits === undefined) return this.#end(decided, await dispatching);
      return this.#end(decided, await dispatching.catch((error: unknown) => this.#undo(decided, error)));
    } finally {
      run.lease?.generation.release(run.lease);
    }
  }

  // What people decided on a run that they were asked about.
  async #answered(run: Run): Promise<Run> {
    const { approval } = run.waited ?? {};
    if (approval === undefined) return run;
    return { ...run, answered: await this.#options.approvals?.answered(approval.approval_id, heldRunOf(run)) };
  }

  #mayHold({ decision, hold }: Decided): boolean {
    return asksOf(decision).length > 0 && this.#options.approvals !== undefined && hold !== 'refuse';
  }

  #decided(run: Run): MaybePromise<Decided> {
    const decision = this.#decide(run);
    return decision instanceof Promise ? decision.then((made) => decidedAs(run, made)) : decidedAs(run, decision);
  }

  #decide(run: Run): MaybePromise<Decided['decision']> {
    try {
      const { descriptions, hooks } = this.#options;
      const question = describedQuestion(run, descriptions, this.#asking);
      const decision =
        question instanceof Promise ? question.then((asked) => hooks.decide(asked)) : hooks.decide(question);
      return decision instanceof Promise ? decision.catch((error: unknown) => this.#undecided(run, error)) : decision;
    } catch (error) {
      return this.#undecided(run, error);
    }
  }

  #undecided({ run_id }: Run, err: unknown): Denied {
    this.#options.log.error({ err, run_id }, 'the deciding plugin failed');
    return { allow: false, policies: [], reasons: [{ code: 'policy_error' }], warns: 0, shadow_denies: 0 };
  }

  // Denials of a key above a rate are not recorded: they must not fill the log, nor keep the key from allowed runs. A
  // run that was accepted before has its receipt in any case.
  async #deny(run: Decided): Promise<Settled> {
    if (run.waited === undefined) await this.#options.limits.denied(run);
    return this.#end(run, { ...cancelled, ending: deniedEnding(run.decision) });
  }

  #end(run: Decided, rest: Dispatched): Settled {
    const settled = run as Open<Settled>;
    settled.ending = rest.ending;
    settled.attempts = rest.attempts;
    settled.outputs_checked = rest.outputs_checked;
    settled.intended = rest.intended;
    settled.caller_deadline = rest.caller_deadline;
    settled.execution_ms = Math.max(0, Math.round(this.#options.clock.monotonic() - run.begun));
    settled.finished_at = run.accepted_at + settled.execution_ms;
    settled.outputs = rest.outputs;
    settled.provider = rest.provider;
    settled.upstream = rest.upstream;
    if (rest.partial !== undefined) settled.partial = rest.partial;
    if (rest.trace !== undefined) settled.trace = rest.trace;
    return settled;
  }

  async #attest(run: Settled): Promise<Attested> {
    const { tenant } = run.orbiset;
    const turn = this.#share.enter(tenant);
    if (turn !== undefined) await turn;
    try {
      const isMetered = run.orb.manifest.metered === true;
      const settlement = isMetered ? await settlementOf(run, this.#options.meter) : undefined;
      const fact = factOf(run, { firstUse: !this.#used.has(run.orb), settlement });
      const attested = await this.#options.hooks.attest(fact);
      this.#used.add(run.orb);
      if (isMetered) (run as Open<Attested>).metered = { ...settlement?.facts, billed: billedBy(run.attempts) };
      return attestedAs(run, attested);
    } catch (error) {
      throw error instanceof PlatformError ? naming(error, run) : error;
    } finally {
      this.#share.leave(tenant);
    }
  }

  #announce(run: Attested): void {
    const { announce, tracing } = this.#options;
    const event = settledEvent(run);
    announce(event, run.attempts);
    tracing?.ended(event, run.attempts.length + (run.waited?.attempts.length ?? 0), () => tracedRun(run, event));
  }
}

const free = (): void => undefined;

// Each step adds its members to the run itself, which nobody else has: a copy of so many members is slow.
type Open<T> = { -readonly [K in keyof T]: T[K] };

function decidedAs(run: Run, decision: Decided['decision']): Decided {
  const decided = run as Open<Decided>;
  const accepted_decision_id = run.waited?.accepted_decision_id;
  decided.decision = accepted_decision_id === undefined ? decision : { ...decision, accepted_decision_id };
  return decided;
}

function attestedAs(run: Settled, attested: AttestedRun): Attested {
  const done = run as Open<Attested>;
  done.receipt = attested;
  if (attested.opening !== undefined) ({ opening: done.opening, ...done.receipt } = attested);
  return done;
}

// The caller went away before anything was sent.
const cancelled: Dispatched = Object.freeze({
  ending: cancelledEnding,
  attempts: [],
  outputs_checked: 'unchecked',
  intended: false,
  caller_deadline: false,
});
