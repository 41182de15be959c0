import type { Receipt, ReceiptCheck } from '../facts/facts.ts';
import { PlatformError } from '../../../kernel/index.ts';
import type { ProblemCode } from '../outcome/problems.ts';
import type { ProblemExtensions } from '../../../kernel/runner.ts';

/** The answer that is repeated for an idempotency key: a success, or a problem. `signature_valid` is never stored. */
export type StoredAnswer =
  | { readonly body: object }
  | { readonly code: ProblemCode; readonly detail: string; readonly extensions: ProblemExtensions };

/** The summary of a receipt without the member that must be verified again. */
export type Unverified = Omit<Receipt, 'signature_valid'>;

/** Puts the verdict back in its place, so that the repeated answer equals the first one. */
async function verifiedAgain(receipt: Unverified, check: ReceiptCheck): Promise<Receipt> {
  const { receipt_id, trust_score, risk_level, timestamp } = receipt;
  return { receipt_id, trust_score, risk_level, signature_valid: await check(receipt_id), timestamp };
}

/** Repeats a stored answer: returns the body, or throws its problem. */
export async function replay(answer: StoredAnswer, check: ReceiptCheck): Promise<object> {
  if ('code' in answer) {
    const { receipt, ...rest } = answer.extensions;
    const verified = receipt === undefined ? {} : { receipt: await verifiedAgain(receipt as Unverified, check) };
    throw new PlatformError(answer.code, answer.detail, {
      ...rest,
      ...verified,
      headers: { ...rest.headers, ...replayed },
    });
  }
  const body = answer.body as { receipt?: Unverified };
  return body.receipt === undefined ? body : { ...body, receipt: await verifiedAgain(body.receipt, check) };
}

/** Marks an answer as a repetition. */
export const replayed = Object.freeze({ 'Idempotent-Replayed': 'true' });
