import { parseJsonBytes, PlatformError, serveThread } from '../../../../kernel/index.ts';
import { isRecord } from '../format/proof.ts';
import { claimedId, verifyOwn, type VerifyTerms } from './verify-own.ts';

/** A job for the thread. */
export interface VerifyJob {
  /** One JSON document. */
  readonly bytes: Uint8Array;
  readonly terms: VerifyTerms;
}

/** The report, and the claimed id under which the store may hold the certificate. */
export type VerifyDone = ReturnType<typeof verified>;

serveThread(verified);

function verified({ bytes, terms }: VerifyJob) {
  const value = parseJsonBytes(bytes);
  if (!isRecord(value)) {
    throw new PlatformError('invalid_body', 'the body does not fit: # must be object', {
      errors: [{ pointer: '#', detail: 'must be object' }],
    });
  }
  return { report: verifyOwn(value, terms), claimed: claimedId(value) };
}
