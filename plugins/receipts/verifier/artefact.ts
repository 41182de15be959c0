import { decodeAnyBase64 } from '../format/base64.ts';
import { bundleClaim, growthOf, nativeClaim, type Growth, type LogClaim } from './log-artefact.ts';
import { isRecord } from '../format/strict-json.ts';

/** A DSSE envelope, decoded. */
export interface DecodedEnvelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signatures: readonly { readonly keyid?: string; readonly signature: Uint8Array }[];
}

/**
 * The parsed artefact. `copy`: the members next to envelope and proof, meant for reading; `disclosed`: values shown
 * with the receipt; `growth`: the consistency proofs that `orb receipts get` saved next to it; `decisions`: the receipts of
 * the decisions on the run, saved next to it.
 */
export interface ReadArtefact {
  readonly envelope: DecodedEnvelope;
  readonly claim?: LogClaim;
  readonly growth?: readonly Growth[];
  readonly decisions?: readonly unknown[];
  readonly copy: Readonly<Record<string, unknown>>;
  readonly disclosed?: unknown;
}

/** The parsed artefact, or why there is none. */
export type Artefact = ReadArtefact | { readonly malformed: string } | { readonly nothing: string };

/** Most decisions on one run that are read. */
export const mostDecisions = 64;
const mostSignatures = 16;

/** Parses an artefact: a receipt as the API answers it, a bare DSSE envelope, or a Sigstore bundle. */
export function readArtefact(value: unknown): Artefact {
  return isRecord(value) && formsOf(value).join() === 'dsseEnvelope' ? fromBundle(value) : readReceipt(value);
}

/** Parses a receipt as the API answers it, or a bare DSSE envelope. */
export function readReceipt(value: unknown): Artefact {
  if (!isRecord(value)) return { malformed: 'the artefact is not a JSON object, or contains a member twice' };
  // With two forms, two readers could read two different artefacts.
  const [form, ...others] = formsOf(value);
  if (others.length > 0) return { malformed: 'the artefact contains more than one envelope' };
  if (form === 'payload') return withEnvelope(value, readableOf(value));
  if (form === 'envelope') {
    const { envelope, proof, consistency, decisions, disclosed, ...copy } = value;
    const read = withEnvelope(envelope, copy, disclosed);
    if (!('envelope' in read)) return read;
    const kept = decisions === undefined ? [] : decisions;
    if (!Array.isArray(kept) || kept.length > mostDecisions) return { malformed: 'the decisions are not a list' };
    const artefact = decisions === undefined ? read : { ...read, decisions: kept as readonly unknown[] };
    const growth = consistency === undefined ? [] : growthOf(consistency);
    if (growth === undefined) return { malformed: 'the consistency proof of the log is malformed' };
    if (proof === undefined) return artefact;
    const claim = nativeClaim(proof);
    return claim === undefined ? { malformed: 'the inclusion proof is malformed' } : { ...artefact, claim, growth };
  }
  if (form === undefined && (isSummary(value) || isSummary(value['receipt'])))
    return {
      nothing:
        'this is a summary of a receipt and contains no signature; fetch the receipt with ' +
        '`orb receipts get <receipt_id>` and verify that',
    };
  return { malformed: 'the artefact contains no envelope' };
}

const formsOf = (value: object): readonly string[] =>
  ['payload', 'dsseEnvelope', 'envelope'].filter((name) => Object.hasOwn(value, name));

const readable = ['receipt_id', 'trust_score', 'risk_level', 'timestamp', 'statement'];

// Members of other formats are ignored (DSSE); a member with one of our names is read, whatever its form.
function readableOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => readable.includes(name)));
}

const summaryMembers = ['receipt_id', 'trust_score', 'risk_level', 'signature_valid', 'timestamp'];

function isSummary(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['receipt_id'] === 'string' &&
    Object.keys(value).every((name) => summaryMembers.includes(name))
  );
}

function fromBundle(bundle: Readonly<Record<string, unknown>>): Artefact {
  const artefact = withEnvelope(bundle['dsseEnvelope'], readableOf(bundle));
  if (!('envelope' in artefact)) return artefact;
  const claim = bundleClaim(bundle);
  return claim === undefined ? { malformed: 'the bundle contains no inclusion proof' } : { ...artefact, claim };
}

function withEnvelope(envelope: unknown, copy: Readonly<Record<string, unknown>>, disclosed?: unknown): Artefact {
  const decoded = decode(envelope);
  return decoded === undefined
    ? { malformed: 'the envelope is not DSSE with strict base64' }
    : { envelope: decoded, copy, ...(disclosed === undefined ? {} : { disclosed }) };
}

// Unknown members of an envelope are ignored (DSSE).
function decode(envelope: unknown): DecodedEnvelope | undefined {
  if (!isRecord(envelope) || typeof envelope['payloadType'] !== 'string') return undefined;
  const payload = decodeText(envelope['payload']);
  const list = envelope['signatures'];
  if (payload === undefined || !Array.isArray(list) || list.length === 0 || list.length > mostSignatures)
    return undefined;
  const signatures = list.flatMap((entry) => decodeSignature(entry) ?? []);
  return signatures.length === list.length ? { payloadType: envelope['payloadType'], payload, signatures } : undefined;
}

function decodeSignature(entry: unknown): DecodedEnvelope['signatures'][number] | undefined {
  if (!isRecord(entry)) return undefined;
  const { keyid } = entry;
  const signature = decodeText(entry['sig']);
  if (signature === undefined || (keyid !== undefined && typeof keyid !== 'string')) return undefined;
  return keyid === undefined ? { signature } : { keyid, signature };
}

function decodeText(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' ? decodeAnyBase64(text) : undefined;
}
