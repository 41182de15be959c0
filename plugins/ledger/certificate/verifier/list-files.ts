import type { Certificate } from '../format/credential-schema.ts';
import { findKey, type Pin, type PinnedKey } from './pin.ts';
import { isRecord, verifyProof, type Document } from '../format/proof.ts';
import { decodeList, isSet } from '../format/status-list.ts';
import { fail, notChecked, pass, type Finding } from '../format/report.ts';

type StatusEntry = Certificate['credentialStatus'][number];

/**
 * Makes the check `status` from saved status lists: each must be the list the certificate names, of the same issuer,
 * signed by a pinned key that is not revoked, and not outdated at `now` (milliseconds). A list that is missing or
 * outdated leaves the status unchecked; a bit that is set, or a list that is forged, fails it.
 */
export function statusByLists(lists: readonly unknown[], now: number): (certificate: Certificate, pin: Pin) => Finding {
  return ({ credentialStatus, issuer }, pin) => {
    const findings = credentialStatus.map((entry): Finding => {
      const list = lists.find((value) => isRecord(value) && value['id'] === entry.statusListCredential);
      if (!isRecord(list)) return notChecked(`no --status-list holds ${entry.statusListCredential}`);
      const key = keyOf(list, issuer.id, pin);
      if (key === undefined) return { ...fail('a status list is not signed by a pinned key'), untrusted: true };
      if (key.revoked) return { ...fail('a status list is signed by a revoked key; save it again'), untrusted: true };
      return verifyProof(list, key.public_key)
        ? read(list, entry, now)
        : fail('the signature of a status list is not valid');
    });
    return (
      findings.find(({ result }) => result === 'fail') ??
      findings.find(({ result }) => result === 'not_checked') ??
      pass
    );
  };
}

function keyOf(list: Document, did: string, pin: Pin): PinnedKey | undefined {
  const { proof, issuer } = list;
  const method = isRecord(proof) ? String(proof['verificationMethod']) : '';
  const [by, multikey = ''] = method.split('#');
  const named = isRecord(issuer) ? issuer['id'] : issuer;
  const key = findKey(pin, multikey);
  // A did:key changes when the key changes; then only the pinned key counts.
  const sameIssuer = named === by && (named === did || did.startsWith('did:key:'));
  return sameIssuer ? key : undefined;
}

function read(list: Document, { statusListIndex, statusPurpose }: StatusEntry, now: number): Finding {
  const { credentialSubject: subject, validFrom, validUntil } = list;
  if (!isRecord(subject) || subject['statusPurpose'] !== statusPurpose)
    return fail(`the status list is not one of ${statusPurpose}`);
  const current = Date.parse(String(validFrom)) <= now && now < Date.parse(String(validUntil));
  if (!current) return notChecked(`the status list of ${statusPurpose} is outdated; save it again`);
  const bits = decodeList(String(subject['encodedList']));
  const set = bits === undefined ? undefined : isSet(bits, Number(statusListIndex));
  if (set === undefined) return fail(`the status list of ${statusPurpose} cannot be read`);
  return set ? fail(statusPurpose === 'revocation' ? 'revoked' : 'suspended') : pass;
}
