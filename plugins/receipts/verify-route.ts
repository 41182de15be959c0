import { defineRoute, PlatformError, type Route, type UploadedFile } from '../../kernel/index.ts';
import { verdict } from './contract.ts';
import { verifySignature } from './ed25519.ts';
import type { Trust } from './verifier/trust.ts';
import { malformed, type Report } from './verifier/report.ts';
import { verify, verifyDocument } from './verifier/verify.ts';

/**
 * Makes the public route that verifies a receipt with the keys of this installation: as JSON, or as the
 * file `receipt` of a form, with the file `proof` (.tlog-proof) if it holds none. Nothing is read or kept.
 */
export const verifyRoute = (trust: Trust): Route =>
  defineRoute({
    method: 'POST',
    path: '/receipts/verify',
    operationId: 'verifyReceipt',
    service: 'runtime',
    public: true,
    // Ed25519 costs more than an answer from memory; who verifies by the thousand has the command.
    bucket: { name: 'verify', per_second: 20 },
    files: ['receipt', 'proof'],
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
    handle({ body, files }) {
      const { place: _, ...report } =
        files === undefined ? verifyDocument(body, trust, { verifySignature }) : verifyFiles(files, trust);
      return report;
    },
  });

function verifyFiles(files: readonly UploadedFile[], trust: Trust): Report {
  const [receipt, ...more] = files.filter(({ field }) => field === 'receipt');
  const [proof, ...moreProofs] = files.filter(({ field }) => field === 'proof');
  if (receipt === undefined || more.length > 0 || moreProofs.length > 0)
    throw new PlatformError('invalid_body', 'send one file `receipt`, and at most one `proof`');
  const [text, proofText] = [textOf(receipt), proof === undefined ? undefined : textOf(proof)];
  if (text === undefined || (proof !== undefined && proofText === undefined)) return malformed('a file is not UTF-8');
  return verify(text, trust, { verifySignature, ...(proofText === undefined ? {} : { proof: proofText }) });
}

function textOf({ bytes }: UploadedFile): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
