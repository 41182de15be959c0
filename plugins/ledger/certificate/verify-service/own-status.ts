import { canonical } from '../../../../kernel/index.ts';
import type { Certificate } from '../format/credential-schema.ts';
import { statusAt } from '../issue/plan.ts';
import type { StoredCertificate } from '../issue/tables.ts';
import { certificateId } from '../format/certificate-url.ts';
import type { Finding } from '../format/report.ts';

/** Makes the check `status` from the store; a certificate that the store does not hold was not issued here. */
export function statusByStore(
  reads: { readonly find: (id: string) => StoredCertificate | undefined },
  now: number,
): (certificate: Certificate) => Finding {
  return (certificate) => {
    const known = certificateId(certificate.id);
    const found = known === undefined ? undefined : reads.find(known);
    if (found === undefined) return { result: 'fail', detail: 'this installation keeps no such certificate' };
    // A thief of a key can sign a different text under a valid id.
    if (canonical(found.document) !== canonical(certificate))
      return { result: 'fail', detail: 'this installation issued another certificate of this id' };
    const status = statusAt(found, now);
    // The check `dates` reports the end of validity.
    return status === 'revoked' || status === 'suspended' ? { result: 'fail', detail: status } : { result: 'pass' };
  };
}
