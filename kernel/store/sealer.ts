import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import type { Sealer, StoreModule } from './contract.ts';

const version = 1;
const headBytes = 1 + nacl.secretbox.nonceLength;

/** Creates a sealer from the master key, salted by the installation id; `nonce` only reproduces a published vector. */
export function createSealer(
  masterKey: Uint8Array,
  installation: string,
  nonce: () => Uint8Array = () => randomBytes(nacl.secretbox.nonceLength),
): Sealer {
  const subKey = onceEach(
    (purpose) => new Uint8Array(hkdfSync('sha256', masterKey, installation, `agent-orb/seal/1/${purpose}`, 32)),
  );
  // Made once: of bytes, OpenSSL makes a key at each use, which takes longer than the code itself.
  const macKey = onceEach((purpose) => createSecretKey(subKey(purpose)));
  return Object.freeze({
    seal: (purpose: string, plain: Uint8Array) => seal(subKey(purpose), nonce(), plain),
    open: (purpose: string, blob: Uint8Array) => open(subKey(purpose), blob),
    mac: (purpose: string, text: string) => createHmac('sha256', macKey(purpose)).update(text).digest('hex'),
  });
}

function onceEach<T>(make: (purpose: string) => T): (purpose: string) => T {
  const known = new Map<string, T>();
  return (purpose) => {
    const found = known.get(purpose) ?? make(purpose);
    known.set(purpose, found);
    return found;
  };
}

/** Purpose of inputs, outputs and their salts; every module may use it. */
export const sharedPurpose = 'inputs';

/** Limits a sealer to the purposes that a store module declares, and the shared one; another purpose throws. */
export function sealerOf(sealer: Sealer, module: Pick<StoreModule<never>, 'name' | 'seals'> | undefined): Sealer {
  const allowed = new Set([sharedPurpose, ...(module?.seals ?? [])]);
  const checked = (purpose: string): string => {
    if (allowed.has(purpose)) return purpose;
    throw new Error(`${module?.name ?? 'a plugin without a store'} does not declare that it seals ${purpose}`);
  };
  return Object.freeze({
    seal: (purpose: string, plain: Uint8Array) => sealer.seal(checked(purpose), plain),
    open: (purpose: string, blob: Uint8Array) => sealer.open(checked(purpose), blob),
    mac: (purpose: string, text: string) => sealer.mac(checked(purpose), text),
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
