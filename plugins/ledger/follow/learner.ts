import { within } from '../../../kernel/index.ts';

// Below the two seconds after which a node that has not refreshed must stop serving.
const learnMs = 1500;

/** Refreshes this node's state after changes of others; a refresh that takes longer goes on in the background. */
export class Learner {
  readonly #isCurrent: () => boolean;
  readonly #refresh: (began: () => void) => Promise<void>;
  /** A refresh that has not started reads the later changes too. */
  #waiting: Promise<void> | undefined;
  #missed = false;

  /** `isCurrent`: there is nothing to refresh. `refresh` may wait for other work, and calls `began` before it reads. */
  constructor(isCurrent: () => boolean, refresh: (began: () => void) => Promise<void>) {
    this.#isCurrent = isCurrent;
    this.#refresh = refresh;
  }

  /** Whether the last refresh failed: the change is not announced again if its learner already returned. */
  get missed(): boolean {
    return this.#missed;
  }

  /** Resolves when the state is refreshed, at the latest when the time for learning is over. Rejects when it fails before. */
  async learn(): Promise<void> {
    // Waiting would make the node that folds the log wait for the log's end.
    if (this.#isCurrent()) return;
    this.#waiting ??= this.#refresh(() => (this.#waiting = undefined)).then(
      () => void (this.#missed = false),
      (error: unknown) => {
        this.#missed = true;
        throw error;
      },
    );
    await within(learnMs, this.#waiting, () => undefined);
  }
}
