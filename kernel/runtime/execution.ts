import { decide as ask, undecidedReason, type Denied } from '../access.ts';
import { PlatformError } from '../error.ts';
import type { Receipt } from '../fact.ts';
import type { Hooks } from '../hooks.ts';
import type { Log } from '../log.ts';
import { operation, type Operation } from '../store/contract.ts';
import { accept, type AcceptOptions } from './accept.ts';
import { executeQuestion } from './access-request.ts';
import { dispatch, type DispatchOptions } from './dispatch.ts';
import type { Orb } from './orb.ts';
import { deniedEnding } from './outcome.ts';
import type { Attested, Decided, Run, RunRequest, Settled } from './record.ts';
import type { StoredAnswer, Unverified } from './journal/answer.ts';
import journalStore from './journal/store.ts';
import { factOf } from './run-fact.ts';
import type { RunLimits } from './run-limits.ts';
import type { Attempt, RunSettled } from './run.ts';
import { wasSent } from './sent.ts';
import { Turns } from './turns.ts';

/** What a completed run answers. */
export interface ExecutionResult {
  readonly run_id: string;
  readonly status: 'completed';
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt;
  readonly execution_ms: number;
}

/** What runs need. */
export interface ExecutionOptions extends AcceptOptions, DispatchOptions {
  readonly hooks: Hooks;
  readonly limits: RunLimits;
  readonly log: Log;
  readonly version: string;
  /** Hears of every run that has its receipt. */
  readonly settled: (event: RunSettled, attempts: readonly Attempt[]) => void;
}

/** Runs Orbs: accept → decide → bind and dispatch → attest → announce → present. */
export class Execution {
  readonly #options: ExecutionOptions;
  // Orbs whose digest this process knows to be stored: a manifest is immutable once used.
  readonly #used = new WeakSet<Orb>();
  readonly #turns: Turns;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
  }

  /** Executes one run; throws a problem with run_id and receipt when it did not complete. */
  async run(request: RunRequest): Promise<ExecutionResult> {
    const run = accept(request, this.#options);
    run.claim?.begin(run.run_id);
    const leave = await this.#admit(run);
    try {
      const settled = await this.#serve(run);
      const attested = await this.#attest(settled);
      this.#announce(attested);
      return present(attested);
    } finally {
      leave();
    }
  }

  async #admit(run: Run): Promise<() => void> {
    try {
      return await this.#options.limits.admit(run);
    } catch (error) {
      run.lease?.generation.release(run.lease);
      throw error;
    }
  }

  // The generation is held from the moment its order was read until the run has its outcome, and no longer.
  async #serve(run: Run): Promise<Settled> {
    try {
      const decided = await this.#decide(run);
      return decided.decision.allow ? this.#end(decided, await dispatch(decided, this.#options)) : this.#deny(decided);
    } finally {
      run.lease?.generation.release(run.lease);
    }
  }

  async #decide(run: Run): Promise<Decided> {
    const { hooks, clock, ids, store, version, log } = this.#options;
    try {
      const request = executeQuestion(run, { clock, ids, installation: store.installation, version });
      return { ...run, decision: await ask(hooks, request) };
    } catch (error) {
      log.error({ err: error, run_id: run.run_id }, 'the deciding plugin failed');
      const decision: Denied = {
        allow: false,
        policies: [],
        reasons: [{ code: 'policy_error' }],
        warns: 0,
        shadow_denies: 0,
      };
      return { ...run, decision };
    }
  }

  #deny(run: Decided): Settled {
    this.#options.limits.denied(run);
    return this.#end(run, {
      ending: deniedEnding(undecidedReason(run.decision)),
      attempts: [],
      outputs_checked: 'unchecked',
      caller_deadline: false,
    });
  }

  #end(run: Decided, rest: Omit<Settled, keyof Decided | 'finished_at' | 'execution_ms'>): Settled {
    const execution_ms = Math.max(0, Math.round(this.#options.clock.monotonic() - run.begun));
    return { ...run, ...rest, finished_at: run.accepted_at + execution_ms, execution_ms };
  }

  async #attest(run: Settled): Promise<Attested> {
    const receipt = await this.#inTurn(run);
    if (receipt === undefined)
      throw new PlatformError('storage_unavailable', 'the result could not be recorded', { run_id: run.run_id });
    this.#used.add(run.orb);
    return { ...run, receipt };
  }

  async #inTurn(run: Settled): Promise<Receipt | undefined> {
    const { tenant } = run.orbiset;
    const turn = this.#turns.enter(tenant);
    if (turn !== undefined) await turn;
    try {
      const more = (summary: Unverified | undefined): readonly Operation[] => this.#more(run, summary);
      return await this.#options.hooks.attest(factOf(run, { firstUse: !this.#used.has(run.orb), more }));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new PlatformError(error.code, error.message, { ...error.extensions, run_id: run.run_id });
    } finally {
      this.#turns.leave(tenant);
    }
  }

  // The intents end with the receipt, and the answer of the caller's key is stored with it, unless nothing was sent.
  #more({ claim, ...run }: Settled, summary: Unverified | undefined): readonly Operation[] {
    const intended = run.orb.manifest.effect !== 'none' && run.attempts.length > 0;
    const closed = intended ? [operation(journalStore, 'closeRun', { run_id: run.run_id })] : [];
    if (claim === undefined || summary === undefined) return closed;
    return [...closed, ...(wasSent(run.attempts) ? claim.finished(answerOf(run, summary)) : claim.freed())];
  }

  #announce(run: Attested): void {
    const { run_id, orb_id, orbiset_id, mode, execution_ms, traceparent } = run;
    const { provider, ending, attempts, receipt, orbiset } = run;
    const event = {
      run_id,
      receipt_id: receipt.receipt_id,
      orb_id,
      orbiset_id,
      tenant: orbiset.tenant,
      status: ending.status,
      mode,
      execution_ms,
      traceparent,
    };
    this.#options.settled(provider === undefined ? event : { ...event, provider }, attempts);
  }
}

function present(run: Attested): ExecutionResult {
  const answer = answerOf(run, run.receipt);
  // The body of a completed run is what answerOf makes of it, with the whole receipt.
  if ('body' in answer) return answer.body as ExecutionResult;
  throw new PlatformError(answer.code, answer.detail, answer.extensions);
}

function answerOf(run: Settled, receipt: Unverified): StoredAnswer {
  const { run_id, ending, execution_ms, outputs = {}, decision } = run;
  const { code, detail = '', retry_after } = ending;
  if (code === undefined) return { body: { run_id, status: 'completed', outputs, receipt, execution_ms } };
  const { decision_id, reasons = [] } = decision;
  const denial = decision.allow ? {} : { ...(decision_id === undefined ? {} : { decision_id }), reasons };
  const later = retry_after === undefined ? {} : { retry_after };
  return { code, detail, extensions: { run_id, receipt, ...denial, ...later } };
}
