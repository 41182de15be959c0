import type { RuntimeScope } from '../facts/scope.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import { askingOf } from '../journal/owner.ts';
import journalStore, { type KeyRow } from '../journal/store.ts';
import runtimeStore, { type RuntimeReads } from '../store.ts';
import type { Swap } from '../tables/swap-record.ts';
import { swapFact } from '../swap/swap-fact.ts';
import { timestamp, operation, type NodeIdentity, type Operation, type Store } from '../../../kernel/index.ts';

/** The dependencies of settling. */
export interface SettleOptions extends Omit<RuntimeScope, 'ids'> {
  /** Finds the adapter and the configuration of a generation that was opened. */
  readonly opened: RuntimeReads['findGeneration'];
  /** The process that left them, which has ended; absent: earlier starts of this node. */
  readonly ended?: NodeIdentity;
  /** Completes one that had switched, when the other nodes have drained; absent: there are none. */
  readonly finish?: ((swap: Swap) => Promise<void>) | undefined;
}

/**
 * Settles the swaps that a crash left open: one that had not switched ends `failed` (interrupted, attested), the old
 * provider serves; one that had switched is `completed`, since no run of the old process is left to drain, as soon as
 * none is left on other nodes.
 */
export async function settleSwaps(
  open: readonly Swap[],
  { store, hooks, clock, log, opened, ended, finish = completing(store) }: SettleOptions,
): Promise<void> {
  const { openKeys } = store.reads(journalStore);
  const keys = new Map((await openKeys(askingOf(store, ended))).map((key) => [key.subject, key]));
  for (const row of open) {
    log.warn(
      { swap_id: row.swap_id, orb_id: row.orb_id, state: row.state },
      'a swap was interrupted; the server completes or undoes it now',
    );
    if (row.state === 'draining') {
      await finish(row);
      continue;
    }
    const swap = { ...row, state: 'failed' as const, reason: 'interrupted' };
    const { adapter = 'unknown', config_digest = `sha256:${'0'.repeat(64)}` } =
      (await opened(row.orb_id, row.generation)) ?? {};
    const fact = swapFact(
      swap,
      { adapter: { name: adapter }, config_digest },
      { at: timestamp(clock.now()), state: 'failed' },
    );
    await hooks.attest({
      fact,
      operations: (receipt_id) => [
        operation(runtimeStore, 'interruptSwap', { swap_id: swap.swap_id, orb_id: swap.orb_id, receipt_id }),
        ...answered(keys.get(row.swap_id), clock.now()),
      ],
    });
  }
}

const completing =
  (store: Store) =>
  async ({ swap_id }: Swap): Promise<void> =>
    void (await store.write([operation(runtimeStore, 'moveSwap', { swap_id, state: 'completed' })]));

// The caller's key is never free again: a repeated request learns that the swap was interrupted.
function answered(key: KeyRow | undefined, now: number): readonly Operation[] {
  if (key === undefined) return [];
  const problem: StoredAnswer = {
    code: 'probe_failed',
    detail: 'the service stopped during the swap; the old provider stays bound',
    extensions: { swap_id: key.subject },
  };
  return [operation(journalStore, 'finishKey', { ...key, now, answer: JSON.stringify(problem) })];
}
