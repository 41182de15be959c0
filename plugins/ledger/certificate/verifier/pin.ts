import type { CertificateSigner, Position } from '../../../receipts/contract.ts';
import { multikeyOf, publicKeyOf } from '../format/multibase.ts';
import { compare } from '../format/position.ts';
import { isRecord, type Document } from '../format/proof.ts';

/** A key that whoever verifies trusts to sign certificates. */
export interface PinnedKey {
  /** 32 bytes. */
  readonly public_key: Uint8Array;
  readonly revoked: boolean;
  /** Of a revoked key: from where in the log on it counts for nothing; absent: from the beginning. */
  readonly revoked_at?: Position;
  /** Where its entry stands in the log; absent: not known. */
  readonly since?: Position;
  /** Where the entry of the key after it stands. */
  readonly until?: Position;
}

/** Whom whoever verifies trusts: never anything that was read from the artefact. */
export interface Pin {
  /** Names the issuer may bear; absent: any that its key is pinned for. */
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

/** Pins the certificate keys of a JWK Set such as `jwks.json`; undefined when it is none or holds no such key. */
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

/** Pins the keys of a DID document that was asked for by its DID; undefined when it is of another, or holds no key. */
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
  // One member, of this very name.
  return { [name]: { origin: value.origin, index: value.index } } as { readonly [name in N]: Position };
}

function isPosition(value: Document): value is Document & Position {
  return typeof value['origin'] === 'string' && Number.isSafeInteger(value['index']);
}

/** Each key ends where the next begins. Without the position of one, nothing is known of any end. */
function inOrder(keys: readonly Omit<PinnedKey, 'until'>[]): readonly PinnedKey[] {
  const placed = keys.flatMap(({ since }) => (since === undefined ? [] : [since])).sort(compare);
  return keys.map((key) => {
    const { since } = key;
    const until = since === undefined ? undefined : placed.find((other) => compare(other, since) > 0);
    return until === undefined ? key : { ...key, until };
  });
}
