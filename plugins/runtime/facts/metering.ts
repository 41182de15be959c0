import { defineService, type Awaitable, type Operation, type Principal } from '../../../kernel/index.ts';
import type { Attempt, RunFact } from './facts.ts';
import type { MeteredFacts } from './metered-facts.ts';

export type { MeteredFacts };

/** Whether a vendor bills: `yes` when it answered whole, so that its own count is the bill; `unknown` after a cut. */
export type Billed = 'no' | 'unknown' | 'yes';

/** A metered run that is allowed, before its first call. */
export interface MeteredRun extends Pick<RunFact, 'run_id' | 'orbiset_id' | 'orb_id' | 'mode'> {
  readonly principal: Pick<Principal, 'id' | 'key_id' | 'tenant'>;
  /** As accepted; not to be changed. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The providers that may be asked, in order. */
  readonly candidates: readonly {
    readonly provider: string;
    readonly adapter: string;
    /** Its configuration, which the adapter has checked; absent after a crash. */
    readonly config?: unknown;
  }[];
  /** When it was accepted, milliseconds since the Unix epoch. */
  readonly at: number;
}

/** One call of a metered run, and whether it is billed. */
export interface MeteredAttempt extends Pick<Attempt, 'provider' | 'outcome'> {
  readonly billed: Billed;
}

/** How a metered run ended. */
export interface MeteredEnd extends Pick<RunFact, 'status' | 'reason'> {
  /** The provider that was asked last; absent: none was. */
  readonly provider?: string | undefined;
  /** `unknown` as soon as one attempt is; else `yes` when one answered; else `no`. */
  readonly billed: Billed;
  readonly attempts: readonly MeteredAttempt[];
  /** The whole, checked answer of the provider, also when its caller had gone. */
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
  /** The last part of the type `usage` that was emitted, of an answer that did not become whole. */
  readonly partial?: Readonly<Record<string, unknown>> | undefined;
}

/** What the end of a metered run writes with its receipt, and adds to it. */
export interface Settlement {
  readonly operations: readonly Operation[];
  readonly facts?: MeteredFacts;
}

/** What became of a metered run, as its caller hears it once the receipt is durable. */
export interface Metered extends MeteredFacts {
  readonly billed: Billed;
}

/** What tokens of a model cost at a provider. */
export interface ModelPrice {
  readonly currency: string;
  /** The first day, UTC, on which it holds. */
  readonly valid_from: string;
  /** Of a million tokens, as decimal numbers. */
  readonly per_mtok: {
    readonly input: string;
    /** Absent: a call with output has no cost. */
    readonly output?: string;
    readonly cache_read?: string;
    /** By the time to live of the cache. */
    readonly cache_write?: Readonly<Record<string, string>>;
  };
  /** Some calls have other prices: those with much input, or in another tier of service. */
  readonly tiered: boolean;
}

/** Keeps budgets and prices. Without it metered runs have an intent, and neither a reservation nor a cost. */
export interface MeterPort {
  /**
   * Makes the writes that reserve for a run; they commit with its first intent, once per run. A write that throws a
   * PlatformError other than `storage_unavailable` and `overloaded`, such as 429 `budget_exhausted` with `retry_after`,
   * undoes the intent too: the run is refused with that problem, nothing is sent, and there is no receipt. So does
   * `reserve` itself when it throws one.
   */
  reserve(run: MeteredRun): Awaitable<readonly Operation[]>;
  /**
   * Makes the writes that end the reservation of a run, once per run that had one: they commit with its receipt, when it
   * returns to the queue unsent, or at the next start after a crash. Asked again when that commit has to be repeated.
   */
  settle(run: MeteredRun, end: MeteredEnd): Awaitable<Settlement>;
  /** Finds what a model costs today at a provider, by the alias that callers name; undefined: there is no price. */
  priceOf(alias: string, provider: MeteredRun['candidates'][number]): ModelPrice | undefined;
}

/** The token of the port: the plugin that keeps budgets provides it. */
export const meterPort = defineService<MeterPort>('meter');
