import { askingOf } from '../journal/owner.ts';
import type { RunQueue } from '../queue/queue.ts';
import { recoverRuns, type RecoverOptions } from './run-recovery.ts';
import type { RuntimeReads } from '../store.ts';
import type { SwapFollower } from '../swap/follow.ts';
import { settleSwaps, type SettleOptions } from './swap-recovery.ts';
import type { NodeIdentity } from '../../../kernel/index.ts';

/** What settling is done with. */
interface AdoptionOptions extends RecoverOptions {
  readonly reads: Pick<RuntimeReads, 'findGeneration' | 'openSwaps'>;
  readonly queue: Pick<RunQueue, 'takeUp'>;
  readonly finish: SettleOptions['finish'];
  /** Follows the swaps of other nodes; absent: there are none. */
  readonly follower?: Pick<SwapFollower, 'again'> | undefined;
}

/**
 * Makes what settles the work of another process that has ended: its swaps, the runs that it had begun, its keys, and
 * the runs of the queue that it had taken. Each step is repeated without harm: what is settled is no longer found.
 */
export function settleEnded(options: AdoptionOptions): (ended: NodeIdentity) => Promise<void> {
  const { follower, reads, store, queue } = options;
  return async (ended) => {
    const open = await reads.openSwaps(askingOf(store, ended));
    await settleSwaps(open, { ...options, opened: reads.findGeneration, ended });
    for (const { orb_id } of open) await follower?.again(orb_id);
    await recoverRuns(options, ended);
    await queue.takeUp(ended);
  };
}
