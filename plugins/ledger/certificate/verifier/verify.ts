import { checkNames, fail, notChecked, pass, type Finding, type CertificateReport } from '../format/report.ts';
import { copiesOf } from '../format/answer.ts';
import { readArtefact } from './artefact.ts';
import type { Certificate } from '../format/credential-schema.ts';
import { keyDid } from '../format/did.ts';
import { findKey, type Pin, type PinnedKey } from './pin.ts';
import { isBefore, isRefused, isWithin } from '../format/position.ts';
import { verifyProof } from '../format/proof.ts';

/** Options for verifying a certificate. */
export interface VerifyOptions {
  /** Absent: no issuer is trusted, so no certificate can be verified. */
  readonly pin?: Pin | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Checks the status in status lists or the store; called only when the proof passed. */
  readonly status: (certificate: Certificate, pin: Pin) => Finding;
}

/**
 * Verifies a certificate, alone or in the answer that holds it, with the pinned keys. Fetches nothing, and trusts no
 * key that the certificate itself names.
 */
export function verifyCertificate(value: unknown, options: VerifyOptions): CertificateReport {
  const artefact = readArtefact(value);
  if ('faults' in artefact) return malformed(artefact.faults);
  const { certificate, contradicting } = artefact;
  const report = reportOf(certificate, findingsOf(certificate, options));
  return contradicting === undefined ? report : withCopies(report, contradicting);
}

// The members next to the credential are not signed, so they must equal the signed ones.
function withCopies(report: CertificateReport, contradicting: readonly string[]): CertificateReport {
  const name = 'readable_copy_matches';
  if (contradicting.length === 0) return { ...report, checks: [...report.checks, { name, ...pass }] };
  const found = fail(`members next to the credential contradict it: ${contradicting.join(', ')}`);
  const checks = [...report.checks, { name, ...found } as const];
  return { ...report, overall: 'REJECTED', exit: report.exit === 4 ? 4 : 1, checks };
}

function findingsOf(certificate: Certificate, options: VerifyOptions): Findings {
  const { pin } = options;
  if (pin === undefined) return unpinned(certificate, options.now);
  const [, multikey = ''] = certificate.proof.verificationMethod.split('#');
  const key = findKey(pin, multikey);
  const proof = proofOf(certificate, key);
  const passed = proof.result === 'pass';
  return {
    proof,
    issuer_trusted: issuerOf(certificate, pin, key),
    key_active: key === undefined ? notChecked('its key is not pinned') : activeAt(certificate, key),
    dates: datesOf(certificate, options.now),
    status: passed ? options.status(certificate, pin) : notChecked('the proof has not passed'),
  };
}

type Findings = Readonly<Record<(typeof checkNames)[number], Finding>>;

function unpinned(certificate: Certificate, now: number): Findings {
  const nobody = notChecked('no issuer is pinned; name one with --issuer or --keys');
  const dates = datesOf(certificate, now);
  return { proof: nobody, issuer_trusted: nobody, key_active: nobody, dates, status: nobody };
}

function proofOf(value: Certificate, key: PinnedKey | undefined): Finding {
  if (key === undefined) return notChecked('its key is not pinned');
  return verifyProof(value, key.public_key) ? pass : fail('the signature is not over this document by this key');
}

function issuerOf({ issuer, proof }: Certificate, { dids }: Pin, key: PinnedKey | undefined): Finding {
  if (key === undefined) return fail(`${proof.verificationMethod} is not a pinned key`);
  if (!proof.verificationMethod.startsWith(`${issuer.id}#`)) return fail('the key is named as one of another issuer');
  if (dids?.includes(issuer.id) === false) return fail(`${issuer.id} is not the pinned issuer`);
  if (issuer.id.startsWith('did:key:') && issuer.id !== keyDid(key.public_key))
    return fail('the issuer is another key than the one that signed');
  return pass;
}

function activeAt({ credentialSubject }: Certificate, key: PinnedKey): Finding {
  const { revoked, since, until } = key;
  const { origin, treeSize } = credentialSubject.receiptLog;
  const log = { origin, tree_size: treeSize };
  if (revoked && isRefused(key, log))
    return fail('the key was revoked, and the certificate does not name the log from before that');
  if (since === undefined)
    return notChecked('no position in the log is known of the key; name the published keys with --keys');
  if (!isBefore(since, log)) return fail('the log that the certificate names does not hold the key yet');
  return until !== undefined && isWithin(until, log)
    ? fail('the log that the certificate names holds a newer key')
    : pass;
}

function datesOf({ validFrom, validUntil }: Certificate, now: number): Finding {
  if (now < Date.parse(validFrom)) return fail(`not valid before ${validFrom}`);
  return now < Date.parse(validUntil) ? pass : fail(`expired at ${validUntil}`);
}

function malformed(faults: readonly string[]): CertificateReport {
  const detail = `not a certificate of this form: ${faults.slice(0, 3).join('; ')}`;
  return { overall: 'REJECTED', exit: 2, checks: [{ name: 'form', result: 'fail', detail }] };
}

function reportOf(certificate: Certificate, findings: Findings): CertificateReport {
  const checks = checkNames.map((name) => {
    const { untrusted: _, ...finding } = findings[name];
    return { name, ...finding };
  });
  const exit = exitOf(findings);
  const known = findings.proof.result === 'pass' && findings.issuer_trusted.result === 'pass';
  return {
    overall: exit === 0 ? 'VERIFIED' : 'REJECTED',
    exit,
    checks,
    ...(known ? { values: valuesOf(certificate) } : {}),
  };
}

function exitOf(findings: Findings): 0 | 1 | 3 | 4 {
  const { issuer_trusted, key_active, status } = findings;
  if (issuer_trusted.result === 'fail' || key_active.result === 'fail' || status.untrusted === true) return 4;
  const all = Object.values(findings);
  if (all.some(({ result }) => result === 'fail')) return 1;
  return all.some(({ result }) => result === 'not_checked') ? 3 : 0;
}

function valuesOf(certificate: Certificate) {
  const { orb_id, certification_tier, reputation_score, issued_at, expires_at } = copiesOf(certificate);
  const { id, issuer } = certificate;
  return { certificate: id, orb_id, certification_tier, reputation_score, issuer: issuer.id, issued_at, expires_at };
}
