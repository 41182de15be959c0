import { setTimeout as pause } from 'node:timers/promises';
import type { RuntimeScope } from '../facts/scope.ts';
import { cancelTopics } from '../tables/node-messages.ts';
import runtimeStore from '../store.ts';
import type { Followers } from './followers.ts';
import type { Lines } from './lines.ts';
import queueStore, { type ClaimedRow, type QueuedRow } from './store.ts';
import type { Turns } from './turn.ts';
import { cancelledOnRequest } from './unserved.ts';
import { PlatformError, operation, type Awaitable } from '../../../kernel/index.ts';

/** What became of a request to cancel. */
export type Cancelled = 'stopped' | 'dispatched' | 'ended';

/** What cancelling needs of the queue. */
export interface CancellerOptions extends Pick<RuntimeScope, 'log' | 'store'> {
  readonly turns: Turns;
  readonly lines: Lines;
  readonly followers: Followers;
  /** Finds a run that waits or is under way. */
  readonly find: (runId: string) => Awaitable<QueuedRow | undefined>;
  /** Called when a run has ended. */
  readonly ended: (row: ClaimedRow) => void;
}

const endMs = 30_000;
const againMs = 20;
const mostTries = 50;

/** Cancels runs that wait or are under way, here or on the node that has them. */
export class Canceller {
  readonly #options: CancellerOptions;
  /** Ends the wait of those that asked another node to cancel a run, when it says that it is too late. */
  readonly #asking = new Map<string, () => void>();

  constructor(options: CancellerOptions) {
    this.#options = options;
    const { peers } = options.store;
    peers.follow(cancelTopics.asked, (runIds) => runIds.forEach((runId) => this.#asked(runId)));
    peers.follow(cancelTopics.refused, (runIds) => runIds.forEach((runId) => this.#asking.get(runId)?.()));
  }

  /** Cancels a run unless it was dispatched or has ended. Throws 503 `storage_unavailable` while its end is not recorded. */
  async cancel(runId: string): Promise<Cancelled> {
    const { find, followers, store, turns } = this.#options;
    for (let tries = 0; tries < mostTries; tries++) {
      const became = turns.control(runId)?.stop();
      if (became === 'dispatched') return became;
      if (became === 'stopped') {
        await followers.wait(runId, endMs, []);
        if ((await find(runId)) === undefined) return became;
        throw notRecorded(runId);
      }
      // It is not on its way back into the queue.
      if (became === undefined) {
        if (await this.#withdrawn(runId)) return 'stopped';
        if ((await find(runId)) === undefined) return 'ended';
        // A claim of this node shows within a moment.
        if (store.shared && tries > 1) return this.#elsewhere(runId);
      }
      // It is being claimed, goes back or ends.
      await pause(againMs);
    }
    throw notRecorded(runId);
  }

  // Ends a run that waits.
  async #withdrawn(runId: string): Promise<boolean> {
    const { ended, lines, store, turns } = this.#options;
    const row =
      lines.withdraw(runId) ??
      (await store.write([operation(queueStore, 'claimOne', { node: store.node, run_id: runId })]))[0];
    if (row === undefined) return false;
    await turns.end(row, { ending: cancelledOnRequest });
    ended(row);
    return true;
  }

  // Another node works on it: it is asked, and says so when it is too late.
  async #elsewhere(runId: string): Promise<Cancelled> {
    const { find, followers, store } = this.#options;
    const refused = new AbortController();
    this.#asking.set(runId, () => refused.abort());
    try {
      await store.write([operation(runtimeStore, 'askCancel', { run_id: runId })]);
      await followers.wait(runId, endMs, [refused.signal]);
    } finally {
      this.#asking.delete(runId);
    }
    if ((await find(runId)) === undefined) return 'stopped';
    if (refused.signal.aborted) return 'dispatched';
    // That node may have died before it made the call.
    throw notRecorded(runId);
  }

  // Do not let later feed changes wait for this.
  #asked(runId: string): void {
    const { lines, log, store, turns } = this.#options;
    if (turns.control(runId) === undefined && !lines.holds(runId)) return;
    this.cancel(runId)
      .then(async (became) => {
        if (became === 'dispatched') await store.write([operation(runtimeStore, 'refuseCancel', { run_id: runId })]);
      })
      .catch((err: unknown) =>
        log.error({ err, run_id: runId }, 'this node could not cancel a run at the request of another node'),
      );
  }
}

// The store refuses the record of the run.
function notRecorded(run_id: string): PlatformError {
  const detail = `the result of the cancellation of ${run_id} is not recorded yet; send it again`;
  return new PlatformError('storage_unavailable', detail, { run_id, retry_after: 1 });
}
