import { defineRoute, exactly, optional, type Route } from '../../../../kernel/index.ts';
import type { OwnRegister } from '../routes/register.ts';

const report = exactly('CertificateReport', {
  overall: { type: 'string', enum: ['VERIFIED', 'REJECTED'], description: 'The verdict' },
  exit: { type: 'integer', description: 'Exit code of `orb certificate verify`' },
  checks: {
    type: 'array',
    description: 'What was checked, one by one',
    items: exactly({
      name: {
        type: 'string',
        enum: ['form', 'proof', 'issuer_trusted', 'key_active', 'dates', 'status', 'readable_copy_matches'],
        description: 'What was checked',
      },
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

/** Makes the public route that verifies a certificate of this installation from its own store; nothing is fetched. */
export const verifyRoute = (register: Pick<OwnRegister, 'verify' | 'verifyLarge'>): Route =>
  defineRoute({
    method: 'POST',
    path: '/certificates/verify',
    operationId: 'verifyCertificate',
    service: 'ledger',
    public: true,
    bucket: { name: 'certificate-verify', per_second: 10 },
    summary: 'Verify a certificate of this installation: proof, issuer, key, dates, status',
    body: {
      $id: 'CertificateArtefact',
      type: 'object',
      description: 'A Verifiable Credential, or the whole answer of `GET /reputation/{orb_id}/certificate`',
    },
    response: report,
    problems: ['overloaded'],
    handle: ({ body }) => register.verify(body),
    handleLarge: (bytes) => register.verifyLarge(bytes),
  });
