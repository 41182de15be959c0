import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../kernel/index.ts';
import { privateKeyOf, publicKeyOf, rawPublicKey, signWith, verifyWith } from './ed25519.ts';
import { thumbprint, type PublicKey } from './jwk.ts';

/** Signs receipts; lives in the writer thread, the only place where the seed is open. */
export interface Signer {
  readonly kid: string;
  /** Signs and verifies with the published key before it answers: 64 bytes. Throws when the two do not fit. */
  sign(message: Uint8Array): Uint8Array;
}

/** A signing key as it is stored. */
export interface StoredKey extends PublicKey {
  /** The seed (32 bytes), sealed for the purpose `signing`. */
  readonly sealed: Uint8Array;
}

/** Makes a new signing key of a role. */
export function createKey(role: PublicKey['role'], sealer: Sealer, now: number): StoredKey {
  const seed = randomBytes(32);
  const publicKey = rawPublicKey(privateKeyOf(seed));
  const sealed = sealer.seal('signing', seed);
  seed.fill(0);
  return { kid: thumbprint(publicKey), role, status: 'active', public_key: publicKey, sealed, created_at: now };
}

/** Opens a stored key. Throws when the seed, the public key and the key id do not belong together. */
export function openSigner(key: StoredKey, sealer: Sealer): Signer {
  const seed = sealer.open('signing', key.sealed);
  const privateKey = privateKeyOf(seed);
  seed.fill(0);
  if (key.kid !== thumbprint(key.public_key) || !timingSafeEqual(rawPublicKey(privateKey), key.public_key))
    throw new Error(`the stored ${key.role} key ${key.kid} does not fit its public key; nothing is signed with it`);
  const publicKey = publicKeyOf(key.public_key);
  return Object.freeze({
    kid: key.kid,
    sign(message: Uint8Array) {
      const signature = signWith(privateKey, message);
      if (!verifyWith(publicKey, message, signature)) throw new Error('a signature just made does not verify');
      return signature;
    },
  });
}
