import { encodeBase64 } from './base64.ts';
import type { Envelope } from './envelope.ts';
import { payloadType } from './names.ts';

const encoder = new TextEncoder();
const payloadTypeBytes = encoder.encode(payloadType).length;

/** Builds the pre-authentication encoding that is signed (DSSE v1). Lengths count bytes, not characters. */
export function preAuthentication(type: string, body: Uint8Array): Uint8Array {
  const head = encoder.encode(headOf(type, body.length));
  const encoded = new Uint8Array(head.length + body.length);
  encoded.set(head);
  encoded.set(body, head.length);
  return encoded;
}

/** Writes the part of the signed encoding (DSSE v1) before a body of `bytes` bytes. */
export function headOf(type: string, bytes: number): string {
  return `DSSEv1 ${type === payloadType ? payloadTypeBytes : encoder.encode(type).length} ${type} ${bytes} `;
}

/** Puts a payload and its one signature into an envelope. */
export function envelopeOf(payload: Uint8Array, signature: Uint8Array, kid: string): Envelope {
  return { payload: encodeBase64(payload), payloadType, signatures: [{ keyid: kid, sig: encodeBase64(signature) }] };
}
