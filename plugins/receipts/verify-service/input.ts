import { PlatformError, parseJsonBytes } from '../../../kernel/index.ts';
import { verifySignature } from '../format/ed25519.ts';
import { malformed, type Report } from '../verifier/report.ts';
import { type Trust } from '../verifier/trust.ts';
import { decodeUtf8, isRecord } from '../format/strict-json.ts';
import { verify, verifyDocument } from '../verifier/verify.ts';

/** The files of a form, as bytes. */
export interface FilesInput {
  readonly receipt: Uint8Array;
  readonly proof: Uint8Array | undefined;
}

/** The input to verify: the bytes of one JSON document, or of the files of a form. */
export type VerifyInput = { readonly json: Uint8Array } | FilesInput;

/** Parses and verifies the input. Throws 400 `malformed_json`, 422 `invalid_body`. */
export function verifyInput(input: VerifyInput, trust: Trust): Report {
  if ('json' in input) return verifyDocument(objectOf(input.json), trust, { verifySignature });
  const receipt = decodeUtf8(input.receipt);
  const proof = input.proof === undefined ? undefined : decodeUtf8(input.proof);
  if (receipt === undefined || (input.proof !== undefined && proof === undefined))
    return malformed('a file is not UTF-8');
  return verify(receipt, trust, { verifySignature, ...(proof === undefined ? {} : { proof }) });
}

function objectOf(bytes: Uint8Array): unknown {
  const value = parseJsonBytes(bytes);
  if (isRecord(value)) return value;
  throw new PlatformError('invalid_body', 'the body is invalid: # must be object', {
    errors: [{ pointer: '#', detail: 'must be object' }],
  });
}
