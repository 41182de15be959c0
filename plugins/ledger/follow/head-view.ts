import { createSerial, PlatformError } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { LogVector } from '../../receipts/contract.ts';
import { Projection } from '../projection/projection.ts';
import { stateOf, type Changes } from '../projection/state.ts';
import { Summing } from '../projection/tallies.ts';
import type { FollowScope } from './scope.ts';
import { lineOf } from '../fact/line.ts';
import { breath } from './pages.ts';

const batchSize = 64;

/** What it reads. */
type HeadOptions = Pick<FollowScope, 'log' | 'reads'>;

/** The current view while the ledger is behind the log. */
export type HeadView = Awaited<ReturnType<typeof openHeadView>>;

/**
 * Opens the committed projection with all later entries other than runs. Suspensions, listings and namespaces are as of
 * the end of the log, counts and tiers as of the projection. `folded`: the entries that the projection has folded.
 */
export async function openHeadView({ log, reads }: HeadOptions, folded: LogVector) {
  // Counts of the entries that are folded here: the follower commits them when it comes to these entries.
  const unused = new Summing();
  const projection = new Projection(stateOf(await reads.state()), unused, reads);
  const read = new Map(folded);
  const serial = createSerial();
  const fold = async (): Promise<Changes> => {
    for (;;) {
      const entries = await log.othersAfter(read, batchSize);
      for (const entry of entries) {
        const line = lineOf(entry);
        if (line !== undefined) await projection.apply(line);
        read.set(entry.origin, entry.index + 1);
      }
      unused.take();
      if (entries.length === 0) return projection.take();
      await breath();
    }
  };
  return {
    projection,
    /** Folds the entries that are no runs, up to the end of the log at the time of the call; answers what changed. */
    follow: (): Promise<Changes> => serial(fold),
  };
}

/** Makes the error of a ledger that has no projection yet. */
export function ledgerBehind(): PlatformError {
  const detail = 'the ledger is reading the log for the first time; wait until GET /health/ready answers 200';
  return new PlatformError(problems.ledger_behind, detail, { retry_after: 10 });
}
