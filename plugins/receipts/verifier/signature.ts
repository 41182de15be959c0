import { preAuthentication } from '../format/dsse.ts';
import type { DecodedEnvelope } from './artefact.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import { fail, pass, unchecked, type Check } from './report.ts';
import type { PinnedKey, Trust } from './trust.ts';

/**
 * Checks an envelope against the pinned keys of a role. A key id only selects which keys to try (DSSE); one valid
 * signature by a trusted key is sufficient.
 */
export function checkSignature(
  envelope: DecodedEnvelope,
  { keys }: Trust,
  verifySignature: VerifySignature,
  role = 'receipt',
): {
  readonly checks: readonly [envelope: Check, keyTrusted: Check];
  /** The pinned key that signed, and its signature. */
  readonly key?: PinnedKey;
  readonly signature?: Uint8Array;
} {
  const message = preAuthentication(envelope.payloadType, envelope.payload);
  const usable = keys.filter((key) => key.role === role && key.consistent);
  const trusted = pass('key_trusted');
  let tried = false;
  for (const { keyid, signature } of envelope.signatures)
    for (const key of usable) {
      if (keyid !== undefined && keyid !== key.kid) continue;
      tried = true;
      if (verifySignature(key.publicKey, message, signature))
        return { key, signature, checks: [pass('envelope'), trusted] };
    }
  if (tried) return { checks: [fail('envelope', 'no trusted key signed the payload'), trusted] };
  const detail = keys.some(({ consistent }) => !consistent)
    ? 'a pinned key does not match its key id'
    : `the key that signed is not among the pinned ${role} keys`;
  return { checks: [unchecked('envelope', 'there is no trusted key to check it with'), fail('key_trusted', detail)] };
}
