import { OrbError } from './error.ts';
import { examineReceipt, textOf } from './receipt.ts';
import type { Ed25519 } from './ed25519.ts';
import type { Json, KeySet, OrbOptions, Verdict } from './surface.ts';

/** The keys that a client trusts. */
export interface Pins {
  /** Gets the keys; of the server at the first use with `tofu`. */
  keys(): Promise<KeySet>;
  /** Takes the receipt of a change of a key, if a pinned key signed it. */
  take(document: Json | Uint8Array | string): Promise<Verdict>;
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
  return { keys, take: (document) => takeChange(document, { keys, keep, ed25519 }) };
}

interface Taking {
  readonly keys: () => Promise<KeySet>;
  readonly keep: (keys: KeySet) => KeySet;
  readonly ed25519: Ed25519 | undefined;
}

async function takeChange(document: Json | Uint8Array | string, { ed25519, keep, keys }: Taking): Promise<Verdict> {
  const pinned = await keys();
  // The log of a new key cannot be pinned yet, so the signature alone decides.
  const { envelope } = JSON.parse(textOf(document)) as { readonly envelope?: Json };
  const { statement, verdict } = await examineReceipt(JSON.stringify(envelope ?? {}), pinned, {}, ed25519);
  const signed = statement !== undefined && (verdict.verified || verdict.check === 'leaf_matches_envelope');
  if (!signed) return verdict;
  const { predicate, predicateType } = statement;
  if (predicateType !== 'urn:agent-orb:key:v1')
    return { verified: false, check: 'kind', detail: 'it is not the receipt of a signing key' };
  const { facts, kid } = predicate as unknown as KeyPredicate;
  const others = pinned.keys.filter((key) => key['kid'] !== kid);
  const { change, from, origin, public_key, role, stands } = facts;
  const revoked = change === 'revoked' ? { status: 'revoked', revoked_at: from, stands } : { status: 'active' };
  keep({ keys: [...others, { ...public_key, kid, role, origin, ...revoked }] });
  return {
    ...{ verified: true, receiptId: predicate.receipt_id, kid: predicate.issuer.kid },
    ...{ installation: predicate.issuer.installation, limits: ['the log was not checked'] },
  };
}

interface KeyPredicate {
  readonly kid: string;
  readonly facts: Json & { readonly change: string; readonly public_key: Json };
}
