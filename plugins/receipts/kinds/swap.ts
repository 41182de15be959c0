import type { Infer } from '../../../kernel/index.ts';
import { exactly, optional } from '../format/exactly.ts';
import { digest, id, natural, orbId, policyFacts, text, time, word } from '../format/schema-parts.ts';

/** Schema of the predicate of a swap: who replaced which provider with which other, and how it ended. */
export const swapPredicate = exactly({
  swap_id: id('swp'),
  orb_id: orbId,
  facts: exactly({
    from: optional(text),
    from_generation: optional(natural),
    to: text,
    generation: natural,
    adapter: text,
    config_digest: digest,
    state: { type: 'string', enum: ['draining', 'completed', 'failed'] },
    rolls_back: optional(id('swp')),
    reason: optional(word),
    principal: optional(id('prn')),
    policy: optional(policyFacts),
    started_at: time,
    switched_at: optional(time),
  }),
});
/** The predicate of a swap, without its head. */
export type SwapPredicate = Infer<typeof swapPredicate>;
