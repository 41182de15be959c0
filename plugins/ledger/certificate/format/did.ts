import { isIP } from 'node:net';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import { multikeyOf, publicKeyOf } from './multibase.ts';

/** A certificate key as the signer tells of it. */
export type CertificateKey = ReturnType<CertificateSigner['keys']>[number];

/** Who issues, now. */
export interface Identity {
  /** `did:web:…`, or `did:key:…` where the address proves nothing. */
  readonly did: string;
  /** The DID names the host, which whoever resolves it asks over HTTPS. */
  readonly bound_to_host: boolean;
  /** The active key. */
  readonly kid: string;
  readonly public_key: Uint8Array;
  /** `<did>#<multikey>` */
  readonly method: string;
}

/** Says who issues under an address with a key. */
export function identityOf(
  publicUrl: string,
  { kid, public_key }: Pick<CertificateKey, 'kid' | 'public_key'>,
): Identity {
  const web = webDid(publicUrl);
  const did = web ?? keyDid(public_key);
  return { did, bound_to_host: web !== undefined, kid, public_key, method: methodOf(did, public_key) };
}

// Names the did:web of an address; undefined unless it is https on a bare host name.
function webDid(publicUrl: string): string | undefined {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== 'https:' || url.pathname !== '/') return undefined;
  if (url.search + url.hash + url.username + url.password !== '') return undefined;
  // did:web names no address of a machine.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return `did:web:${url.hostname}${url.port === '' ? '' : `%3A${url.port}`}`;
}

/** Answers where the document of a did:web on a bare host is asked for; undefined for any other DID. */
export function webDidAddress(did: string): string | undefined {
  const [, host, port] = /^did:web:([a-z0-9.-]+)(?:%3A(\d{1,5}))?$/i.exec(did) ?? [];
  if (host === undefined) return undefined;
  return `https://${host}${port === undefined ? '' : `:${port}`}/.well-known/did.json`;
}

/** Names the did:key of a public key (32 bytes). */
export function keyDid(publicKey: Uint8Array): string {
  return `did:key:${multikeyOf(publicKey)}`;
}

/** Reads the key (32 bytes) of a did:key; undefined for any other DID. */
export function keyOfDid(did: string): Uint8Array | undefined {
  return did.startsWith('did:key:') ? publicKeyOf(did.slice('did:key:'.length)) : undefined;
}

// Names a key of an issuer.
function methodOf(did: string, publicKey: Uint8Array): string {
  return `${did}#${multikeyOf(publicKey)}`;
}

/**
 * Builds the DID document: of a did:web all keys ever, of a did:key that key alone. A revoked key stays to be seen, but
 * asserts nothing.
 */
export function didDocument(publicUrl: string, identity: Identity, keys: readonly CertificateKey[]): object {
  const { did, bound_to_host, kid } = identity;
  const shown = bound_to_host ? keys : keys.filter((key) => key.kid === kid);
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      `${publicUrl}/contexts/orb-cert/v1`,
    ],
    id: did,
    verificationMethod: shown.map(({ public_key, since, revoked_at }) => ({
      id: methodOf(did, public_key),
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: multikeyOf(public_key),
      // Where its entry stands in the log: without it nobody could tell that it was active.
      activeSince: { origin: since.origin, index: since.index },
      ...(revoked_at === undefined ? {} : { revokedAt: { origin: revoked_at.origin, index: revoked_at.index } }),
    })),
    assertionMethod: shown
      .filter(({ status }) => status !== 'revoked')
      .map(({ public_key }) => methodOf(did, public_key)),
  };
}
