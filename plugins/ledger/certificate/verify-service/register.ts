import { Worker } from 'node:worker_threads';
import { createThread, type Clock } from '../../../../kernel/index.ts';
import type { CertificateSigner } from '../../../receipts/contract.ts';
import type { Issuer } from '../issue/issuer.ts';
import { statusAt } from '../issue/plan.ts';
import type { CertificateReads, StoredCertificate } from '../issue/tables.ts';
import type { CertificateRegister, CertificateSummary, CertificateReport } from '../format/report.ts';
import { claimedId, verifyOwn, type VerifyTerms } from './verify-own.ts';
import type { VerifyDone, VerifyJob } from './worker.ts';

/** The register with the further functions that the routes need. */
export interface OwnRegister extends CertificateRegister {
  /** Verifies the bytes of a large JSON document in a thread, as `verify` verifies a value. */
  verifyLarge(bytes: Uint8Array): Promise<CertificateReport>;
  stop(): Promise<void>;
}

/** Makes the register. */
export function createRegister(
  reads: Pick<CertificateReads, 'find' | 'newest'>,
  signer: CertificateSigner,
  issuer: Issuer,
  clock: Clock,
): OwnRegister {
  // Verifies large certificates off the main thread; it starts with the first job.
  const thread = createThread<VerifyJob, VerifyDone>({
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { name: 'certificates' }),
    waiting: 8,
    limitMs: 10_000,
  });
  const terms = (): VerifyTerms => ({ now: clock.now(), keys: signer.keys(), did: issuer.identity().did });
  const known = async (id: string | undefined): Promise<StoredCertificate | undefined> =>
    id === undefined ? id : reads.find(id);
  const verify = async (value: unknown): Promise<CertificateReport> => {
    const found = await known(claimedId(value));
    return verifyOwn(value, { ...terms(), known: found });
  };
  return {
    async newest(orbId) {
      const newest = await reads.newest(orbId);
      return newest === undefined ? undefined : summaryOf(newest, clock.now());
    },
    verify,
    async verifyLarge(bytes) {
      const asked = terms();
      const { claimed, report } = await thread.run({ bytes, terms: asked });
      const found = await known(claimed);
      // Without a stored certificate, return the first report: it did not need the store.
      return found === undefined ? report : (await thread.run({ bytes, terms: { ...asked, known: found } })).report;
    },
    async verifyNewest(orbId) {
      const newest = await reads.newest(orbId);
      return newest === undefined ? undefined : verify(newest.document);
    },
    stop: () => thread.stop(),
  };
}

// Sums up a stored certificate at a time (milliseconds).
function summaryOf(stored: StoredCertificate, now: number): CertificateSummary {
  const { id, tier, valid_from, valid_until } = stored;
  return { certificate_id: id, tier, status: statusAt(stored, now), issued_at: valid_from, expires_at: valid_until };
}
