import type { Swap } from '../tables/swap-record.ts';
import type { SwapFact } from '../facts/facts.ts';
import type { Allowed } from '../../../kernel/runner.ts';
import { type Operation, given } from '../../../kernel/index.ts';

/** Makes the row of the decision that allowed a swap; none when the platform itself swapped. */
export function recordOf(decision: Allowed | undefined, receipt_id: string): readonly Operation[] {
  return decision?.record === undefined ? [] : [decision.record({ receipt_id })];
}

interface Ended extends Pick<SwapFact, 'at'>, Pick<SwapFact['facts'], 'state'> {
  readonly decision?: Allowed | undefined;
}

/** Turns a swap into the fact to be attested. `at`: when it switched or failed. */
export function swapFact(
  swap: Swap,
  target: { readonly adapter: { readonly name: string }; readonly config_digest: string },
  { at, state, decision }: Ended,
): SwapFact {
  // The fact attests the bound provider; earlier facts show whether it was already bound.
  const { swap_id, orb_id, state: _, receipt_id: _receipt, changed: _changed, ...more } = swap;
  const { node: _node, incarnation: _incarnation, ...said } = more;
  const { name: adapter } = target.adapter;
  return {
    kind: 'swap',
    at,
    swap_id,
    orb_id,
    facts: { ...given(said), adapter, config_digest: target.config_digest, state },
    ...(decision === undefined ? {} : { decision }),
  };
}
