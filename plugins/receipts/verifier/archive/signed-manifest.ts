import { encodeBase64 } from '../../format/base64.ts';
import { verifySignature } from '../../format/ed25519.ts';
import { manifestType } from '../../format/names.ts';
import { parseStrict } from '../../format/strict-json.ts';
import { readArtefact } from '../artefact.ts';
import { checkSignature } from '../signature.ts';
import type { Trust } from '../trust.ts';

/** A signed manifest that was read, or why it is not accepted. */
export type ReadSigned =
  | {
      readonly payload: Uint8Array;
      readonly kid: string;
      /** The envelope in the one form in which it is written. */
      readonly envelope: object;
    }
  | { readonly fault: string; readonly exit: 1 | 2 | 4 };

/** Reads a manifest of files that a trusted receipt key signed. A key that was revoked signs nothing that counts. */
export function readSignedManifest(text: string, trust: Trust): ReadSigned {
  const artefact = readArtefact(parseStrict(text));
  if (!('envelope' in artefact) || artefact.envelope.payloadType !== manifestType)
    return { fault: 'the manifest is not signed', exit: 2 };
  const { checks, key, signature } = checkSignature(artefact.envelope, trust, verifySignature);
  const failed = checks.find(({ result }) => result === 'fail');
  if (failed !== undefined || key === undefined || signature === undefined)
    return { fault: `the manifest: ${failed?.detail ?? ''}`, exit: failed?.name === 'key_trusted' ? 4 : 1 };
  if (key.revoked) return { fault: `the key ${key.kid}, which signed the manifest, was revoked`, exit: 4 };
  return {
    payload: artefact.envelope.payload,
    kid: key.kid,
    envelope: signedManifest(artefact.envelope.payload, signature, key.kid),
  };
}

/** Puts a manifest and its signature into an envelope, in the one form in which it is written. */
export function signedManifest(manifest: Uint8Array, signature: Uint8Array, kid: string) {
  const signatures = [{ keyid: kid, sig: encodeBase64(signature) }];
  return { payload: encodeBase64(manifest), payloadType: manifestType, signatures };
}
