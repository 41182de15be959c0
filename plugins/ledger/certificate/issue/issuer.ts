import type { Awaitable } from '../../../../kernel/index.ts';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import { identityOf, type Identity } from '../format/did.ts';
import { bytesToSign, withProof, type ProofOptions } from '../format/proof.ts';

/** Signs certificates and status lists as this installation. */
export type Issuer = ReturnType<typeof createIssuer>;

// A key rotation between building and signing is rare; two in a row are not expected.
const tries = 3;

/** Makes the issuer for an address. */
export function createIssuer(publicUrl: string, signer: CertificateSigner) {
  const identity = (): Identity => {
    const active = signer.keys().find(({ status }) => status === 'active');
    if (active === undefined) throw new Error('there is no active certificate key');
    return identityOf(publicUrl, active);
  };
  return {
    /** The current issuer. Throws when there is no active key. */
    identity,
    /** Builds a document for the current issuer and signs it. `created`: RFC 3339 UTC. */
    async secure<D extends { readonly '@context': readonly string[] }>(
      created: string,
      build: (identity: Identity) => Awaitable<D>,
    ) {
      for (let left = tries; left > 0; left--) {
        const by = identity();
        const unsigned = await build(by);
        const options: ProofOptions = {
          '@context': unsigned['@context'],
          type: 'DataIntegrityProof',
          cryptosuite: 'eddsa-jcs-2022',
          created,
          verificationMethod: by.method,
          proofPurpose: 'assertionMethod',
        };
        const { kid, signature } = await signer.sign(bytesToSign(unsigned, options));
        if (kid === by.kid) return { identity: by, document: withProof(unsigned, options, signature) };
      }
      throw new Error('the certificate key changes faster than it signs');
    },
  };
}
