import { decide as ask, type Allowed, type Denied } from '../access.ts';
import { PlatformError } from '../error.ts';
import type { Receipt } from '../fact.ts';
import type { Hooks } from '../hooks.ts';
import type { Log } from '../log.ts';
import { accept, type AcceptOptions } from './accept.ts';
import { accessRequest } from './access-request.ts';
import { attempt, attemptOf, checked, phaseOf } from './attempt.ts';
import { deadlineOf } from './deadline.ts';
import type { Orb } from './orb.ts';
import { deniedEnding, settle, unserved } from './outcome.ts';
import type { Attested, Decided, Run, RunRequest, Settled } from './record.ts';
import { factOf } from './run-fact.ts';
import type { Attempt, RunSettled } from './run.ts';

/** The seed's execution result. */
export interface ExecutionResult {
  readonly run_id: string;
  readonly status: 'completed';
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt;
  readonly execution_ms: number;
}

/** What runs need. */
export interface ExecutionOptions extends AcceptOptions {
  readonly hooks: Hooks;
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

  constructor(options: ExecutionOptions) {
    this.#options = options;
  }

  /** Executes one run; throws a problem with run_id and receipt when it did not complete. */
  async run(request: RunRequest): Promise<ExecutionResult> {
    const run = accept(request, this.#options);
    const decided = await this.#decide(run);
    const settled = decided.decision.allow
      ? await this.#dispatch({ ...decided, decision: decided.decision })
      : this.#deny(decided);
    const attested = await this.#attest(settled);
    this.#announce(attested);
    return present(attested);
  }

  async #decide(run: Run): Promise<Decided> {
    const { hooks, clock, ids, store, version, log } = this.#options;
    try {
      const request = accessRequest(run, {
        decision_id: ids('dec'),
        now: clock.now(),
        installation: store.installation,
        version,
      });
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
    const undecided = run.decision.reasons?.find(({ code }) => engineFailures.has(code))?.code;
    return this.#end(run, {
      ending: deniedEnding(undecided),
      attempts: [],
      outputs_checked: 'unchecked',
      caller_deadline: false,
    });
  }

  async #dispatch(run: Decided & { readonly decision: Allowed }): Promise<Settled> {
    const slot = run.order[0];
    const none = { attempts: [], outputs_checked: 'unchecked', caller_deadline: false } as const;
    if (slot === undefined)
      return this.#end(run, {
        ...none,
        ending: unserved(run.bound.length === 0 ? 'provider_unavailable' : 'no_provider_allowed'),
      });
    const { generation } = slot;
    const provider = { name: slot.provider.name, generation: generation?.number ?? 0, health: slot.transport.health() };
    const deadline = deadlineOf(run, this.#options.clock);
    const sent = this.#options.clock.monotonic();
    const outcome = checked(await attempt(run, slot, deadline), run.orb);
    deadline.clear();
    const latency_ms = generation === undefined ? 0 : Math.round(this.#options.clock.monotonic() - sent);
    const ending = settle([outcome.outcome], run.orb.manifest.effect, deadline.passed());
    const late =
      ending.status === 'timed_out' || (ending.outcome === 'unknown' && phaseOf(outcome.outcome) === 'deadline');
    return this.#end(run, {
      ending,
      attempts: [attemptOf(slot, provider.generation, outcome.outcome, latency_ms)],
      ...(outcome.outputs === undefined ? {} : { outputs: outcome.outputs }),
      outputs_checked: outcome.checked,
      provider,
      caller_deadline: late && deadline.callers,
    });
  }

  #end(run: Decided, rest: Omit<Settled, keyof Decided | 'finished_at' | 'execution_ms'>): Settled {
    const execution_ms = Math.max(0, Math.round(this.#options.clock.monotonic() - run.begun));
    return { ...run, ...rest, finished_at: run.accepted_at + execution_ms, execution_ms };
  }

  async #attest(run: Settled): Promise<Attested> {
    const receipt = await this.#options.hooks
      .attest(factOf(run, { firstUse: !this.#used.has(run.orb) }))
      .catch((error: unknown) => {
        if (error instanceof PlatformError)
          throw new PlatformError(error.code, error.message, { ...error.extensions, run_id: run.run_id });
        throw error;
      });
    if (receipt === undefined)
      throw new PlatformError('storage_unavailable', 'the result could not be recorded', { run_id: run.run_id });
    this.#used.add(run.orb);
    return { ...run, receipt };
  }

  #announce(run: Attested): void {
    const { run_id, orb_id, orbiset_id, mode, execution_ms } = run;
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
    };
    this.#options.settled(provider === undefined ? event : { ...event, provider }, attempts);
  }
}

const engineFailures: ReadonlySet<string> = new Set([
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
]);

function present(run: Attested): ExecutionResult {
  const { run_id, ending, receipt, execution_ms, outputs = {}, decision } = run;
  const { code, detail, retry_after } = ending;
  if (code === undefined) return { run_id, status: 'completed', outputs, receipt, execution_ms };
  const denial = decision.allow
    ? {}
    : {
        ...(decision.decision_id === undefined ? {} : { decision_id: decision.decision_id }),
        reasons: decision.reasons ?? [],
      };
  throw new PlatformError(code, detail, {
    run_id,
    receipt,
    ...denial,
    ...(retry_after === undefined ? {} : { retry_after }),
  });
}
