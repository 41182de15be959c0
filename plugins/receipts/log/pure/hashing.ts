import { sha256 } from '@noble/hashes/sha2.js';

/** Computes SHA-256: 32 bytes. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** Computes SHA-256 without the crypto functions of the runtime. */
export const portableSha256: Sha256 = (data) => sha256(data);

/** Bytes of one hash. */
export const hashBytes = 32;

/** Root of the tree without leaves: SHA-256 of nothing. */
export const emptyRoot: Uint8Array = sha256(new Uint8Array());

/** Computes the hash of a leaf: SHA-256(0x00 ‖ entry) (RFC 6962 §2.1). */
export function hashLeaf(entry: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  const data = new Uint8Array(1 + entry.length);
  data.set(entry, 1);
  return sha(data);
}

/** Computes the hash of an inner node: SHA-256(0x01 ‖ left ‖ right) (RFC 6962 §2.1). */
export function hashNode(left: Uint8Array, right: Uint8Array, sha: Sha256 = portableSha256): Uint8Array {
  node.set(left, 1);
  node.set(right, 1 + hashBytes);
  return sha(node);
}

// One shared buffer: a proof hashes a thousand nodes, and SHA-256 no longer needs its input when it returns.
const node = new Uint8Array(1 + 2 * hashBytes);
node[0] = 1;

/** Says whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
