import type { Allowed } from '../../access.ts';
import type { SwapFact } from '../../fact.ts';
import type { Operation } from '../../store/contract.ts';
import type { Swap } from '../provider/swap-record.ts';

/** Makes the row of the decision that let a swap begin; none when the platform itself swapped. */
export function recordOf(decision: Allowed | undefined, receipt_id: string): readonly Operation[] {
  return decision?.record === undefined ? [] : [decision.record({ receipt_id })];
}

/** Turns a swap into the fact to be attested. `at`: when it switched or failed. */
export function swapFact(
  swap: Swap,
  target: { readonly adapter: { readonly name: string }; readonly config_digest: string },
  {
    at,
    state,
    decision,
  }: { readonly at: string; readonly state: SwapFact['facts']['state']; readonly decision?: Allowed | undefined },
): SwapFact {
  const {
    swap_id,
    orb_id,
    from,
    from_generation,
    to,
    generation,
    rolls_back,
    reason,
    principal,
    started_at,
    switched_at,
  } = swap;
  const optional = { from, from_generation, rolls_back, reason, principal, switched_at };
  const known = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return {
    kind: 'swap',
    at,
    swap_id,
    orb_id,
    facts: {
      to,
      generation,
      adapter: target.adapter.name,
      config_digest: target.config_digest,
      state,
      started_at,
      ...known,
    },
    ...(decision === undefined ? {} : { decision }),
  };
}
