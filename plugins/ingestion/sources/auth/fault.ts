import type { AuthSettings } from '../settings/schema.ts';
import type { Arrival, Signing } from './proof.ts';
import { secretFault } from './secret.ts';

/**
 * Says what is wrong with a delivery that proves nothing, and which header its source expects. It reads what came and
 * the settings, never a secret: an attacker cannot learn how close a guess was.
 */
export function faultOf({ signature }: Signing, arrival: Arrival, settings: AuthSettings, nowMs: number): string {
  if (settings.scheme !== 'signature') return secretFault(arrival, settings);
  if (signature === undefined)
    return 'this source expects a signature that its vendor does not create; set `auth.scheme` of the source to another scheme';
  return (
    signature.fault?.(arrival, settings, nowMs) ??
    'the delivery has no signature that matches: check the secret of this source, and that nothing on the way changes the body'
  );
}

/** The parts of a signed delivery that are checked before its signature. */
interface SignedParts {
  /** Name of the header with the signature, and what it holds. */
  readonly header: string;
  readonly value: string | undefined;
  /** What the header must hold, e.g. "`v1=` and hexadecimal digits". */
  readonly form: string;
  /** How the sender makes the value of the header, in words, without a secret. */
  readonly made: string;
  /** How many signatures of that form the header holds. */
  readonly signatures: number;
  /** Absent: no time is signed. */
  readonly time?: { readonly header: string; readonly value: string | undefined; readonly toleranceS: number };
}

/** Says what is wrong with a signed delivery. */
export function signatureFault(parts: SignedParts, nowMs: number): string {
  const { header, value, form, made, signatures, time } = parts;
  const how = `; its value is ${made}`;
  if (value === undefined)
    return `this source expects a signature in the header \`${header}\`, and the delivery has no such header${how}`;
  if (signatures === 0)
    return `the signature in the header \`${header}\` does not have the form that this source expects: ${form}${how}`;
  const fault = time && timeFault(time, nowMs);
  if (fault !== undefined) return fault;
  return `the signature in the header \`${header}\` does not match: check that sender and source have the same secret, and that no proxy changes the body${how}`;
}

function timeFault({ header, value, toleranceS }: NonNullable<SignedParts['time']>, nowMs: number): string | undefined {
  if (value === undefined)
    return `this source expects the time of the signature in the header \`${header}\`, and the delivery has no such header`;
  if (!/^\d{1,12}$/.test(value))
    return `the header \`${header}\` must hold the seconds since 1970 in digits, e.g. ${Math.floor(nowMs / 1000)}`;
  const sent = Number(value) * 1000;
  const clocks = `the header \`${header}\` says ${iso(sent)}, the clock of this server ${iso(nowMs)}`;
  if (sent - nowMs < -toleranceS * 1000)
    return `the delivery is too old: ${clocks}; the limit is ${toleranceS} s; send it again with a new signature, or correct the clocks`;
  if (sent - nowMs > 60_000) return `the delivery is from the future: ${clocks}; the limit is 60 s; correct the clocks`;
  return undefined;
}

// A time of twelve digits is beyond what a Date can say.
function iso(ms: number): string {
  return ms > 253_402_300_799_000 ? `${ms / 1000} s after 1970` : new Date(ms).toISOString();
}
