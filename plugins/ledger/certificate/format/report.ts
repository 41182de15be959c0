import { defineService, exactly, optional, type Answered, type Awaitable } from '../../../../kernel/index.ts';
import type { Tier } from '../../shapes.ts';

/** Names of the checks, in the order they are shown. */
export const checkNames = ['proof', 'issuer_trusted', 'key_active', 'dates', 'status'] as const;

/** The stage of a certificate's life. */
export type CertificateStatus = 'valid' | 'expired' | 'suspended' | 'revoked';

/** The result of one check. */
export interface Finding {
  readonly result: 'pass' | 'fail' | 'not_checked';
  readonly detail?: string;
  /** The signer is not trusted. */
  readonly untrusted?: true;
}

/** The result of a check that holds. */
export const pass: Finding = { result: 'pass' };
/** Makes the result of a check that failed. */
export const fail = (detail: string): Finding => ({ result: 'fail', detail });
/** Makes the result of a check that was not possible. */
export const notChecked = (detail: string): Finding => ({ result: 'not_checked', detail });

/** Schema of the report on a verified certificate. */
export const certificateReport = exactly('CertificateReport', {
  overall: { type: 'string', enum: ['VERIFIED', 'REJECTED'], description: 'The verdict' },
  exit: { type: 'integer', description: 'Exit code of `orb certificate verify`' },
  checks: {
    type: 'array',
    description: 'What was checked, one by one',
    items: exactly({
      name: { type: 'string', enum: ['form', ...checkNames, 'readable_copy_matches'], description: 'What was checked' },
      result: { type: 'string', enum: ['pass', 'fail', 'not_checked'], description: 'Result of the check' },
      detail: optional({ type: 'string', description: 'What was found' }),
    }),
  },
  values: optional({
    type: 'object',
    additionalProperties: true,
    description: 'Read from the certificate once it is trusted',
  }),
});

/** The report on a verified certificate; `values` are present only when proof and issuer passed. */
export type CertificateReport = Omit<Answered<typeof certificateReport>, 'exit' | 'values'> & {
  /** Exit code of `orb certificate verify`: 0 verified, 1 a check failed, 2 malformed, 3 not checked, 4 not trusted. */
  readonly exit: 0 | 1 | 2 | 3 | 4;
  readonly values?: Readonly<Record<string, string | number>>;
};

/** The newest certificate of an Orb, in short. */
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
  /** The newest certificate ever issued for an Orb, in any status. */
  newest(orbId: string): Awaitable<CertificateSummary | undefined>;
  /** Verifies a certificate of this installation from its own store; any other fails `issuer_trusted`. */
  verify(certificate: unknown): Awaitable<CertificateReport>;
  /** Verifies the stored newest certificate of an Orb; undefined: none was ever issued. */
  verifyNewest(orbId: string): Awaitable<CertificateReport | undefined>;
}

/** Gives access to certificates. */
export const certificateRegister = defineService<CertificateRegister>('certificate_register');
