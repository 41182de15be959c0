import { exactly, optional } from '../../../kernel/index.ts';

const name = { type: 'string', maxLength: 64 } as const;
const names = { type: 'array', maxItems: 100, uniqueItems: true, items: name } as const;
const standbys = { ...names, description: 'Tried after the active provider, in this order' } as const;

/** Schema of the body that changes an order. */
export const orderRequest = exactly('OrderRequest', { standbys });

/** Schema of the order of the providers of an Orb. */
export const orderSchema = exactly('ProviderOrder', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  active_provider: optional({ type: 'string', description: 'Absent: none' }),
  standbys,
  others: { ...names, description: 'Other providers with the capability' },
  source: {
    enum: ['file', 'store', 'default'],
    description: '`file`: read-only; `default`: all with the capability, the oldest first',
  },
  receipt_id: optional({ type: 'string', description: 'Receipt of the last change in the store' }),
});
