import { setTimeout as pause } from 'node:timers/promises';
import {
  attemptBudget,
  AttemptTimer,
  canGoOn,
  checked,
  deadlineOf,
  decidedByDeadline,
  idempotencyOf,
  ProviderCall,
  type Checked,
  type Deadline,
} from './attempt.ts';
import { RunCaller } from './caller.ts';
import type { Slot } from '../provider/binding.ts';
import type { Permit, RecordedCall } from '../provider/health.ts';
import { attemptOf, Intents, providerFact, unfitOutcome, Visits, type IntentOptions } from './visits.ts';
import {
  isUnbegun,
  platformRefusal,
  refusal,
  replaced,
  settle,
  unserved,
  unsettled,
  type Tried,
} from '../outcome/outcome.ts';
import type { Decided, Dispatched, Settled } from './run-record.ts';
import { lookUp } from './look-up.ts';
import { carrying, RunTrace } from './trace.ts';
import { decideNext } from './retry.ts';
import type { Attempt } from '../facts/facts.ts';
import type { TracingPort } from '../facts/tracing.ts';
import type { Clock } from '../../../kernel/index.ts';
import type { Outcome, UpstreamFacts } from '../../../kernel/runner.ts';
import type { Lease } from '../provider/generation.ts';

/** The dependencies of dispatching. */
export interface DispatchOptions extends IntentOptions {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** Says why nothing may be sent now; undefined: it may. */
  readonly fence?: (() => Outcome | undefined) | undefined;
  /** Follows runs for traces. */
  readonly tracing?: TracingPort | undefined;
}

interface Trial extends Tried {
  readonly attempt: Attempt;
  readonly checked: Checked;
}

/**
 * Serves a run by the one retry loop: attempts at the providers of its order, within its deadline, each recorded. Leases
 * taken here are released here; the first one belongs to the run. A failure is data; rejects only when other work has the
 * key of the run.
 */
export async function dispatch(run: Decided, options: DispatchOptions): Promise<Dispatched> {
  const [first] = run.order;
  if (first === undefined) {
    const ending = run.bound.length === 0 ? unserved() : unserved(run);
    return { ending, attempts: [], outputs_checked: 'unchecked', intended: false, caller_deadline: false };
  }
  const provider = providerFact(first, run.lease?.generation);
  const loop = new Loop(run, options, provider);
  const trials = await loop.run();
  const { caller } = loop;
  const settled = settle(trials, run.orb.manifest.effect, loop.late);
  const ending = caller === undefined ? settled : caller.endingOf(settled);
  const attempts = trials.map(({ attempt }) => attempt);
  const { outputs, checked: outputs_checked = 'unchecked' } = trials.at(-1)?.checked ?? {};
  return {
    ending,
    attempts,
    outputs,
    outputs_checked: ending.status === 'cancelled' ? 'unchecked' : outputs_checked,
    partial: caller?.partial,
    intended: loop.intents.open(),
    caller_deadline: loop.deadline.callers && decidedByDeadline(ending, attempts),
    provider: isUnbegun(trials) ? undefined : provider,
    upstream: loop.upstream,
    trace: loop.trace,
  };
}

class Loop {
  readonly #run: Decided;
  readonly #provider: Settled['provider'];
  readonly #options: DispatchOptions;
  readonly #trials: Trial[] = [];
  readonly #visits = new Visits();
  readonly deadline: Deadline;
  readonly intents: Intents;
  /** Absent: the run neither streams nor needs its caller. */
  readonly caller: RunCaller | undefined;
  /** Absent: nobody follows the run. */
  readonly trace: RunTrace | undefined;
  /** The deadline has passed. */
  late = false;
  /** What the last call reached upstream. */
  upstream: UpstreamFacts | undefined;

  constructor(run: Decided, options: DispatchOptions, provider: Settled['provider']) {
    this.#run = run;
    this.#provider = provider;
    this.#options = options;
    this.deadline = deadlineOf(run, options.clock);
    this.intents = new Intents(run, options);
    if (options.tracing !== undefined) this.trace = new RunTrace(run, options.clock, options.tracing);
    if (run.stream !== undefined || run.gone !== undefined) this.caller = new RunCaller(run, this.deadline);
  }

