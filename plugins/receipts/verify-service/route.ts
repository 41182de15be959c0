import { defineRoute, PlatformError, type Route, type UploadedFile } from '../../../kernel/index.ts';
import { optional, component, listOf } from '../format/exactly.ts';
import { verdict } from '../contract.ts';
import { verifySignature } from '../format/ed25519.ts';
import { withOwnLog, type OwnLogCheck } from '../log/stored/own-log.ts';
import { verifyInput, type FilesInput } from './input.ts';
import type { LargeVerifier } from './thread.ts';
import type { Report } from '../verifier/report.ts';
import type { Trust } from '../verifier/trust.ts';
import { verifyDocument } from '../verifier/verify.ts';

/** Larger files are verified in a thread: a caller without a key must not keep the main thread busy. */
const mostVerifiedHere = 64 * 1024;

/**
 * Makes the public route that verifies a receipt with the keys and the log of this installation: as JSON, or as the
 * file `receipt` of a form, with the file `proof` (.tlog-proof): if the receipt also contains a proof, both must hold.
 * Nothing is stored.
 */
export const verifyRoute = (
  trust: Trust,
  ownLog: OwnLogCheck,
  { verifyLarge }: Pick<LargeVerifier, 'verifyLarge'>,
): Route =>
  defineRoute({
    method: 'POST',
    path: '/receipts/verify',
    operationId: 'verifyReceipt',
    service: 'runtime',
    public: true,
    // Ed25519 costs more than an answer from memory; the command verifies large numbers of receipts.
    bucket: { name: 'verify', per_second: 20 },
    files: ['receipt', 'proof'],
    summary: 'Verify a receipt, a DSSE envelope or a Sigstore bundle against the keys and the log of this installation',
    body: {
      $id: 'Artefact',
      type: 'object',
      description: 'A receipt as `GET /receipts/{receipt_id}` returns it, in any of its JSON forms',
    },
    response: component('VerificationReport', {
      overall: {
        enum: ['VERIFIED', 'VERIFIED-WITH-LIMITS', 'REJECTED', 'NOTHING-TO-VERIFY'],
        description: 'The overall result',
      },
      exit: { type: 'integer', description: 'Exit code of `orb receipts verify`' },
      checks: listOf('The checks and their results', verdict),
      limits: listOf('What could not be checked', { type: 'string' }),
      hint: optional({ type: 'string', description: 'What to do next' }),
      values: optional({ type: 'object', additionalProperties: true, description: 'Values from the signed payload' }),
    }),
    problems: ['overloaded'],
    async handle({ body, files }) {
      if (files === undefined) return answerOf(ownLog, verifyDocument(body, trust, { verifySignature }));
      const input = filesOf(files);
      const size = input.receipt.length + (input.proof?.length ?? 0);
      return answerOf(ownLog, await (size > mostVerifiedHere ? verifyLarge(input) : verifyInput(input, trust)));
    },
    handleLarge: async (json) => answerOf(ownLog, await verifyLarge({ json })),
  });

async function answerOf(ownLog: OwnLogCheck, found: Report): Promise<Omit<Report, 'place'>> {
  const { place: _, ...report } = await withOwnLog(found, ownLog);
  return report;
}

function filesOf(files: readonly UploadedFile[]): FilesInput {
  const [receipt, ...more] = files.filter(({ field }) => field === 'receipt');
  const [proof, ...moreProofs] = files.filter(({ field }) => field === 'proof');
  if (receipt === undefined || more.length > 0 || moreProofs.length > 0)
    throw new PlatformError('invalid_body', 'send one file `receipt`, and at most one `proof`');
  return { receipt: receipt.bytes, proof: proof?.bytes };
}
