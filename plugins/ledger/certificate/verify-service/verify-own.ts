import type { CertificateSigner } from '../../../receipts/contract.ts';
import { credentialIn } from '../verifier/artefact.ts';
import { keyDid } from '../format/did.ts';
import { pinSigner } from '../verifier/pin.ts';
import { isRecord } from '../format/proof.ts';
import type { StoredCertificate } from '../issue/tables.ts';
import { verifyCertificate } from '../verifier/verify.ts';
import { fail, pass, type CertificateReport, type Finding } from '../format/report.ts';
import { certificateId } from '../format/certificate-url.ts';
import { canonical } from '../../../../kernel/index.ts';
import type { Certificate } from '../format/credential-schema.ts';
import { statusAt } from '../issue/plan.ts';

/** Inputs to verify a certificate of this installation: plain values that can be sent to a thread. */
export interface VerifyTerms {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly keys: ReturnType<CertificateSigner['keys']>;
  /** DID of the current issuer. */
  readonly did: string;
  /** The stored certificate with the claimed id. */
  readonly known?: StoredCertificate | undefined;
}

/** Verifies a certificate of this installation; any other fails `issuer_trusted`. */
export function verifyOwn(value: unknown, { did, keys, known, now }: VerifyTerms): CertificateReport {
  // A certificate from before a change of address names the former issuer; the store shows that it was issued here.
  const former = known === undefined ? [] : [known.document.issuer.id];
  const dids = [did, ...keys.map(({ public_key }) => keyDid(public_key)), ...former];
  return verifyCertificate(value, { pin: pinSigner(keys, dids), now, status: statusByStore(known, now) });
}

/** Reads the id that a certificate claims; undefined when the id has not the form of this installation's ids. */
export function claimedId(value: unknown): string | undefined {
  const credential = credentialIn(value);
  return isRecord(credential) ? certificateId(String(credential['id'])) : undefined;
}

/** Makes the check `status` from the store; a certificate that the store does not hold was not issued here. */
export function statusByStore(known: StoredCertificate | undefined, now: number) {
  return (certificate: Certificate): Finding => {
    if (known === undefined) return fail('this installation keeps no such certificate');
    // A thief of a key can sign a different text under a valid id.
    if (canonical(known.document) !== canonical(certificate))
      return fail('this installation issued another certificate of this id');
    const status = statusAt(known, now);
    // The check `dates` reports the end of validity.
    return status === 'revoked' || status === 'suspended' ? fail(status) : pass;
  };
}
