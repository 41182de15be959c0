import type { SwapRow } from '../store.ts';
import type { Swap } from '../provider/swap-record.ts';

/** Turns a swap into its row. */
export function rowOf(swap: Swap): SwapRow {
  const {
    from = null,
    to,
    from_generation = null,
    rolls_back = null,
    reason = null,
    principal = null,
    switched_at = null,
  } = swap;
  const { swap_id, orb_id, generation, state, started_at, receipt_id = null } = swap;
  const base = { swap_id, orb_id, generation, state, started_at, receipt_id };
  return { ...base, from_provider: from, to_provider: to, from_generation, rolls_back, reason, principal, switched_at };
}

/** Reads a stored swap. */
export function swapOf(row: SwapRow): Swap {
  const { swap_id, orb_id, to_provider: to, generation, state, started_at } = row;
  return {
    ...{ swap_id, orb_id, to, generation, state, started_at },
    from: row.from_provider ?? undefined,
    from_generation: row.from_generation ?? undefined,
    rolls_back: row.rolls_back ?? undefined,
    reason: row.reason ?? undefined,
    principal: row.principal ?? undefined,
    switched_at: row.switched_at ?? undefined,
    receipt_id: row.receipt_id ?? undefined,
  };
}
