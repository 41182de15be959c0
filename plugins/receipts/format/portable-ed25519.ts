import nacl from 'tweetnacl';
import { isSound } from './sound-ed25519.ts';

/** Says whether a signature (64 bytes) over a message was made with this public key (32 bytes). */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** Verifies Ed25519 without the crypto functions of the runtime. */
export const verifyPortable: VerifySignature = (publicKey, message, signature) =>
  isSound(publicKey, signature) && nacl.sign.detached.verify(message, signature, publicKey);
