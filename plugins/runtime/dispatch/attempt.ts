import type { Orb } from '../catalog/orb.ts';
import type { TracedCall } from '../facts/tracing.ts';
import type { Run } from './run-record.ts';
import type { Slot } from '../provider/binding.ts';
import { canonical, type Clock } from '../../../kernel/index.ts';
import type { IdempotencySupport, Provider, UpstreamCall, UpstreamProgress } from '../../../kernel/adapter.ts';
import type { Dispatch, Outcome, Upstream, UpstreamFacts } from '../../../kernel/runner.ts';
import type { Ending } from '../outcome/outcome.ts';
import type { Attempt } from '../facts/facts.ts';
import { providerKey } from '../facts/provider-key.ts';

/** A run's time budget, counted from `accept`. */
export interface Deadline {
  /** True when the caller's own `timeout_ms`, shorter than the manifest's, is the budget. */
  readonly callers: boolean;
  /** Time left, ms; 0 when it is used up. */
  remaining(): number;
}

/** Starts the deadline of a run. */
export function deadlineOf(
  run: {
    readonly timeout_ms?: number | undefined;
    readonly begun: number;
    readonly orb: { readonly manifest: { readonly timeout_ms: number } };
  },
  clock: Clock,
): Deadline {
  const own = run.orb.manifest.timeout_ms;
  const ends = run.begun + Math.min(run.timeout_ms ?? own, own);
  return {
    callers: run.timeout_ms !== undefined && run.timeout_ms < own,
    remaining: () => Math.max(0, ends - clock.monotonic()),
  };
}

const graceMs = 100;
const grainMs = 16;
const unsaid = 'the deadline passed before the provider reported a result';

/**
 * Says whether the deadline decided: the run timed out, or is unknown and every unanswered attempt ended by the
 * deadline.
 */
export function decidedByDeadline({ status, outcome }: Ending, attempts: readonly Attempt[]): boolean {
  if (status === 'timed_out') return true;
  const silent = attempts.filter((attempt) => attempt.outcome === 'unknown' && attempt.lookup === undefined);
  return outcome === 'unknown' && silent.length > 0 && silent.every(({ phase }) => phase === 'deadline');
}

// Node keeps one list of timers per duration; a list for each duration is slow under load.
function grained(ms: number): number {
  return ms < 1000 ? ms : Math.ceil(ms / grainMs) * grainMs;
}

/** The wait for one attempt: over after `ms` with the given phase, or when it is ended. */
export class AttemptTimer {
  #ms: number;
  #phase: string;
  readonly #begun = performance.now();
  readonly #answer = Promise.withResolvers<Outcome | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;
  #over: string | undefined;
  #ended = false;

  constructor(ms: number, phase: string) {
    this.#ms = ms;
    this.#phase = phase;
    armLater(this);
  }

