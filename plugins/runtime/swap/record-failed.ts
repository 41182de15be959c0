import type { SwapScope } from './scope.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import type { Claim } from '../journal/keys.ts';
import { mayBeTakenLater } from '../journal/store-retry.ts';
import type { Swap } from '../tables/swap-record.ts';
import runtimeStore from '../store.ts';
import { recordOf, swapFact } from './swap-fact.ts';
import { operation, timestamp } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';
import type { Allowed } from '../../../kernel/runner.ts';

/** What recording needs. */
export type RecordingOptions = Pick<SwapScope, 'clock' | 'hooks' | 'log' | 'retry'>;

/** How a swap was asked for, and what its caller is told. */
export interface Failed {
  readonly decision: Allowed | undefined;
  readonly claim: Claim | undefined;
  /** The result that the caller's key keeps; undefined: the key is free again. */
  readonly problem: StoredAnswer | undefined;
}

/**
 * Attests that a swap failed, and notes its receipt in it. A refused write is repeated later: until then no node can
 * change the provider of the Orb.
 */
export async function recordFailed(
  swap: Swap,
  target: Provider,
  { claim, decision, problem }: Failed,
  { clock, hooks, log, retry }: RecordingOptions,
): Promise<void> {
  const failed = 'a failed swap could not be recorded';
  const at = timestamp(clock.now());
  const record = async (): Promise<void> => {
    const attested = await hooks.attest({
      fact: swapFact(swap, target, { at, state: 'failed', decision }),
      operations: (receipt_id) => [
        operation(runtimeStore, 'putSwap', { ...swap, receipt_id }),
        ...recordOf(decision, receipt_id),
        ...(problem === undefined ? (claim?.freed() ?? []) : (claim?.finished(problem) ?? [])),
      ],
    });
    swap.receipt_id = attested.receipt_id;
  };
  await record().catch((err: unknown) => {
    log.error({ err, swap_id: swap.swap_id }, failed);
    if (mayBeTakenLater(err)) void retry.until(record, failed);
  });
}
