import type { Clock } from '../../../kernel/index.ts';
import type { CertificateSigner } from '../../receipts/contract.ts';
import { credentialIn } from './artefact.ts';
import { keyDid } from './did.ts';
import type { Issuer } from './issuer.ts';
import { certificateId, statusByStore } from './own-status.ts';
import { pinSigner } from './pin.ts';
import { statusAt } from './plan.ts';
import { isRecord } from './proof.ts';
import type { CertificateReads, StoredCertificate } from './tables.ts';
import type { CertificateRegister, CertificateSummary } from './service.ts';
import { verifyCertificate, type CertificateReport } from './verify.ts';

/** Makes the register. */
export function createRegister(
  reads: Pick<CertificateReads, 'find' | 'newest'>,
  signer: CertificateSigner,
  issuer: Issuer,
  clock: Clock,
): CertificateRegister {
  const verify = (certificate: unknown): CertificateReport => {
    const now = clock.now();
    const keys = signer.keys();
    const dids = [issuer.identity().did, ...keys.map(({ public_key }) => keyDid(public_key))];
    const before = formerIssuer(certificate, reads);
    const pin = pinSigner(keys, before === undefined ? dids : [...dids, before]);
    return verifyCertificate(certificate, { pin, now, status: statusByStore(reads, now) });
  };
  return {
    newest(orbId) {
      const newest = reads.newest(orbId);
      return newest === undefined ? undefined : summaryOf(newest, clock.now());
    },
    verify,
    verifyNewest(orbId) {
      const newest = reads.newest(orbId);
      return newest === undefined ? undefined : verify(newest.document);
    },
  };
}

// Sums up a stored certificate at a time (milliseconds).
function summaryOf(stored: StoredCertificate, now: number): CertificateSummary {
  const { id, tier, valid_from, valid_until } = stored;
  return {
    certificate_id: id,
    tier,
    status: statusAt(stored, now),
    issued_at: valid_from,
    expires_at: valid_until,
  };
}

// A certificate from before a change of address bears the issuer of then; that it was ours, the store knows.
function formerIssuer(certificate: unknown, reads: Pick<CertificateReads, 'find'>): string | undefined {
  const credential = credentialIn(certificate);
  const id = isRecord(credential) ? certificateId(String(credential['id'])) : undefined;
  return id === undefined ? undefined : reads.find(id)?.document.issuer.id;
}
