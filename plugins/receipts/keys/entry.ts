import { encodeBase64Url } from '../format/base64.ts';
import { createCommit } from '../format/commitment.ts';
import type { SigningKeys, SigningParts } from './signing-keys.ts';
import type { Appended } from '../issue/append-receipt.ts';
import type { Position, PublicKey } from '../format/jwk.ts';
import { formatVkey, noteKey } from '../log/pure/note.ts';
import { draftOther } from '../issue/other-statement.ts';
import type { KeyPredicate } from '../kinds/key.ts';
import { kindsWith } from '../kinds/kind.ts';

/** The facts of a change of a key, without the key itself. */
export type KeyFacts = Omit<KeyPredicate['facts'], 'role' | 'public_key' | 'origin' | 'vkey'>;

/** The position of a key's entry. */
export type KeyEntry = { readonly receipt_id: string; readonly position: Position };

const commit = createCommit();

/** Issues the entry of a key: signed by the active receipt key, into the newest log, within the current batch. */
export function issueKeyEntry(key: PublicKey, facts: KeyFacts, signing: SigningKeys, parts: SigningParts): KeyEntry {
  const { installation, now, ulid, version } = parts.scope;
  const { log, signer } = signing;
  const receiptId = `rec_${ulid()}`;
  const fact = {
    kind: 'key',
    at: new Date(now()).toISOString(),
    kid: key.kid,
    facts: { role: key.role, ...facts, ...published(key) },
  } as const;
  const issuer = { installation, version, kid: signer.kid, origin: log.origin };
  const drafted = draftOther(fact, receiptId, { issuer, commit, kinds: kindsWith(undefined) });
  const appended: Appended = { receipt_id: receiptId, signature_valid: false, sequence: 0, digest: '', index: 0 };
  signing.issue(drafted, appended);
  const position = { origin: log.origin, index: appended.index };
  parts.table.place(key.kid, position);
  return { receipt_id: receiptId, position };
}

function published({ public_key: raw, origin }: PublicKey): object {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) };
  const log = origin === undefined ? {} : { origin, vkey: formatVkey(noteKey(origin, raw)) };
  return { public_key: jwk, ...log };
}
