import type { Infer } from '../../../kernel/index.ts';
import { exactly, listOf } from './exactly.ts';
import { payloadType } from './names.ts';

/** Schema of a DSSE envelope with one signature over the statement in canonical form. */
export const envelope = exactly('Envelope', {
  payloadType: { const: payloadType, description: 'Media type of the payload' },
  payload: { type: 'string', description: 'base64 of the statement in canonical form (RFC 8785)' },
  signatures: listOf(
    'One signature',
    exactly({
      keyid: { type: 'string', description: 'Id of the key' },
      sig: { type: 'string', description: 'base64, Ed25519 over the PAE' },
    }),
  ),
});
/** A DSSE envelope. */
export type Envelope = Infer<typeof envelope>;
