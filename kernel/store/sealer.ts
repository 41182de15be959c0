import { hkdfSync, randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import type { Sealer, SealPurpose } from './contract.ts';

const version = 1;
const headBytes = 1 + nacl.secretbox.nonceLength;

/**
 * Creates a sealer from the master key (32 bytes) and the installation id (salt of the sub-keys).
 * `nonce` makes 24 bytes; given only to reproduce a published vector.
 */
export function createSealer(
  masterKey: Uint8Array,
  installation: string,
  nonce: () => Uint8Array = () => randomBytes(nacl.secretbox.nonceLength),
): Sealer {
  const subKeys = new Map<SealPurpose, Uint8Array>();
  const subKey = (purpose: SealPurpose): Uint8Array => {
    const known = subKeys.get(purpose);
    if (known !== undefined) return known;
    const made = new Uint8Array(hkdfSync('sha256', masterKey, installation, `agent-orb/seal/1/${purpose}`, 32));
    subKeys.set(purpose, made);
    return made;
  };
  return Object.freeze({
    seal: (purpose: SealPurpose, plain: Uint8Array) => seal(subKey(purpose), nonce(), plain),
    open: (purpose: SealPurpose, blob: Uint8Array) => open(subKey(purpose), blob),
  });
}

function seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Uint8Array {
  const box = nacl.secretbox(plain, nonce, key);
  const blob = new Uint8Array(headBytes + box.length);
  blob[0] = version;
  blob.set(nonce, 1);
  blob.set(box, headBytes);
  return blob;
}

function open(key: Uint8Array, blob: Uint8Array): Uint8Array {
  const plain =
    blob.length >= headBytes + nacl.secretbox.overheadLength && blob[0] === version
      ? nacl.secretbox.open(blob.subarray(headBytes), blob.subarray(1, headBytes), key)
      : null;
  if (plain === null) throw new Error('the sealed value was changed, or sealed under another key');
  return plain;
}
