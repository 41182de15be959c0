import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../../kernel/index.ts';
import { privateKeyOf, publicKeyOf, rawPublicKey, signWith, verifyWith } from '../format/ed25519.ts';
import { thumbprint, type PublicKey } from '../format/jwk.ts';

/** Signs receipts or checkpoints; used only in the writer thread, the only one with the opened seed. */
export interface Signer {
  readonly kid: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Signs: 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
  /** Signs and verifies with the published key before it answers. Throws when the signature does not verify. */
  signVerified(message: Uint8Array): Uint8Array;
}

/** A signing key as it is stored. */
export interface StoredKey extends PublicKey {
  /** The seed (32 bytes), sealed for the purpose `signing`. */
  readonly sealed: Uint8Array;
}

/** Makes a new signing key for a role; `origin`: the log that a log key signs for. */
export function createKey(role: PublicKey['role'], sealer: Sealer, now: number, origin?: string): StoredKey {
  const seed = randomBytes(32);
  const publicKey = rawPublicKey(privateKeyOf(seed));
  const sealed = sealer.seal('signing', seed);
  seed.fill(0);
  const kid = thumbprint(publicKey);
  const key = { kid, role, status: 'active', public_key: publicKey, sealed, created_at: now } as const;
  return origin === undefined ? key : { ...key, origin };
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
    publicKey: key.public_key,
    sign: (message: Uint8Array) => signWith(privateKey, message),
    signVerified(message: Uint8Array) {
      const signature = signWith(privateKey, message);
      if (!verifyWith(publicKey, message, signature)) throw new Error('a signature just made does not verify');
      return signature;
    },
  });
}
