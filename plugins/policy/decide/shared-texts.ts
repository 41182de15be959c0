import { createHash } from 'node:crypto';
import { operation, type Store } from '../../../kernel/index.ts';
import policyStore from '../store.ts';

/** The part of a decision that many decisions have: its digest, and its text while the store may not have it. */
export interface SharedPart {
  readonly shared: string;
  readonly shared_text: string | null;
}

/** A text that decisions share, as it is known here. */
export interface SharedText {
  readonly text: string;
  readonly digest: string;
  /** The last day on which the store was told that the text is used, `YYYY-MM-DD`. */
  day: string | undefined;
  telling: boolean;
}

const mostKnown = 2000;

/**
 * Tracks which texts that decisions share are in the store, so that a decision is written with only the digest. A used
 * text is written again once a day; an unused one can be deleted with its last decision.
 */
export class SharedTexts {
  readonly #store: Pick<Store, 'write'>;
  readonly #known = new Map<string, SharedText>();

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  /** Finds the entry of a text. A caller that keeps it avoids another search by a long text. */
  find(text: string): SharedText {
    return this.#known.get(text) ?? this.#learn(text);
  }

  /** Answers the part of a text for a decision of a time (RFC 3339 UTC). */
  partOf(known: SharedText, at: string): SharedPart {
    const day = at.slice(0, 10);
    if (known.day === day) return { shared: known.digest, shared_text: null };
    if (!known.telling) this.#tell(known, day);
    // Until the store has answered, each decision brings the text along.
    return { shared: known.digest, shared_text: known.text };
  }

  #learn(text: string): SharedText {
    if (this.#known.size >= mostKnown) this.#known.clear();
    // 144 bits: two texts with one digest are not found in the lifetime of an installation.
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    const known = { text, digest, day: undefined, telling: false };
    this.#known.set(text, known);
    return known;
  }

  #tell(known: SharedText, used_on: string): void {
    const { digest, text } = known;
    known.telling = true;
    const told = this.#store.write([operation(policyStore, 'keepText', { digest, text, used_on })]);
    // A failure leaves the text with each decision, and the next one tells it again.
    void told
      .then(
        () => (known.day = used_on),
        () => undefined,
      )
      .then(() => (known.telling = false));
  }
}
