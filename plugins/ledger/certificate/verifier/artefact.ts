import { compileLater } from '../../../../kernel/index.ts';
import { certificateSchema, type Certificate } from '../format/credential-schema.ts';
import { isRecord } from '../format/proof.ts';
import { certificateAnswer, copiesOf } from '../format/answer.ts';

/** The submitted certificate, after its form was checked. */
export interface Artefact {
  readonly certificate: Certificate;
  /** Pointers of members next to the credential that contradict it; undefined: there is only the credential. */
  readonly contradicting: readonly string[] | undefined;
}

const faultsOfCredential = compileLater(certificateSchema);
const { $id: _, ...credential } = certificateSchema;
// The answer's schema refers to the credential's schema by address; here the two are combined.
const { properties } = certificateAnswer;
const faultsOfAnswer = compileLater({ ...certificateAnswer, properties: { ...properties, credential } });

/**
 * Reads a certificate: a credential alone, or the whole answer of `GET /reputation/{orb_id}/certificate`. Any other
 * member is a fault, so no unverified member can appear next to a verified credential.
 */
export function readArtefact(value: unknown): Artefact | { readonly faults: readonly string[] } {
  const isAnswer = isRecord(value) && 'credential' in value;
  const faults = (isAnswer ? faultsOfAnswer : faultsOfCredential)(value);
  if (faults.length > 0 || !isRecord(value))
    return { faults: faults.map(({ pointer, detail }) => `${pointer} ${detail}`) };
  // The schemas have accepted the value.
  const certificate = credentialIn(value) as Certificate;
  return { certificate, contradicting: isAnswer ? contradicting(value, copiesOf(certificate)) : undefined };
}

/** Takes the credential out of an answer; any other value is taken as the credential itself. */
export function credentialIn(value: unknown): unknown {
  return isRecord(value) && isRecord(value['credential']) ? value['credential'] : value;
}

// `status` and `how` describe the moment of the answer: they do not copy signed members.
function contradicting(shown: unknown, copies: object, at = ''): readonly string[] {
  return Object.entries(copies).flatMap(([name, value]) => {
    const copy = isRecord(shown) ? shown[name] : undefined;
    if (isRecord(value)) return contradicting(copy, value, `${at}/${name}`);
    return copy === value ? [] : [`${at}/${name}`];
  });
}
