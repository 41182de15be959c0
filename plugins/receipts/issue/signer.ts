import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../../kernel/index.ts';
import { privateKeyOf, publicKeyOf, rawPublicKey, signWith, verifyWith } from '../format/ed25519.ts';
import { thumbprint, type PublicKey } from '../format/jwk.ts';

/** Signs receipts or checkpoints; used only in the writer thread, the only one with the opened seed. */
export type Signer = ReturnType<typeof openSigner>;

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

// Neither a statement nor a checkpoint, so the signature cannot be misused.
const proven = Buffer.from('agent-orb proof of a key pair');

/**
 * Opens a stored key. Throws when the seed, the public key and the key id do not belong together, or when a signature
 * made with it does not verify.
 */
export function openSigner(key: StoredKey, sealer: Sealer) {
  const open = (): ReturnType<typeof privateKeyOf> => {
    const seed = sealer.open('signing', key.sealed);
    const made = privateKeyOf(seed);
    seed.fill(0);
    return made;
  };
  const [privateKey, twin] = [open(), open()];
  const publicKey = publicKeyOf(key.public_key);
  const fits = (one: typeof privateKey): boolean =>
    timingSafeEqual(rawPublicKey(one), key.public_key) && verifyWith(publicKey, proven, signWith(one, proven));
  if (key.kid !== thumbprint(key.public_key) || !fits(privateKey) || !fits(twin))
    throw new Error(`the stored ${key.role} key ${key.kid} does not match its public key and cannot be used`);
  return Object.freeze({
    kid: key.kid,
    /** 32 bytes. */
    publicKey: key.public_key,
    /** Signs: 64 bytes. */
    sign: (message: Uint8Array) => signWith(privateKey, message),
    /** Signs and verifies with the published key before it answers. Throws when the signature does not verify. */
    signVerified(message: Uint8Array) {
      const signature = signWith(privateKey, message);
      if (!verifyWith(publicKey, message, signature)) throw new Error('a new signature failed verification');
      return signature;
    },
    /**
     * Signs with two keys that were made of the seed independently: Ed25519 is deterministic (RFC 8032 §5.1.6), so that a
     * fault of the computation shows at a third of the cost of a verification. Throws when the signatures differ.
     */
    signTwice(message: Uint8Array) {
      const signature = signWith(privateKey, message);
      if (Buffer.compare(signature, signWith(twin, message)) !== 0)
        throw new Error('two signatures of one message differ; both were discarded');
      return signature;
    },
  });
}
