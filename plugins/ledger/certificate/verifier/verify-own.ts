import type { CertificateSigner } from '../../../receipts/contract.ts';
import { credentialIn } from './artefact.ts';
import { keyDid } from '../format/did.ts';
import { certificateId, statusByStore } from '../issue/own-status.ts';
import { pinSigner } from './pin.ts';
import { isRecord } from '../format/proof.ts';
import type { StoredCertificate } from '../issue/tables.ts';
import { verifyCertificate } from './verify.ts';
import type { CertificateReport } from './report.ts';

/** What a certificate of this installation is verified with: plain values, for any thread. */
export interface VerifyTerms {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly keys: ReturnType<CertificateSigner['keys']>;
  /** Who issues now. */
  readonly did: string;
  /** What the store holds under the id that is claimed. */
  readonly known?: StoredCertificate | undefined;
}

/** Verifies a certificate of this installation; any other fails `issuer_trusted`. */
export function verifyOwn(value: unknown, { did, keys, known, now }: VerifyTerms): CertificateReport {
  // A certificate from before a change of address bears the issuer of then; that it was ours, the store knows.
  const dids = [
    did,
    ...keys.map(({ public_key }) => keyDid(public_key)),
    ...(known === undefined ? [] : [known.document.issuer.id]),
  ];
  return verifyCertificate(value, {
    pin: pinSigner(keys, dids),
    now,
    status: statusByStore({ find: () => known }, now),
  });
}

/** Reads the id a certificate claims to have; undefined when it claims none of this installation's form. */
export function claimedId(value: unknown): string | undefined {
  const credential = credentialIn(value);
  return isRecord(credential) ? certificateId(String(credential['id'])) : undefined;
}
