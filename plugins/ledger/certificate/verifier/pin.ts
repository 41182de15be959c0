import { given } from '../../../../kernel/index.ts';
import type { CertificateSigner, Position } from '../../../receipts/contract.ts';
import { multikeyOf, publicKeyOf } from '../format/multibase.ts';
import { isRecord } from '../format/proof.ts';

/** A key that the verifier trusts to sign certificates. */
export interface PinnedKey {
  /** 32 bytes. */
  readonly public_key: Uint8Array;
  readonly revoked: boolean;
  /** For a revoked key: the position in the log from which it is invalid; absent: invalid from the beginning. */
  readonly revoked_at?: Position;
  /** For a revoked key: positions in other shards before which its signatures stay valid. */
  readonly stands?: readonly Position[];
  /** Position of the key's entry in the log; absent: not known. */
  readonly since?: Position;
  /** Position of the next key's entry in the same shard. */
  readonly until?: Position;
}

/** The issuer that the verifier trusts; never read from the artefact. */
export interface Pin {
  /** DIDs that the issuer may have; absent: any DID whose key is pinned. */
  readonly dids?: readonly string[];
  readonly keys: readonly PinnedKey[];
}

/** Finds a pinned key by its Multikey. */
export function findKey({ keys }: Pin, multikey: string): PinnedKey | undefined {
  return keys.find(({ public_key }) => multikeyOf(public_key) === multikey);
}

/** Pins the keys of the signer. */
export function pinSigner(keys: ReturnType<CertificateSigner['keys']>, dids: readonly string[]): Pin {
  return {
    dids,
    keys: withEnds(
      keys.map(({ public_key, since, stands, status, revoked_at }) => ({
        ...{ public_key, since, revoked: status === 'revoked' },
        ...given({ revoked_at, stands }),
      })),
    ),
  };
}

/** Pins the certificate keys of a JWK Set such as `jwks.json`; undefined when it is no JWK Set or has no such key. */
export function pinKeySet(value: unknown): Pin | undefined {
  if (!isRecord(value) || !Array.isArray(value['keys'])) return undefined;
  const keys = value['keys'].flatMap((jwk: unknown) => {
    if (!isRecord(jwk) || jwk['role'] !== 'certificate' || jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') return [];
    const key = Buffer.from(String(jwk['x']), 'base64url');
    if (key.length !== 32) return [];
    const revoked = jwk['status'] === 'revoked' || jwk['revoked_at'] !== undefined;
    const positions = positionsOf(jwk['since'], jwk['revoked_at'], jwk['stands']);
    return [{ public_key: new Uint8Array(key), revoked, ...positions }];
  });
  return keys.length === 0 ? undefined : { keys: withEnds(keys) };
}

/** Pins the keys of a DID document fetched for a DID; undefined when the document has another id or no key. */
export function pinDidDocument(value: unknown, did: string): Pin | undefined {
  if (!isRecord(value) || value['id'] !== did || !Array.isArray(value['verificationMethod'])) return undefined;
  const asserting: readonly unknown[] = Array.isArray(value['assertionMethod']) ? value['assertionMethod'] : [];
  const keys = value['verificationMethod'].flatMap((method: unknown) => {
    if (!isRecord(method) || method['type'] !== 'Multikey' || method['controller'] !== did) return [];
    const key = publicKeyOf(String(method['publicKeyMultibase']));
    const revoked = method['revokedAt'] !== undefined || !asserting.includes(method['id']);
    const positions = positionsOf(method['activeSince'], method['revokedAt'], method['stands']);
    return key === undefined ? [] : [{ public_key: key, revoked, ...positions }];
  });
  return keys.length === 0 ? undefined : { dids: [did], keys: withEnds(keys) };
}

function positionsOf(since: unknown, revoked: unknown, stands: unknown) {
  const listed = Array.isArray(stands) ? stands.flatMap((one: unknown) => positionOf(one) ?? []) : undefined;
  return given({ since: positionOf(since), revoked_at: positionOf(revoked), stands: listed });
}

function positionOf(value: unknown): Position | undefined {
  const { index, origin } = isRecord(value) ? value : {};
  return typeof origin === 'string' && Number.isSafeInteger(index) ? { origin, index: Number(index) } : undefined;
}

// Shards may grow side by side, so only entries of one shard have an order.
function withEnds(keys: readonly Omit<PinnedKey, 'until'>[]): readonly PinnedKey[] {
  return keys.map((key) => {
    const { since } = key;
    const after = keys.flatMap((other) => (follows(other.since, since) ? other.since.index : []));
    return since === undefined || after.length === 0
      ? key
      : { ...key, until: { origin: since.origin, index: Math.min(...after) } };
  });
}

function follows(other: Position | undefined, since: Position | undefined): other is Position {
  return other !== undefined && other.origin === since?.origin && other.index > since.index;
}
