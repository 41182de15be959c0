import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { Subscription } from '../message/message.ts';

/** The curve of Web Push (RFC 8291 §3.1), as Node.js names it. */
export const curve = 'prime256v1';

// Size of a record, the default of all libraries; a message of Web Push is one record (RFC 8291 §4).
const recordSize = 4096;
// RFC 8188 §2: the delimiter of the last record, and the tag of AES-GCM.
const delimiter = 2;
const tagLength = 16;

/** What makes an encryption unlike all others: never use one twice. */
export interface Randomness {
  /** 16 bytes. */
  readonly salt: Buffer;
  /** Private key of P-256, 32 bytes. */
  readonly privateKey: Buffer;
}

/** Makes the randomness of one message. */
export function newRandomness(): Randomness {
  const sender = createECDH(curve);
  sender.generateKeys();
  return { salt: randomBytes(16), privateKey: sender.getPrivateKey() };
}

/**
 * Encrypts a message for one subscription (RFC 8291): the body of a request with the content coding `aes128gcm`. Throws
 * when the public key of the subscription is no point of the curve.
 */
export function encrypted(
  plain: Buffer,
  { auth, p256dh }: Omit<Subscription, 'endpoint'>,
  { privateKey, salt }: Randomness = newRandomness(),
): Buffer {
  const sender = createECDH(curve);
  sender.setPrivateKey(privateKey);
  const publicKey = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const key = derived(sender.computeSecret(p256dh), { salt: auth, info, length: 32 });
  return sealed(plain, { key, salt, keyId: publicKey });
}

/** Encrypts one record, the last, after a header with its salt and the id of its key (RFC 8188 §2). */
export function sealed(
  plain: Buffer,
  { key, keyId, salt }: { readonly key: Buffer; readonly keyId: Buffer; readonly salt: Buffer },
): Buffer {
  const contentKey = derived(key, { salt, info: Buffer.from('Content-Encoding: aes128gcm\0'), length: 16 });
  const nonce = derived(key, { salt, info: Buffer.from('Content-Encoding: nonce\0'), length: 12 });
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce, { authTagLength: tagLength });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordSize);
  head.writeUInt8(keyId.length, 4);
  const record = [cipher.update(plain), cipher.update(Buffer.of(delimiter)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, head, keyId, ...record]);
}

interface Derivation {
  readonly salt: Buffer;
  readonly info: Buffer;
  readonly length: number;
}

function derived(secret: Buffer, { info, length, salt }: Derivation): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