  async run(): Promise<readonly Trial[]> {
    try {
      for (const slot of this.#run.order) if (!(await this.#tryAt(slot))) break;
      await this.#leastBad();
      return this.#trials;
    } finally {
      this.#visits.leave(this.#run.lease);
    }
  }

  /** Tries one provider until the rules end the run (false) or send it on to the next one (true). */
  async #tryAt(slot: Slot): Promise<boolean> {
    for (let here = 1; ; here++) {
      if (this.#stopped) return false;
      const trial = await this.#attempt(slot, { repeated: here > 1, forced: false });
      if (trial.outcome.outcome === 'accepted' || this.caller?.pinned === true) return false;
      // When the end of a drain cuts a call short, the run ends: nothing is sent a second time.
      if (unsettled([trial]) !== undefined && this.#visits.of(slot)?.lease?.generation.overdue === true) return false;
      const next = decideNext(trial.outcome, this.#state(slot, here));
      if (next.go !== 'again') return next.go === 'next';
      await pause(next.delayMs, undefined, this.caller?.waiting).catch(() => undefined);
    }
  }

  // Every breaker refused: without an effect it is safe to ask the one that opens first.
  async #leastBad(): Promise<void> {
    const refused = this.#trials.every(({ attempt }) => attempt.phase === 'breaker');
    if (!refused || this.#run.orb.manifest.effect !== 'none') return;
    const [best] = [...this.#run.order].sort((a, b) => a.health.breaker.remainingMs - b.health.breaker.remainingMs);
    if (best !== undefined && !this.#stopped) await this.#attempt(best, { repeated: false, forced: true });
  }

  get #stopped(): boolean {
    return this.#run.waited?.control.stopped === true || this.caller?.gone === true;
  }

  get #once(): boolean {
    return this.#run.orb.manifest.metered === true && this.#run.orbiset.retry_unknown === false;
  }

  #state(slot: Slot, here: number) {
    const { orb, delivery } = this.#run;
    return {
      effect: orb.manifest.effect,
      atLeastOnce: delivery === 'at_least_once',
      idempotency: idempotencyOf(slot.provider),
      once: this.#once,
      unsettled: unsettled(this.#trials.filter(({ provider }) => provider === slot.provider.name)) !== undefined,
      attempts: this.#trials.length,
      attemptsHere: here,
      sinceFirstMs: this.#options.clock.monotonic() - (this.#visits.of(slot)?.firstAt ?? 0),
      remainingMs: this.late ? 0 : this.deadline.remaining(),
      // A second call at a provider may be billed a second time.
      budget: orb.manifest.metered !== true && slot.health.mayRepeat(),
      jitter: this.#options.random(),
    };
  }

  async #attempt(slot: Slot, how: { readonly repeated: boolean; readonly forced: boolean }): Promise<Trial> {
    const { queue } = slot;
    const { breaker } = slot.health;
    const { name } = slot.provider;
    const lease = this.#leaseOf(slot);
    if (lease === undefined) return this.#record(slot, lease, refusal('open', `provider ${name} could not be opened`));
    const unfit = unfitOutcome(this.#run, lease);
    if (unfit !== undefined) return this.#record(slot, lease, unfit);
    const permit = how.forced ? undefined : breaker.allow();
    if (!how.forced && permit === undefined) {
      const paused = refusal('breaker', `provider ${name} is paused after recent failures`, breaker.remainingMs);
      return this.#record(slot, lease, paused);
    }
    // The wait in the queue counts against the deadline of the run.
    const refused =
      queue === undefined ? undefined : await queue.enter(this.#run.orbiset.tenant, this.deadline.remaining());
    const held = this.#held(slot, lease, refused);
    if (held !== undefined) {
      breaker.release(permit);
      return this.#record(slot, lease, held);
    }
    const sent = this.#send(slot, lease, { repeated: how.repeated, permit });
    return queue === undefined ? sent : sent.finally(() => queue.leave());
  }

  // A drain may have ended while the run waited in the queue.
  #held({ queue, provider }: Slot, { generation }: Lease, refused: 'full' | 'late' | undefined): Outcome | undefined {
    if (refused === 'late') this.late = true;
    if (refused !== undefined) return refusal('queue', `too many runs are waiting for provider ${provider.name}`, 1000);
    if (!generation.overdue) return undefined;
    queue?.leave();
    return replaced(provider.name);
  }

  async #send(slot: Slot, lease: Lease, call: Pick<RecordedCall, 'repeated' | 'permit'>): Promise<Trial> {
    const { clock } = this.#options;
    const unjournalled = this.intents.needed() ? await this.#intend(slot, lease, call.permit) : undefined;
    if (unjournalled !== undefined) return this.#record(slot, lease, unjournalled);
    const held = this.#stopped
      ? refusal('cancelled', 'the run was cancelled; nothing was sent')
      : (this.#options.fence?.() ?? this.#tooLate());
    if (held !== undefined) {
      slot.health.breaker.release(call.permit);
      return this.#record(slot, lease, held);
    }
    this.#run.watcher?.attempt?.(slot.provider.name, this.#run.order.indexOf(slot) + 1, this.#run.order.length);
    const begun = clock.monotonic();
    const visit = this.#visits.of(slot);
    if (visit !== undefined) visit.firstAt ??= begun;
    const { timer, answer } = this.#call(slot, lease);
    const control = this.#run.waited?.control;
    control?.begin(() => timer.end('cancelled'));
    const unwatch = this.caller?.watch(slot, timer);
    const answered = (await answer) ?? refusal('open', `provider ${slot.provider.name} is not bound`);
    const outcome = this.caller === undefined ? answered : this.caller.heard(answered);
    unwatch?.();
    // A revocation from now on does not concern a call that has ended.
    lease.onRevoke = undefined;
    control?.end(outcome.outcome);
    if (timer.over === 'deadline') this.late = true;
    const latency = clock.monotonic() - begun;
    const callers = (this.late && this.deadline.callers) || timer.over === 'caller_gone';
    slot.health.record(outcome, latency, { callers, ...call });
    if (outcome.outcome !== 'unknown') return this.#record(slot, lease, outcome, latency);
    const unanswered = { ended: timer.ended, outcome };
    const settled = await lookUp(lease, this.#run.run_id, this.deadline.remaining(), unanswered);
    return this.#record(slot, lease, settled.outcome, latency, settled.lookup);
  }

  // The decision, or the write of the intent, took all the time: a call that begins now could not be answered in time.
  #tooLate(): Outcome | undefined {
    if (this.deadline.remaining() > 0) return undefined;
    this.late = true;
    return platformRefusal('deadline', 'the deadline of the run passed before its provider was called');
  }

  async #intend(slot: Slot, lease: Lease, permit: Permit | undefined): Promise<Outcome | undefined> {
    let sends = false;
    try {
      const earlier = this.#trials.map((trial) => trial.attempt);
      const unjournalled = await this.intents.write(slot, lease, { provider: this.#provider, earlier });
      if (unjournalled !== undefined) return unjournalled;
      // A drain may have ended meanwhile.
      sends = !lease.generation.overdue;
      return sends ? undefined : replaced(slot.provider.name);
    } finally {
      if (!sends) slot.health.breaker.release(permit);
    }
  }

  #call(slot: Slot, lease: Lease): { timer: AttemptTimer; answer: Promise<Outcome | undefined> } {
    const remaining = this.deadline.remaining();
    const budget = attemptBudget(remaining, { canGoOn: canGoOn(this.#run, slot, this.#once) });
    const timer = new AttemptTimer(budget, budget < remaining ? 'timeout' : 'deadline');
    lease.onRevoke = () => timer.end('drain');
    const traced = this.trace?.begin(this.#trials.length);
    const call = new ProviderCall(this.#run, slot.provider.name, {
      timer,
      again: this.#trials.length > 0,
      report: (facts) => (this.upstream = facts),
      emit: this.caller?.emitOf(slot, timer),
      traced,
    });
    return { timer, answer: timer.bound(carrying(traced, () => lease.generation.call(call))) };
  }

  #leaseOf(slot: Slot): Lease | undefined {
    const known = this.#visits.of(slot);
    if (known !== undefined) return known.lease;
    return this.#visits.begin(slot, slot === this.#run.order[0] ? this.#run.lease : slot.generation?.lease()).lease;
  }

  #record(slot: Slot, lease: Lease | undefined, found: Outcome, latency = 0, lookup?: 'absent' | 'present'): Trial {
    const result = checked(found, this.#run.orb);
    const { name } = slot.provider;
    const { outcome } = result;
    const attempt = attemptOf(slot, lease, { outcome, latency, lookup });
    const trial: Trial = { provider: name, outcome, lookup, attempt, checked: result };
    const before = this.#trials.at(-1);
    if (before !== undefined && before.provider !== name) {
      const { run_id, orb_id } = this.#run;
      const moved = { run_id, orb_id, from: before.provider, to: name };
      this.#options.log.info(moved, `a run of ${orb_id} continued with the next provider`);
    }
    this.#trials.push(trial);
    return trial;
  }
}
