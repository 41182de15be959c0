import type { Document } from './declared.ts';
import { OrbError } from './error.ts';
import { examineReceipt, textOf } from './receipt.ts';
import type { Json, KeySet, OrbOptions, Verdict } from './surface.ts';

/** The keys that a client trusts. */
export interface Pins {
  /** Gets the keys; of the server at the first use with `tofu`. */
  keys(): Promise<KeySet>;
  /** Takes the receipt of a change of a key, if a pinned key signed it. */
  take(document: Document): Promise<Verdict>;
}

/** Pins keys; `fetchKeys` reads those of the server. */
export function pinsOf(
  { ed25519, pin, pinned }: Pick<OrbOptions, 'ed25519' | 'pin' | 'pinned'>,
  fetchKeys: () => Promise<KeySet | undefined>,
): Pins {
  let known = pin === 'tofu' ? undefined : pin;
  const keep = (keys: KeySet): KeySet => {
    known = keys;
    pinned?.(keys);
    return keys;
  };
  const keys = async (): Promise<KeySet> => {
    if (known !== undefined) return known;
    if (pin === undefined) throw new OrbError('pin', 'set `pin`: the keys to trust, or "tofu"');
    const found = await fetchKeys();
    // Another call may have pinned meanwhile.
    return known ?? (found === undefined ? { keys: [] } : keep(found));
  };
  const take = async (document: Document): Promise<Verdict> => {
    const { changed, verdict } = await changeOf(document, await keys(), ed25519);
    if (changed !== undefined) keep(changed);
    return verdict;
  };
  return { keys, take };
}

// Reads the receipt of a change of a key, and changes the pinned keys by it.
async function changeOf(
  document: Document,
  pinned: KeySet,
  ed25519: OrbOptions['ed25519'],
): Promise<{ readonly verdict: Verdict; readonly changed?: KeySet }> {
  // The log of a new key cannot be pinned yet, so the signature alone decides.
  const { envelope = {} } = JSON.parse(textOf(document)) as { readonly envelope?: Json };
  const { statement, verdict } = await examineReceipt(envelope, pinned, ed25519);
  const isSigned = verdict.verified || verdict.check === 'leaf_matches_envelope';
  if (statement === undefined || !isSigned) return { verdict };
  if (statement.kind !== 'key')
    return { verdict: { verified: false, check: 'kind', detail: 'it is not the receipt of a signing key' } };
  const { facts, issuer, kid, receipt_id: receiptId } = statement.predicate;
  const { change, from, origin, public_key, role, stands } = facts;
  const revoked = change === 'revoked' ? { status: 'revoked', revoked_at: from, stands } : { status: 'active' };
  const others = pinned.keys.filter((key) => key['kid'] !== kid);
  const limits = ['the log was not checked'];
  return {
    changed: { keys: [...others, { ...(public_key as Json), kid, role, origin, ...revoked }] },
    verdict: { verified: true, receiptId, kid: issuer.kid, installation: issuer.installation, limits },
  };
}
