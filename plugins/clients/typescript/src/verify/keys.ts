import type { LogPosition } from '../../../../receipts/verifier/position.ts';
import { isObject } from './object.ts';
import { publicKeyOf, thumbprint } from './bytes.ts';
import { logKey, natural } from './log.ts';

/** A key of the set that is trusted. */
export type Key = NonNullable<Awaited<ReturnType<typeof keyOf>>>;

/** Takes the Ed25519 keys of a JWK Set. */
export async function keysOf(set: unknown): Promise<readonly Key[]> {
  const listed = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : [];
  return (await Promise.all(listed.map(keyOf))).filter((key) => key !== undefined);
}

async function keyOf(jwk: unknown) {
  const { crv, kid, kty, origin, revoked_at, role, stands, status, x } = isObject(jwk) ? jwk : {};
  const publicKey = publicKeyOf(x);
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof kid !== 'string' || publicKey === undefined) return undefined;
  const isConsistent = (await thumbprint(publicKey)) === kid;
  const isLog = role === 'log' && isConsistent && typeof origin === 'string';
  return {
    ...{ kid, publicKey, isConsistent, isReceipt: role === 'receipt', revokedAt: positionOf(revoked_at) },
    // An unknown status counts as revoked.
    isRevoked: status !== 'active' && status !== 'retired',
    stands: Array.isArray(stands) ? stands.flatMap((one) => positionOf(one) ?? []) : [],
    log: isLog ? await logKey(origin, publicKey) : undefined,
  };
}

function positionOf(value: unknown): LogPosition | undefined {
  const { index, origin } = isObject(value) ? value : {};
  const at = natural(index);
  return typeof origin === 'string' && at !== undefined ? { origin, index: at } : undefined;
}
