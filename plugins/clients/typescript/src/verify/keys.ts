import { isKeyName } from '../../../../receipts/log/pure/note.ts';
import { isRecord } from '../../../../receipts/format/strict-json.ts';
import { positionOf } from '../../../../receipts/verifier/position.ts';
import { publicKeyOf, sha256, thumbprint, utf8, type Ed25519 } from './bytes.ts';

/** A key of the set that is trusted. */
export type Key = NonNullable<Awaited<ReturnType<typeof keyOf>>>;

/** What verifies. */
export interface Ways {
  readonly keys: readonly Key[];
  readonly ed25519: Ed25519;
}

/** Takes the Ed25519 keys of a JWK Set. */
export async function keysOf(set: unknown): Promise<readonly Key[]> {
  const listed = isRecord(set) && Array.isArray(set['keys']) ? set['keys'] : [];
  return (await Promise.all(listed.map(keyOf))).filter((key) => key !== undefined);
}

async function keyOf(jwk: unknown) {
  const { crv, kid, kty, origin, revoked_at, role, stands, status, x } = isRecord(jwk) ? jwk : {};
  const publicKey = publicKeyOf(x);
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof kid !== 'string' || publicKey === undefined) return undefined;
  const isConsistent = (await thumbprint(publicKey)) === kid;
  return {
    ...{ kid, publicKey, isReceipt: role === 'receipt' && isConsistent, revokedAt: positionOf(revoked_at) },
    // An unknown status counts as revoked.
    isRevoked: status !== 'active' && status !== 'retired',
    stands: Array.isArray(stands) ? stands.flatMap((one) => positionOf(one) ?? []) : [],
    // The log that it signs for, if its name is allowed in a signature line.
    log: role === 'log' && isConsistent && typeof origin === 'string' && isKeyName(origin) ? origin : undefined,
    noteId: (await sha256(utf8(`${String(origin)}\n`), Uint8Array.of(1), publicKey)).slice(0, 4),
  };
}
