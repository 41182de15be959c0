import { hash, randomBytes } from 'node:crypto';

/** A salted commitment to one value, and what opens it. */
export interface Commitment {
  /** `sha256:<hex>` of salt ‖ canonical form. */
  readonly digest: string;
  /** Bytes of the canonical form. */
  readonly size: number;
  /** 16 random bytes; without them the digest of a guessable value would tell the value. */
  readonly salt: Uint8Array;
  /** The canonical form (RFC 8785). */
  readonly text: string;
}

/** Commits to a value by its canonical form (RFC 8785). */
export type Commit = (text: string) => Commitment;

/** Commits to a canonical form under a salt that is given. */
export function commitWith(salt: Uint8Array, text: string): Commitment {
  const size = Buffer.byteLength(text);
  return { digest: `sha256:${hash('sha256', opened(salt, text, size))}`, size, salt, text };
}

/** Builds what opens a commitment: salt ‖ canonical form; its plain SHA-256 is the digest. */
export function opening({ salt, text, size }: Commitment): Uint8Array {
  return opened(salt, text, size);
}

function opened(salt: Uint8Array, text: string, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(salt.length + size);
  bytes.set(salt);
  bytes.write(text, salt.length);
  return bytes;
}

/** Bytes of a salt. */
export const saltLength = 16;
const poolLength = 512 * saltLength;

/** Makes a Commit that takes its salts from a pool of randomness: one system call serves hundreds of values. */
export function createCommit(): Commit {
  let pool = randomBytes(poolLength);
  let used = 0;
  return (text) => {
    if (used === poolLength) {
      // A new pool, not a refilled one: salts that were handed out are views of the old.
      pool = randomBytes(poolLength);
      used = 0;
    }
    const salt = pool.subarray(used, used + saltLength);
    used += saltLength;
    return commitWith(salt, text);
  };
}
