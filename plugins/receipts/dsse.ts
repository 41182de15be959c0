import { encodeBase64 } from './base64.ts';
import type { Envelope } from './contract.ts';
import { payloadType } from './format.ts';

const encoder = new TextEncoder();

/** Builds the pre-authentication encoding that is signed (DSSE v1). Lengths count bytes, not characters. */
export function preAuthentication(type: string, body: Uint8Array): Uint8Array {
  const typeLength = encoder.encode(type).length;
  const head = encoder.encode(`DSSEv1 ${typeLength} ${type} ${body.length} `);
  const encoded = new Uint8Array(head.length + body.length);
  encoded.set(head);
  encoded.set(body, head.length);
  return encoded;
}

/** Puts a payload and its one signature into an envelope. */
export function envelopeOf(payload: Uint8Array, signature: Uint8Array, kid: string): Envelope {
  return {
    payload: encodeBase64(payload),
    payloadType,
    signatures: [{ keyid: kid, sig: encodeBase64(signature) }],
  };
}
