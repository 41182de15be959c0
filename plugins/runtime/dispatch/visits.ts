import { isIntended } from '../catalog/orb.ts';
import { KeyLost } from '../journal/keys.ts';
import { otherDefinition, platformRefusal } from '../outcome/outcome.ts';
import type { Slot } from '../provider/binding.ts';
import { isRefusal } from '../journal/store-retry.ts';
import type { Attempt } from '../facts/facts.ts';
import type { Decided, Run, Settled } from './run-record.ts';
import { given, type Log } from '../../../kernel/index.ts';
import { GaveUp, type BoundedWaits, type Failure, type Outcome } from '../../../kernel/runner.ts';
import type { Generation, Lease } from '../provider/generation.ts';

/** An attempt that is about to begin. */
export interface Intended {
  /** With the attempt itself, in the form that counts if it never gets an answer. */
  readonly attempts: readonly Attempt[];
  readonly provider: Settled['provider'];
  /** The run has its key, and its intent if it has one. */
  readonly again: boolean;
}

/** The dependencies of intents. */
export interface IntentOptions {
  readonly log: Log;
  /**
   * Commits, before a call with an effect or of a metered run, the run's fact if the process dies in it, with the claim of its key. Rejects:
   * send nothing; with KeyLost: other work has the key, and the run must leave no trace.
   */
  readonly intend: (run: Decided, intended: Intended) => Promise<void>;
  /** Bounds how long a caller waits for each; absent: it takes as long as it takes. */
  readonly waits?: BoundedWaits | undefined;
}

/** The intents of one run: no effect begins without a durable one. */
export class Intents {
  readonly #run: Decided;
  readonly #options: IntentOptions;
  readonly #journalled: boolean;
  #written = false;

  constructor(run: Decided, options: IntentOptions) {
    this.#run = run;
    this.#options = options;
    this.#journalled = isIntended(run.orb.manifest);
  }

  /** Says whether the run has a durable intent, which its receipt ends. */
  open(): boolean {
    return this.#written && this.#journalled;
  }

  /** Says whether something must be durable before a call of the run. */
  needed(): boolean {
    return this.#journalled || this.#run.claim?.durable === true;
  }

  /**
   * Writes the intent of an attempt: if a crash interrupts the call, it is unknown, phase `interrupted`. Resolves to why
   * nothing may be sent. Throws KeyLost, GaveUp when the store may take the first one later, and what a budget refuses: then
   * nothing was sent.
   */
  async write(
    { provider: { name, adapter, config_digest } }: Slot,
    { generation }: Lease,
    { provider, earlier }: Pick<Intended, 'provider'> & { readonly earlier: readonly Attempt[] },
  ): Promise<Outcome | undefined> {
    const open = { provider: name, adapter: adapter.name, generation: generation.number, config_digest };
    const attempt: Attempt = { ...open, outcome: 'unknown', phase: 'interrupted', latency_ms: 0 };
    try {
      const intended = { attempts: [...earlier, attempt], provider, again: this.#written };
      await this.#bounded(this.#options.intend(this.#run, intended));
      this.#written = true;
      return undefined;
    } catch (error) {
      // A later one that the store takes after all is ended by the receipt, which follows it.
      if (error instanceof KeyLost || (error instanceof GaveUp && !this.#written)) throw error;
      if (!this.#written && this.#run.orb.manifest.metered === true && isRefusal(error)) throw error;
      const told = { err: error, run_id: this.#run.run_id };
      this.#options.log.error(told, 'the intent of a run could not be recorded; nothing was sent');
      return platformRefusal('journal', 'the intent could not be recorded; nothing was sent');
    }
  }

  // No caller waits for a run of the queue.
  #bounded(intending: Promise<void>): Promise<void> {
    const { waits } = this.#options;
    const isBound = waits !== undefined && this.#run.waited === undefined;
    return isBound ? waits.wait(intending) : intending;
  }
}

/** A provider at which a run was, or will be, tried. */
export interface Visit {
  readonly slot: Slot;
  /** Undefined: it could not be opened. */
  readonly lease: Lease | undefined;
  /** When the first call began, on the monotonic clock. */
  firstAt: number | undefined;
}

/** The providers that a run has visited: nearly always one, so that no table is made for them. */
export class Visits {
  readonly #all: Visit[] = [];

  of(slot: Slot): Visit | undefined {
    for (const visit of this.#all) if (visit.slot === slot) return visit;
    return undefined;
  }

  /** Adds a provider that was not visited yet. */
  begin(slot: Slot, lease: Lease | undefined): Visit {
    const visit: Visit = { slot, lease, firstAt: undefined };
    this.#all.push(visit);
    return visit;
  }

  /** Releases the leases of all, but for the one that belongs to the run. */
  leave(own: Lease | undefined): void {
    for (const { lease } of this.#all) if (lease !== undefined && lease !== own) lease.generation.release(lease);
  }
}

type ProviderFact = NonNullable<Settled['provider']>;

const providerFacts = new WeakMap<Slot, ProviderFact>();

/** Describes the provider at the moment of binding: the same frozen object for the same content, serialised once. */
export function providerFact(slot: Slot, generation: Generation | undefined): ProviderFact {
  const { number = 0, swap_id } = generation ?? {};
  const { health } = slot.health;
  const known = providerFacts.get(slot);
  if (known?.generation === number && known.health === health && known.swap_id === swap_id) return known;
  const base = { name: slot.provider.name, generation: number, health };
  const fact = Object.freeze(swap_id === undefined ? base : { ...base, swap_id });
  providerFacts.set(slot, fact);
  return fact;
}

/** Returns the outcome of an attempt whose provider must not be called with this run; undefined when it may be. */
export function unfitOutcome({ orb, parsed }: Pick<Run, 'orb' | 'parsed'>, { generation }: Lease): Outcome | undefined {
  // The policy did not see these inputs in the form that a provider would use.
  if (parsed !== undefined && 'refused' in parsed) return parsed.refused;
  const unfit = generation.transport.unfitFor(orb);
  return unfit === undefined ? undefined : otherDefinition(unfit);
}

const accepted: Pick<Failure, 'phase' | 'reason'> = Object.freeze({});

/** Describes an attempt for the receipt. */
export function attemptOf(
  { provider: { name, adapter, config_digest } }: Slot,
  lease: Lease | undefined,
  {
    outcome,
    latency,
    lookup,
  }: { readonly outcome: Outcome; readonly latency: number; readonly lookup: Attempt['lookup'] },
): Attempt {
  const answered: Attempt = {
    provider: name,
    adapter: adapter.name,
    generation: lease?.generation.number ?? 0,
    config_digest,
    outcome: outcome.outcome,
    latency_ms: Math.round(latency),
  };
  const { phase, reason } = outcome.outcome === 'accepted' ? accepted : outcome;
  const bare = phase === undefined && lookup === undefined && reason === undefined;
  return bare ? answered : { ...answered, ...given({ phase, reason, lookup }) };
}
