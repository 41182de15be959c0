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

/** What a plugin attests: a fact of a kind that it declares, whose schema says which other members there are. */
export interface PluginFact extends AnyFact {
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
}

/** The result of attesting any fact. */
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
  /**
   * Writes that commit with the receipt or not at all, e.g. the run's row. They get the receipt's id and, where the kind
   * has one, its summary without the verdict. (A method: who attests any fact knows nothing of its summary.)
   */
  operations(receiptId: string, summary?: Omit<A, 'signature_valid'>): readonly Operation[];
}

/** Makes the writes of a plugin that commit with the receipt of a fact. It is called for each fact: it must be quick. */
export type ReceiptWrites = (
  fact: AnyFact,
  receiptId: string,
  summary: Omit<Attestation, 'signature_valid'> | undefined,
) => readonly Operation[];
