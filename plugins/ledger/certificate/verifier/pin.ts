import type { CertificateSigner, Position } from '../../../receipts/contract.ts';
import { multikeyOf, publicKeyOf } from '../format/multibase.ts';
import { compare } from '../format/position.ts';
import { isRecord, type Document } from '../format/proof.ts';

/** A key that the verifier trusts to sign certificates. */
export interface PinnedKey {
  /** 32 bytes. */
  readonly public_key: Uint8Array;
  readonly revoked: boolean;
  /** For a revoked key: the position in the log from which it is invalid; absent: invalid from the beginning. */
  readonly revoked_at?: Position;
  /** Position of the key's entry in the log; absent: not known. */
  readonly since?: Position;
  /** Position of the next key's entry. */
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
    keys: inOrder(
      keys.map(({ public_key, since, status, revoked_at }) => ({
        ...{ public_key, since, revoked: status === 'revoked' },
        ...(revoked_at === undefined ? {} : { revoked_at }),
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
    return [
      {
        public_key: new Uint8Array(key),
        revoked,
        ...at('since', jwk['since']),
        ...at('revoked_at', jwk['revoked_at']),
      },
    ];
  });
  return keys.length === 0 ? undefined : { keys: inOrder(keys) };
}

/** Pins the keys of a DID document fetched for a DID; undefined when the document has another id or no key. */
export function pinDidDocument(value: unknown, did: string): Pin | undefined {
  if (!isRecord(value) || value['id'] !== did || !Array.isArray(value['verificationMethod'])) return undefined;
  const asserting: readonly unknown[] = Array.isArray(value['assertionMethod']) ? value['assertionMethod'] : [];
  const keys = value['verificationMethod'].flatMap((method: unknown) => {
    if (!isRecord(method) || method['type'] !== 'Multikey' || method['controller'] !== did) return [];
    const key = publicKeyOf(String(method['publicKeyMultibase']));
    const revoked = method['revokedAt'] !== undefined || !asserting.includes(method['id']);
    const positions = { ...at('since', method['activeSince']), ...at('revoked_at', method['revokedAt']) };
    return key === undefined ? [] : [{ public_key: key, revoked, ...positions }];
  });
  return keys.length === 0 ? undefined : { dids: [did], keys: inOrder(keys) };
}

function at<N extends 'since' | 'revoked_at'>(name: N, value: unknown): { readonly [name in N]?: Position } {
  if (!isRecord(value) || !isPosition(value)) return {};
  // The object has exactly the one member `name`.
  return { [name]: { origin: value.origin, index: value.index } } as { readonly [name in N]: Position };
}

function isPosition(value: Document): value is Document & Position {
  return typeof value['origin'] === 'string' && Number.isSafeInteger(value['index']);
}

/** Sets each key's end to the start of the next key. When one position is missing, no ends are known. */
function inOrder(keys: readonly Omit<PinnedKey, 'until'>[]): readonly PinnedKey[] {
  const placed = keys.flatMap(({ since }) => (since === undefined ? [] : [since])).sort(compare);
  return keys.map((key) => {
    const { since } = key;
    const until = since === undefined ? undefined : placed.find((other) => compare(other, since) > 0);
    return until === undefined ? key : { ...key, until };
  });
}
