import { createPrivateKey } from 'node:crypto';
import type { SealedRows } from '../../kernel/index.ts';

/**
 * The sealed values that a start opens: the key that signs callbacks, and the address and secrets of each subscription.
 */
export const sealedRows: readonly SealedRows[] = [
  {
    table: 'subscriptions_key',
    purpose: 'callback',
    what: 'the key that signs callbacks',
    rows: 'SELECT sealed FROM subscriptions_key',
    read: (pkcs8) => createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }),
  },
  {
    table: 'subscriptions_subscriptions',
    purpose: 'callback',
    what: 'subscription',
    rows: 'SELECT subscription_id AS name, sealed FROM subscriptions_subscriptions ORDER BY subscription_id',
    read: (plain) => new URL((JSON.parse(Buffer.from(plain).toString()) as { readonly url: string }).url),
  },
];
