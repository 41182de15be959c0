import { within } from '../../../kernel/index.ts';

// Below the two seconds after which a node that has not refreshed must stop serving.
const learnMs = 1500;

/**
 * Makes what refreshes this node's state after changes of others; a refresh that takes longer goes on in the background.
 * `isCurrent`: there is nothing to refresh. `refresh` may wait for other work, and calls `began` before it reads.
 */
export function createLearner(isCurrent: () => boolean, refresh: (began: () => void) => Promise<void>) {
  // A refresh that has not started reads the later changes too.
  let waiting: Promise<void> | undefined;
  let missed = false;
  return {
    /** Whether the last refresh failed: the change is not announced again if its learner already returned. */
    get missed(): boolean {
      return missed;
    },
    /** Resolves when the state is refreshed, at the latest when the time for learning is over. Rejects when it fails before. */
    async learn(): Promise<void> {
      // Waiting would make the node that folds the log wait for the log's end.
      if (isCurrent()) return;
      waiting ??= refresh(() => (waiting = undefined)).then(
        () => void (missed = false),
        (error: unknown) => {
          missed = true;
          throw error;
        },
      );
      await within(learnMs, waiting, () => undefined);
    },
  };
}
