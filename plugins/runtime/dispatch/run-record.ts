import type { Slot } from '../provider/binding.ts';
import type { ParsedInputs } from '../provider/input-parser.ts';
import type { Claim } from '../journal/keys.ts';
import type { Orb } from '../catalog/orb.ts';
import type { HeldAnswer } from '../facts/held.ts';
import type { Orbiset } from '../catalog/orbiset.ts';
import type { Ending } from '../outcome/outcome.ts';
import type { Attempt, Channel, Mode, Opening, Receipt, RunFact, Standing } from '../facts/facts.ts';
import type { Metered } from '../facts/metering.ts';
import type { TracedCalls } from '../facts/tracing.ts';
import type { Principal } from '../../../kernel/index.ts';
import type { UpstreamProgress } from '../../../kernel/adapter.ts';
import type { Allowed, Denied, UpstreamFacts } from '../../../kernel/runner.ts';
import type { Lease } from '../provider/generation.ts';

/** Hears of the course of one run. */
export interface RunWatcher {
  /** The run was accepted: it will have a receipt. */
  accepted?(runId: string): void;
  /** A provider is asked; `place` counts from 1. */
  attempt?(provider: string, place: number, of: number): void;
  /** A provider says how far it is. */
  progress?(told: UpstreamProgress): void;
  /** The run has its receipt, and is metered; told before its result or problem. */
  metered?(told: Metered): void;
}

/** Where the parts of an answer go, of a caller that streams. */
export interface RunStream {
  /** Called once, before the first part: from now on only this provider serves the run. */
  started?(begun: { readonly run_id: string; readonly provider: string }): void;
  /**
   * Takes a part; the promise resolves when the next may come. Parts come from one provider, in order; the result comes
   * after the receipt. When it rejects, the caller has gone.
   */
  emit(part: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** Stops a run that has not sent anything yet, or that changes nothing. */
export interface RunControl {
  /** Nothing more is to be sent. */
  readonly stopped: boolean;
  /** Called when a provider is called; `abort` ends the call. */
  begin(abort: () => void): void;
  /** Called when the call has ended. */
  end(outcome: Attempt['outcome']): void;
}

/** What is known of a run that has waited for its turn. */
export interface Waited {
  readonly run_id: string;
  /** The decision by which it was accepted. */
  readonly accepted_decision_id?: string | undefined;
  /** Attempts of the turns before. */
  readonly attempts: readonly Attempt[];
  readonly control: RunControl;
  /** The approval that lets it go on, and the salt of its inputs. */
  readonly approval?: { readonly approval_id: string; readonly salt: string } | undefined;
}

/** The request of a caller. */
export interface RunRequest {
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly delivery?: 'at_most_once' | 'at_least_once' | undefined;
  readonly timeout_ms?: number | undefined;
  /** The answer includes the salts of the receipt's commitments. */
  readonly disclose?: boolean | undefined;
  /** The rates have counted it before: its caller learned then that people must approve it. */
  readonly admitted?: true | undefined;
  /** `refuse`: if people must approve it, it is denied instead of held. */
  readonly hold?: 'wait' | 'refuse' | undefined;
  /** Only sandbox providers serve it, as with a test key. */
  readonly sandbox?: boolean | undefined;
  /** Finds the only provider that may serve it; the run is a test of it, and reputation does not count it. */
  readonly pinned?: (() => Slot) | undefined;
  /** The subscription that gets a callback when the run ends; only for a queued run. */
  readonly callback?: { readonly subscription_id: string } | undefined;
  readonly principal: Principal;
  readonly client_ip: string;
  /** W3C traceparent of the request, for tracing; it decides nothing. */
  readonly traceparent?: string | undefined;
  /** How the caller reached the program; HTTP unless given. */
  readonly channel?: Channel | undefined;
  readonly watcher?: RunWatcher | undefined;
  /** Says whether the caller has gone; asked before anything is sent, and then nothing is. */
  readonly abandoned?: (() => boolean) | undefined;
  /** Absent: the caller gets the whole answer at the end. */
  readonly stream?: RunStream | undefined;
  /**
   * Aborts when the caller has gone: the call is cut short, unless its provider drains, and the run ends as `cancelled`,
   * reason `caller_gone`. Absent: the run does not need its caller, as with an Idempotency-Key.
   */
  readonly gone?: AbortSignal | undefined;
  /** Called with the headers that show the rest of the run's limits. */
  readonly limited?: (headers: Readonly<Record<string, string>>) => void;
  /** The caller's Idempotency-Key, in use by this request. */
  readonly claim?: Claim | undefined;
  /** The run will wait for its turn: how many calls wait for its provider now does not matter. */
  readonly later?: true | undefined;
  /** The run has waited for its turn. */
  readonly waited?: Waited | undefined;
}

/** An accepted run. Each later step only adds fields, so that a wrong order of steps does not compile. */
export interface Run extends RunRequest {
  readonly run_id: string;
  readonly orb: Orb;
  readonly orbiset: Orbiset;
  /** The accepted inputs in canonical form; an adapter may change its own copy. */
  readonly inputs_text: string;
  readonly inputs_bytes: number;
  /** Undefined when no input of the capability has a grammar of its own. */
  readonly parsed?: ParsedInputs | undefined;
  readonly standing: Standing;
  /** What plugins told policies of its call; absent: nothing. */
  readonly described?: Readonly<Record<string, unknown>> | undefined;
  /** What people decided on it. */
  readonly answered?: HeldAnswer | undefined;
  readonly mode: Mode;
  /** All providers that may serve it, the active one first. */
  readonly order: readonly Slot[];
  /** The order before mode and allow-list. */
  readonly bound: readonly Slot[];
  /**
   * Lease of the active generation, taken together with the order, so that the generation decided on is the one that
   * serves.
   */
  readonly lease: Lease | undefined;
  /** Milliseconds since the Unix epoch, and on the clock that never goes back. */
  readonly accepted_at: number;
  readonly begun: number;
}

/** A run with its decision. */
export interface Decided extends Run {
  readonly decision: Allowed | Denied;
}

/** The results of dispatching a run; a failure is data here. */
export interface Dispatched {
  readonly ending: Ending;
  readonly attempts: readonly Attempt[];
  /** The provider's checked answer in canonical form; an adapter may change its own copy. */
  readonly outputs?: string | undefined;
  readonly outputs_checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
  /** The first provider of the order at the moment of binding. */
  readonly provider?: RunFact['facts']['provider'] | undefined;
  /** The last count of what was used, of an answer that did not become whole. */
  readonly partial?: Readonly<Record<string, unknown>> | undefined;
  /** It has a durable intent, which ends with its receipt. */
  readonly intended: boolean;
  readonly caller_deadline: boolean;
  /** What was called upstream, when the Orb represents a tool of a provider. */
  readonly upstream?: UpstreamFacts | undefined;
  /** Its calls, when a plugin follows runs. */
  readonly trace?: TracedCalls | undefined;
}

/** A run that has ended. */
export interface Settled extends Decided, Dispatched {
  readonly finished_at: number;
  readonly execution_ms: number;
}

/** A run whose receipt is durable. */
export interface Attested extends Settled {
  readonly receipt: Receipt;
  readonly opening?: Opening;
  readonly metered?: Metered;
}
