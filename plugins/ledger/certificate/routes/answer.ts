import { statusAt } from '../issue/plan.ts';
import type { StoredCertificate } from '../issue/tables.ts';

/** Builds the answer of a certificate at a time (milliseconds). */
export function answerOf(stored: StoredCertificate, now: number): object {
  const { document } = stored;
  const { credentialStatus, credentialSubject: subject, issuer, proof } = document;
  const [revocation, suspension] = credentialStatus.map(({ statusListCredential }) => statusListCredential);
  const bound = issuer.id.startsWith('did:web:');
  return {
    orb_id: stored.orb_id,
    certification_tier: stored.tier,
    reputation_score: subject.reputationScore,
    certificate_id: stored.id,
    issued_at: stored.valid_from,
    expires_at: stored.valid_until,
    status: statusAt(stored, now),
    verification: {
      did: issuer.id,
      bound_to_host: bound,
      key: proof.verificationMethod.split('#')[1] ?? '',
      status_list: { revocation, suspension },
      how:
        `Save the member credential as certificate.json and both status lists, then: orb certificate verify ` +
        `certificate.json --issuer ${issuer.id} --keys jwks.json --status-list revocation.json --status-list ` +
        `suspension.json, with jwks.json from /.well-known/jwks.json.` +
        (bound ? '' : ' The issuer is not bound to a host: learn its key from the operator, not from here.'),
    },
    credential: document,
  };
}