  /** Starts the timer, unless it is over or ended by now. */
  arm(): void {
    if (this.#ended || this.#over !== undefined) return;
    const left = this.#ms - (performance.now() - this.#begun);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(this.#phase), Math.max(1, grained(left)));
  }

  /** Lets the wait go on for so long from now, up to the deadline. */
  extend(ms: number): void {
    this.#ms = performance.now() - this.#begun + ms;
    this.#phase = 'deadline';
    this.arm();
  }

  /** Aborts when the wait is over; made when an adapter first uses it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Why the wait is over; absent while it lasts. */
  get over(): string | undefined {
    return this.#over;
  }

  /** True once the call itself has ended; until then its request may still arrive. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Ends the wait at once; `phase` is recorded for the attempt unless the adapter reports a more exact one. */
  end(phase: string): void {
    if (this.#over !== undefined) return;
    this.#over = phase;
    clearTimeout(this.#timer);
    this.#abort(phase);
    this.#grace = setTimeout(() => this.#answer.resolve({ outcome: 'unknown', phase, message: unsaid }), graceMs);
  }

  /** Waits for a call; after the end only for a short grace period, in which the adapter can report what it knows. */
  bound(call: Promise<Outcome | undefined>): Promise<Outcome | undefined> {
    const { promise, resolve, reject } = this.#answer;
    call.then(
      (outcome) => {
        this.#finish();
        resolve(outcome);
      },
      (error: unknown) => {
        this.#finish();
        reject(error);
      },
    );
    return promise;
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#grace);
  }

  #abort(phase: string): void {
    this.#controller?.abort(new Error(`the attempt must settle (${phase})`));
  }
}

const unarmed: AttemptTimer[] = [];

// At the end of this turn of the event loop: calls that have ended by then, as those of local adapters, need no timer.
function armLater(timer: AttemptTimer): void {
  if (unarmed.push(timer) === 1) setImmediate(armAll);
}

function armAll(): void {
  for (const timer of unarmed.splice(0)) timer.arm();
}

/**
 * Returns how long one attempt may take: all remaining time. When the run may go on after an unanswered attempt and
 * another provider is left, half of it, so that one unresponsive provider does not use up the run.
 */
export function attemptBudget(remainingMs: number, { canGoOn }: { readonly canGoOn: boolean }): number {
  return canGoOn ? Math.max(1, remainingMs / 2) : remainingMs;
}

/** Returns how the vendor of a provider supports our key. */
export function idempotencyOf({ adapter, config }: Pick<Provider, 'adapter' | 'config'>): IdempotencySupport {
  return adapter.idempotencyOf?.(config as never) ?? adapter.idempotency;
}

/** Says whether a run may go on after an unanswered attempt; `once`: its owner does not want a second bill. */
export function canGoOn(
  { orb, delivery, order }: Pick<Run, 'orb' | 'delivery' | 'order'>,
  { provider, health }: Slot,
  once: boolean,
): boolean {
  const free = (orb.manifest.effect === 'none' && !once) || delivery === 'at_least_once';
  const keyed = idempotencyOf(provider).kind !== 'none' && health.mayRepeat();
  return keyed || (free && order.length > 1);
}

/** An outcome after its outputs were checked. */
export interface Checked {
  readonly outcome: Outcome;
  /** In canonical form. */
  readonly outputs?: string;
  readonly checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
}

/**
 * Checks outputs. Outputs that cannot be signed, or break the Orb's schema, are the provider's failure; they are
 * committed to if possible.
 */
export function checked(outcome: Outcome, orb: Orb): Checked {
  if (outcome.outcome !== 'accepted') return { outcome, checked: 'unchecked' };
  const invalid = (message: string): Outcome => ({ outcome: 'invalid_outputs', message });
  try {
    const faults = orb.outputs.absent ? [] : orb.outputs.validate(outcome.outputs);
    // Last, because the schema may have filled in defaults.
    const outputs = canonical(outcome.outputs);
    if (faults.length === 0) return { outcome, outputs, checked: orb.outputs.absent ? 'absent' : 'valid' };
    const where = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
    const broken = invalid(`the provider's outputs break the Orb's schema (${where})`);
    return { outcome: broken, outputs, checked: 'invalid' };
  } catch {
    return { outcome: invalid('the provider returned outputs that cannot be written as JSON'), checked: 'invalid' };
  }
}

interface CallOptions {
  readonly timer: AttemptTimer;
  /** An earlier call had the inputs, and its adapter may have changed them. */
  readonly again: boolean;
  readonly report: (facts: UpstreamFacts) => void;
  readonly emit: Dispatch['emit'];
  /** It has the W3C traceparent of the call; undefined: the one of the run is meant. */
  readonly traced: TracedCall | undefined;
}

/** The dispatch that a generation gets; signal and key are made only for an adapter that uses them. */
export class ProviderCall implements Dispatch {
  readonly inputs: Dispatch['inputs'];
  readonly upstream?: UpstreamCall;
  readonly emit?: Dispatch['emit'];
  readonly #run_id: string;
  readonly #provider: string;
  readonly #timer: AttemptTimer;

  constructor(
    run: Pick<Run, 'inputs' | 'inputs_text' | 'run_id' | 'orb' | 'principal' | 'traceparent' | 'watcher'>,
    provider: string,
    { timer, again, report, emit, traced }: CallOptions,
  ) {
    this.inputs = again ? (JSON.parse(run.inputs_text) as Dispatch['inputs']) : run.inputs;
    const { upstream } = run.orb.manifest;
    if (upstream !== undefined) this.upstream = upstreamCall(run, upstream, { report, traced });
    if (emit !== undefined) this.emit = emit;
    this.#run_id = run.run_id;
    this.#provider = provider;
    this.#timer = timer;
  }

  get signal(): AbortSignal {
    return this.#timer.signal;
  }

  get idempotency_key(): string {
    return providerKey(this.#run_id, this.#provider);
  }
}

function upstreamCall(
  { orb, principal, traceparent: caller, watcher }: Pick<Run, 'orb' | 'principal' | 'traceparent' | 'watcher'>,
  upstream: Upstream,
  { report, traced }: Pick<CallOptions, 'report' | 'traced'>,
): UpstreamCall {
  const { traceparent = caller } = traced ?? {};
  return {
    ...upstream,
    effect: orb.manifest.effect,
    principal: principal.id,
    ...(traceparent === undefined ? {} : { traceparent }),
    report: (facts) => report(upstreamFacts(facts)),
    ...(watcher?.progress === undefined ? {} : { progress: (told) => watcher.progress?.(toldProgress(told)) }),
  };
}

function toldProgress({ progress, total, message }: UpstreamProgress): UpstreamProgress {
  return { progress, total, message: message === undefined ? undefined : plain(message) };
}

const longest = 200;
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function plain(text: string): string {
  return text.toWellFormed().replace(hidden, '').slice(0, longest) || 'unknown';
}

// A server names itself; a receipt holds plain, short text that is not empty.
function upstreamFacts({ server, protocol, tool, definition_digest, pinned }: UpstreamFacts): UpstreamFacts {
  return {
    server: { name: plain(server.name), version: plain(server.version) },
    protocol: plain(protocol),
    tool,
    definition_digest,
    pinned,
  };
}
