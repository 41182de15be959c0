import { defineService } from '../../../kernel/index.ts';
import type { Tier } from '../contract.ts';
import type { CertificateStatus } from './plan.ts';
import type { CertificateReport } from './verify.ts';

/** The newest certificate of an Orb, for whoever shows it. */
export interface CertificateSummary {
  /** `crt_<ulid>` */
  readonly certificate_id: string;
  readonly tier: Tier;
  readonly status: CertificateStatus;
  /** RFC 3339 UTC. */
  readonly issued_at: string;
  readonly expires_at: string;
}

/** The certificates of this installation. */
export interface CertificateRegister {
  /** The newest ever issued for an Orb, in any status. */
  newest(orbId: string): CertificateSummary | undefined;
  /** Verifies a certificate of this installation from its own store; any other fails `issuer_trusted`. */
  verify(certificate: unknown): CertificateReport;
  /** Verifies the newest of an Orb as it is kept; undefined: none was ever issued. */
  verifyNewest(orbId: string): CertificateReport | undefined;
}

/** Tells of certificates. */
export const certificateRegister = defineService<CertificateRegister>('certificate_register');
