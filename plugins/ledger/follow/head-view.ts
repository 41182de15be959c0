import { createSerial, PlatformError } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import type { LogVector, TransparencyLog } from '../../receipts/contract.ts';
import { Projection } from '../projection/projection.ts';
import { stateOf, type Changes, type StoredState } from '../projection/state.ts';
import { Summing } from '../projection/tallies.ts';
import type { FollowScope } from './scope.ts';
import { lineOf } from '../fact/line.ts';
import { breath } from './pages.ts';

const batchSize = 64;

/** What it reads. */
type HeadOptions = Pick<FollowScope, 'log' | 'reads'>;

/**
 * The current view while the ledger is behind the log: the committed projection with all later entries other than runs.
 * Suspensions, listings and namespaces are as of the end of the log, counts and tiers as of the projection.
 */
export class HeadView {
  readonly projection: Projection;
  readonly #log: TransparencyLog;
  // Counts of the entries that are folded here: the follower commits them when it comes to these entries.
  readonly #unused = new Summing();
  readonly #read: Map<string, number>;
  readonly #serial = createSerial();

  private constructor({ log, reads }: HeadOptions, read: LogVector, state: StoredState) {
    this.projection = new Projection(stateOf(state), this.#unused, reads);
    this.#log = log;
    this.#read = new Map(read);
  }

  /** Opens it at the committed projection; `read`: the entries that this one has folded. */
  static async open(options: HeadOptions, read: LogVector): Promise<HeadView> {
    return new HeadView(options, read, await options.reads.state());
  }

  /** Folds the entries that are no runs, up to the end of the log at the time of the call; answers what changed. */
  follow(): Promise<Changes> {
    return this.#serial(() => this.#fold());
  }

  async #fold(): Promise<Changes> {
    for (;;) {
      const entries = await this.#log.othersAfter(this.#read, batchSize);
      for (const entry of entries) {
        const line = lineOf(entry);
        if (line !== undefined) await this.projection.apply(line);
        this.#read.set(entry.origin, entry.index + 1);
      }
      this.#unused.take();
      if (entries.length === 0) return this.projection.take();
      await breath();
    }
  }
}

/** Makes the error of a ledger that has no projection yet. */
export function ledgerBehind(): PlatformError {
  const detail = 'the ledger is reading the log for the first time; wait until GET /health/ready answers 200';
  return new PlatformError(problems.ledger_behind, detail, { retry_after: 10 });
}
