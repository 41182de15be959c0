import type { Document } from './declared.ts';
import { get } from './lists.ts';
import type { Call } from './persist.ts';
import { examineReceipt, textOf } from './receipt.ts';
import type { Json, KeySet, Verdict } from './surface.ts';
import type { Scope } from './wire.ts';

/** Gets the keys that are trusted; of the server at the first use. */
export async function trusted(scope: Scope, more?: Partial<Call>): Promise<KeySet> {
  if (scope.keys !== undefined) return scope.keys;
  const found = (await get(scope, '/.well-known/jwks.json', more)) as Json & KeySet;
  // Another call may have pinned meanwhile.
  return scope.keys ?? keep(scope, found);
}

function keep(scope: Scope, keys: KeySet): KeySet {
  scope.keys = keys;
  scope.options.pinned?.(keys);
  return keys;
}

/** Takes the receipt of a change of a signing key, if a key that is trusted signed it. */
export async function take(scope: Scope, document: Document): Promise<Verdict> {
  const keys = await trusted(scope);
  // The log of a new key cannot be pinned yet, so the signature alone decides.
  const { envelope = {} } = JSON.parse(textOf(document)) as { readonly envelope?: Json };
  const { statement, verdict } = await examineReceipt(envelope, keys, scope.options.ed25519);
  const isSigned = verdict.verified || verdict.check === 'leaf_matches_envelope';
  if (statement === undefined || !isSigned) return verdict;
  const { kind, predicate } = statement;
  if (kind !== 'key') return { verified: false, check: 'kind', detail: 'it is not the receipt of a signing key' };
  const { facts, issuer, kid, receipt_id: receiptId } = predicate;
  const { change, from, origin, public_key, role, stands } = facts;
  const revoked = change === 'revoked' ? { status: 'revoked', revoked_at: from, stands } : { status: 'active' };
  const others = keys.keys.filter((key) => key['kid'] !== kid);
  keep(scope, { keys: [...others, { ...(public_key as Json), kid, role, origin, ...revoked }] });
  const limits = ['the log was not checked'];
  return { verified: true, receiptId, kid: issuer.kid, installation: issuer.installation, limits };
}
