import { given } from '../../../kernel/index.ts';

/** Schema of the state of a swap. Up to `switching` the old provider serves. */
export const swapState = {
  enum: ['validating', 'opening', 'probing', 'switching', 'draining', 'completed', 'failed', 'rolled_back'],
  description: 'State of the swap',
} as const;

/** The state of a swap. */
export type SwapState = (typeof swapState.enum)[number];

/** One change of an Orb's provider. */
export interface Swap {
  readonly swap_id: string;
  readonly orb_id: string;
  readonly from?: string | undefined;
  readonly from_generation?: number | undefined;
  readonly to: string;
  /** Number of the new generation; 0 until it has one. */
  generation: number;
  state: SwapState;
  /** The swap that this one undoes. */
  readonly rolls_back?: string | undefined;
  reason?: string | undefined;
  /** False: the same provider was bound already, opened with the same configuration. It is in no list of swaps. */
  readonly changed?: false | undefined;
  /** Who asked; absent: the platform. */
  readonly principal?: string | undefined;
  readonly started_at: string;
  switched_at?: string | undefined;
  /** The process that makes it; absent in those of earlier versions. */
  readonly node?: string | undefined;
  readonly incarnation?: string | undefined;
  receipt_id?: string | undefined;
}

/** Returns a swap as it is sent: members without a value are absent. */
export function shownSwap(swap: Swap): object {
  const { swap_id, orb_id, to, state, generation, started_at } = swap;
  const { from, rolls_back, changed, switched_at, reason, receipt_id } = swap;
  return given({
    ...{ swap_id, orb_id, to, state, generation, started_at },
    ...{ from, rolls_back, changed, switched_at, reason, receipt_id },
  });
}
