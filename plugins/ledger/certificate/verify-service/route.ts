import { defineRoute, type Route } from '../../../../kernel/index.ts';
import type { OwnRegister } from './register.ts';
import { certificateReport } from '../format/report.ts';

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
    response: certificateReport,
    problems: ['overloaded'],
    handle: ({ body }) => register.verify(body),
    handleLarge: (bytes) => register.verifyLarge(bytes),
  });
