import { hash, randomBytes } from 'node:crypto';

/** A salted commitment to one value, with the salt and text that open it. */
export interface Commitment {
  /** `sha256:<hex>` of salt ‖ canonical form. */
  readonly digest: string;
  /** Bytes of the canonical form. */
  readonly size: number;
  /** 16 random bytes; without a salt, the digest would reveal a value that can be guessed. */
  readonly salt: Uint8Array;
  /** The canonical form (RFC 8785). */
  readonly text: string;
}

/** Commits to a value by its canonical form (RFC 8785). */
export type Commit = (text: string) => Commitment;

/** Commits to a canonical form with a given salt. */
export function commitWith(salt: Uint8Array, text: string): Commitment {
  const size = Buffer.byteLength(text);
  return { digest: `sha256:${hash('sha256', opened(salt, text, size))}`, size, salt, text };
}

/** Builds the bytes that open a commitment: salt ‖ canonical form; their plain SHA-256 is the digest. */
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

/** Makes a Commit that takes salts from a pool of random bytes: one system call serves hundreds of values. */
export function createCommit(): Commit {
  let pool = randomBytes(poolLength);
  let used = 0;
  return (text) => {
    if (used === poolLength) {
      // Make a new pool instead of refilling: salts already given out are views of the old one.
      pool = randomBytes(poolLength);
      used = 0;
    }
    const salt = pool.subarray(used, used + saltLength);
    used += saltLength;
    return commitWith(salt, text);
  };
}
