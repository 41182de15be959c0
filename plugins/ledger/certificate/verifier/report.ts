import { defineService } from '../../../../kernel/index.ts';
import type { Tier } from '../../tier/tiers.ts';

/** Names of the checks, in the order they are shown. */
export const checkNames = ['proof', 'issuer_trusted', 'key_active', 'dates', 'status'] as const;

/** Where a certificate is in its life. */
export type CertificateStatus = 'valid' | 'expired' | 'suspended' | 'revoked';

/** What a check found. */
export interface Finding {
  readonly result: 'pass' | 'fail' | 'not_checked';
  readonly detail?: string;
  /** Signed by somebody who is not trusted. */
  readonly untrusted?: true;
}

/** A check with what it found. */
export interface Check extends Omit<Finding, 'untrusted'> {
  readonly name: (typeof checkNames)[number] | 'form' | 'readable_copy_matches';
}

/** What verifying a certificate answers. */
export interface CertificateReport {
  readonly overall: 'VERIFIED' | 'REJECTED';
  /** Exit code of `orb certificate verify`: 0 verified, 1 a check failed, 2 malformed, 3 not checked, 4 not trusted. */
  readonly exit: 0 | 1 | 2 | 3 | 4;
  readonly checks: readonly Check[];
  /** Read from the certificate; present only when proof and issuer passed. */
  readonly values?: Readonly<Record<string, string | number>>;
}

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
