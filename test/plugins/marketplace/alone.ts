import { nobodyElse } from '../../../kernel/store/peers.ts';

/** What the marketplace asks a store that no other node has open. */
export const storeAlone = { shared: false, peers: nobodyElse({ name: 'a', incarnation: '0'.repeat(16) }, '1.0.0', 0) };
