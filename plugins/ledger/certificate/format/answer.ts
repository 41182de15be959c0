import { exactly } from '../../../../kernel/index.ts';
import { described, tiers } from '../../shapes.ts';
import { certificateId } from './certificate-url.ts';
import type { Certificate } from './credential-schema.ts';

/** Media type of a Verifiable Credential. */
export const credentialType = 'application/vc';

/** Schema of the answer of `GET /reputation/{orb_id}/certificate`. */
export const certificateAnswer = exactly('CertificateAnswer', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  certification_tier: {
    type: 'string',
    enum: tiers,
    description: 'The certified tier; the profile has the current tier',
  },
  reputation_score: { type: 'integer', description: 'When it was issued' },
  certificate_id: { type: 'string', description: '`crt_<ulid>`' },
  issued_at: { type: 'string', description: 'When it was issued' },
  expires_at: { type: 'string', description: 'When it expires' },
  status: { type: 'string', enum: ['valid', 'expired', 'suspended', 'revoked'], description: 'Current status' },
  verification: described('How to verify it', {
    did: { type: 'string', description: 'The issuer: pin it, from a source you trust' },
    bound_to_host: { type: 'boolean', description: 'True: the issuer is the host of this URL; false: only a key' },
    key: { type: 'string', description: 'Multikey that signed' },
    status_list: described('Addresses of the status lists', {
      revocation: { type: 'string', description: 'Revoked certificates' },
      suspension: { type: 'string', description: 'Suspended certificates' },
    }),
    how: { type: 'string', description: 'In words' },
  }),
  credential: {
    type: 'object',
    description: 'The Verifiable Credential; its schema is at /schemas/orb-certificate-1.json',
    additionalProperties: true,
  },
});

/** Copies the signed members of a certificate for reading, as they stand next to it in the answer. */
export function copiesOf(certificate: Certificate) {
  const { credentialStatus, credentialSubject: subject, id, issuer, proof, validFrom, validUntil } = certificate;
  const [revocation, suspension] = credentialStatus.map(({ statusListCredential }) => statusListCredential);
  return {
    orb_id: subject.orbId,
    certification_tier: subject.tier,
    reputation_score: subject.reputationScore,
    certificate_id: certificateId(id),
    issued_at: validFrom,
    expires_at: validUntil,
    verification: {
      did: issuer.id,
      bound_to_host: issuer.id.startsWith('did:web:'),
      key: proof.verificationMethod.split('#')[1],
      status_list: { revocation, suspension },
    },
  };
}
