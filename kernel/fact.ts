import type { Decision } from './access.ts';
import type { Operation } from './store/contract.ts';

/** Any fact that is attested; its kind says which other members there are. */
export interface AnyFact {
  readonly kind: string;
  readonly facts: object;
  /** Absent: the installation's own fact. */
  readonly tenant?: string;
  /** Becomes `facts.policy`; absent when no policy was evaluated. */
  readonly decision?: Decision;
}

/** A plugin that declares kinds of facts, which only the plugin that attests reads as a whole. */
export interface FactOwner {
  readonly name: string;
  /** True when platform.json names the plugin's file; verifiers elsewhere do not have its kinds. */
  readonly external?: true;
  readonly facts: readonly Pick<AnyFact, 'kind'>[];
}

/** What a plugin attests: a fact of a kind that it declares, whose schema says which other members there are. */
export interface PluginFact extends AnyFact {
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
}

/** The answer to any attested fact. */
export interface Attestation {
  /** `rec_<ulid>` */
  readonly receipt_id: string;
  /** Verified, not assumed. */
  readonly signature_valid: boolean;
  /** RFC 3339 UTC: when the run finished, or when the fact happened. */
  readonly timestamp: string;
}

/** One fact and what must commit with its receipt; `A`: what its kind is answered with. */
export interface Fact<F extends AnyFact = AnyFact, A extends Attestation = Attestation> {
  readonly fact: F;
  /** Writes that commit with the receipt or not at all; where the kind has a summary, they get it without the verdict. */
  operations(receiptId: string, summary?: Omit<A, 'signature_valid'>): readonly Operation[];
}

/** Makes the writes of a plugin that commit with the receipt of a fact. It is called for each fact: it must be quick. */
export type ReceiptWrites = (
  fact: AnyFact,
  receiptId: string,
  summary: Omit<Attestation, 'signature_valid'> | undefined,
) => readonly Operation[];

/** The writes that plugins add to the commit of each receipt. */
export class AddedWrites {
  readonly #failed: (owner: string, error: unknown) => void;
  readonly #all = new Set<{ readonly owner: string; readonly writes: ReceiptWrites }>();

  constructor(failed: (owner: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /** Adds writes; the function that is returned removes them. */
  add(owner: string, writes: ReceiptWrites): () => void {
    const added = { owner, writes };
    this.#all.add(added);
    return () => void this.#all.delete(added);
  }

  /** Returns the fact with the added writes. A plugin that fails loses its own; the receipt is recorded nevertheless. */
  to<F extends Fact>(fact: F): F {
    if (this.#all.size === 0) return fact;
    const operations: Fact['operations'] = (receiptId, summary) => {
      const all = [...fact.operations(receiptId, summary)];
      for (const { owner, writes } of this.#all)
        try {
          all.push(...writes(fact.fact, receiptId, summary));
        } catch (error) {
          this.#failed(owner, error);
        }
      return all;
    };
    return { ...fact, operations };
  }
}
