import { exactly } from '../../../kernel/index.ts';
import { defineFact, factParts, type FactOf } from '../../receipts/contract.ts';

const { id, orbId, text } = factParts;

/** Declares the fact that the order of the providers of an Orb was put into the store, or removed from it. */
export const orderFact = defineFact({
  kind: 'order',
  predicate: exactly({
    orb_id: { ...orbId, description: 'The Orb' },
    facts: exactly({
      change: { type: 'string', enum: ['changed', 'removed'] },
      providers: { type: 'array', description: 'The order in the store, of a removed one the last', items: text },
      principal: { ...id('prn'), description: 'Who changed it' },
    }),
  }),
  subject: ['orb_id'],
  scopes: ['providers:read', 'providers:manage'],
});

/** A change of an order, as it is attested. */
export type OrderFact = FactOf<typeof orderFact>;
