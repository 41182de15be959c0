import type { SealedRows } from '../../../kernel/index.ts';
import { privateKeyOf, rawPublicKey } from '../format/ed25519.ts';

/** The seeds of active keys: a start opens those of its node. The seeds of other keys are never opened again. */
export const sealedSeeds: SealedRows = {
  table: 'receipts_signing_keys',
  purpose: 'signing',
  what: 'signing key',
  rows: `SELECT kid AS name, public_key, sealed FROM receipts_signing_keys WHERE status = 'active' ORDER BY kid`,
  read(seed, { public_key }) {
    if (Buffer.compare(rawPublicKey(privateKeyOf(seed)), public_key as Uint8Array) !== 0)
      throw new Error('the seed does not match its public key');
  },
};
