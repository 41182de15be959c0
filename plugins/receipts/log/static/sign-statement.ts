import type { KeyObject } from 'node:crypto';
import { envelopeOf, preAuthentication } from '../../format/dsse.ts';
import { rawPublicKey, signWith } from '../../format/ed25519.ts';
import type { Envelope } from '../../format/envelope.ts';
import { thumbprint } from '../../format/jwk.ts';
import { payloadType } from '../../format/names.ts';
import { entryOf } from '../pure/entry.ts';
import { formatVkey, noteKey } from '../pure/note.ts';
import { formatProof } from '../pure/proof-file.ts';
import { appendStatic } from './static-log.ts';

/** A signed statement and its proof in a static log. */
export interface SignedStatement {
  readonly envelope: Envelope;
  /** Text of a `.tlog-proof` file. */
  readonly proof: string;
  /** The public key as a C2SP vkey, named after the log. */
  readonly vkey: string;
}

/**
 * Signs an in-toto statement with an Ed25519 key, and enters it into the static log in a folder, whose checkpoints the
 * same key signs. The two never sign the same bytes: a checkpoint begins with the name of the log, a statement with `DSSEv1`.
 */
export function signStatement(
  payload: Uint8Array,
  privateKey: KeyObject,
  { folder, origin }: { readonly folder: string; readonly origin: string },
): SignedStatement {
  const publicKey = rawPublicKey(privateKey);
  const sign = (message: Uint8Array): Uint8Array => signWith(privateKey, message);
  const signature = sign(preAuthentication(payloadType, payload));
  const proof = appendStatic(folder, entryOf(payload, signature, publicKey), { origin, publicKey, sign });
  return {
    envelope: envelopeOf(payload, signature, thumbprint(publicKey)),
    proof: formatProof(proof),
    vkey: formatVkey(noteKey(origin, publicKey)),
  };
}
