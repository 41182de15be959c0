import { defineRoute, type Route } from '../../kernel/index.ts';
import { verdict } from './contract.ts';
import { verifySignature } from './ed25519.ts';
import type { Trust } from './verifier/trust.ts';
import { verifyDocument } from './verifier/verify.ts';

/** Makes the public route that verifies a receipt with the keys of this installation; nothing is read or kept. */
export const verifyRoute = (trust: Trust): Route =>
  defineRoute({
    method: 'POST',
    path: '/receipts/verify',
    service: 'runtime',
    public: true,
    summary: 'Verify a receipt, a DSSE envelope or a Sigstore bundle against the keys of this installation',
    body: {
      $id: 'Artefact',
      type: 'object',
      description: 'A receipt as `GET /receipts/{receipt_id}` answers it, in any of its JSON forms',
    },
    response: {
      $id: 'VerificationReport',
      type: 'object',
      required: ['overall', 'exit', 'checks', 'limits'],
      properties: {
        overall: { enum: ['VERIFIED', 'VERIFIED-WITH-LIMITS', 'REJECTED', 'NOTHING-TO-VERIFY'] },
        exit: { type: 'integer', description: 'Exit code of `orb receipts verify`' },
        checks: { type: 'array', items: verdict },
        limits: { type: 'array', items: { type: 'string' } },
        hint: { type: 'string' },
        values: { type: 'object', additionalProperties: true, description: 'Read from the signed payload alone' },
      },
    },
    problems: [],
    handle({ body }) {
      const { checkpoint: _, ...report } = verifyDocument(body, trust, { verifySignature });
      return report;
    },
  });
