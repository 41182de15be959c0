import type { Position, TransparencyLog } from '../../receipts/contract.ts';
import { Projection, type Changes } from '../projection/projection.ts';
import { Summing } from '../projection/tallies.ts';
import type { LedgerReads } from '../reputation/reads.ts';
import { breath, readEntry } from './follower.ts';

const batchSize = 64;

/**
 * What the log says now, while the ledger is behind it: the committed projection with all later entries that are no
 * runs. Suspensions, listings and namespaces are as of the end of the log, counts and tiers as of the projection.
 */
export class HeadView {
  readonly projection: Projection;
  readonly #log: TransparencyLog;
  // Counts of the entries that are folded here: the follower commits them when it comes to these entries.
  readonly #unused = new Summing();
  #at: Position | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ log, reads }: { readonly log: TransparencyLog; readonly reads: LedgerReads }) {
    this.projection = new Projection(reads.state(), this.#unused, reads);
    this.#log = log;
    this.#at = reads.cursor();
  }

  /** Folds the entries that are no runs, up to the end of the log at the time of the call; answers what changed. */
  follow(): Promise<Changes> {
    const done = this.#turn.then(() => this.#fold());
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #fold(): Promise<Changes> {
    for (;;) {
      const entries = this.#log.othersAfter(this.#at, batchSize);
      for (const entry of entries) {
        const line = readEntry(entry);
        if (line !== undefined) this.projection.apply(line);
        this.#at = { origin: entry.origin, index: entry.index };
      }
      this.#unused.take();
      if (entries.length === 0) return this.projection.take();
      await breath();
    }
  }
}
