import { isIP } from 'node:net';
import { given } from '../../../../kernel/index.ts';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import { multikeyOf, publicKeyOf } from './multibase.ts';

/** A certificate key as the signer lists it. */
export type CertificateKey = ReturnType<CertificateSigner['keys']>[number];

/** The current issuer. */
export type Identity = ReturnType<typeof identityOf>;

/** Builds the issuer's identity from the public address and the key. */
export function identityOf(publicUrl: string, { kid, public_key }: Pick<CertificateKey, 'kid' | 'public_key'>) {
  const web = webDid(publicUrl);
  // `did:web:…`, or `did:key:…` where the address proves nothing.
  const did = web ?? keyDid(public_key);
  // Bound: the DID names the host, so a verifier resolves it from that host over HTTPS. `method`: `<did>#<multikey>`.
  return { did, bound_to_host: web !== undefined, kid, public_key, method: methodOf(did, public_key) };
}

// Names the did:web of an address; undefined unless the address is https on a bare host name.
function webDid(publicUrl: string): string | undefined {
  const url = URL.parse(publicUrl);
  if (url?.protocol !== 'https:' || url.pathname !== '/') return undefined;
  if (url.search + url.hash + url.username + url.password !== '') return undefined;
  // did:web does not allow IP addresses.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return `did:web:${url.hostname}${url.port === '' ? '' : `%3A${url.port}`}`;
}

/** Answers the address of the document of a did:web on a bare host; undefined for any other DID. */
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
 * Builds the DID document: a did:web lists every key there ever was, a did:key only its own key. A revoked key stays
 * listed but may not sign assertions.
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
    verificationMethod: shown.map(({ public_key, since, stands, revoked_at }) => ({
      id: methodOf(did, public_key),
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: multikeyOf(public_key),
      // Position of its entry in the log; without it, a verifier cannot check that the key was active.
      activeSince: { origin: since.origin, index: since.index },
      ...(revoked_at === undefined ? {} : { revokedAt: { origin: revoked_at.origin, index: revoked_at.index } }),
      ...given({ stands }),
    })),
    assertionMethod: shown
      .filter(({ status }) => status !== 'revoked')
      .map(({ public_key }) => methodOf(did, public_key)),
  };
}
