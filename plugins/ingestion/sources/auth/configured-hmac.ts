import { createHmac } from 'node:crypto';
import { given } from '../../../../kernel/index.ts';
import type { Signature } from './proof.ts';
import { signatureFault } from './fault.ts';
import { findSecret, fromBase64, fromHex, joined, skewWithin } from './hmac.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Parts of the configurable signature that a vendor fixes; the source sets the rest. */
interface HmacForm {
  readonly scheme: string;
  readonly header: string;
  readonly algorithm?: 'sha256' | 'sha512' | 'sha1';
  readonly encoding?: 'hex' | 'base64';
  readonly prefix?: string;
  readonly signed?: 'body' | 'ts.body' | 'ts:body';
}

/** The form of most vendors: hexadecimal HMAC-SHA256 of the body. */
export const hexOfBody = { algorithm: 'sha256', encoding: 'hex', signed: 'body' } as const;

const defaultToleranceS = 300;

/**
 * Makes a signature scheme: HMAC over the body, or over a signed time and the body. The header may hold several
 * entries, separated by commas or spaces; one valid entry is enough.
 */
export function configuredHmac(form: HmacForm): Signature {
  const fixed = (settings: AuthSettings): HmacSettings => hmacOf(form, settings);
  return {
    verify({ headers, raw }, secrets, settings, nowMs) {
      const { header, algorithm, encoding, prefix, signed, timestamp_header, toleranceS } = fixed(settings);
      const seconds = timestamp_header === undefined ? undefined : headers[timestamp_header];
      const skew = signed === 'body' ? undefined : skewWithin(seconds, toleranceS, nowMs);
      const bytes = signed === 'body' ? raw : joined(`${seconds ?? ''}${signed === 'ts:body' ? ':' : '.'}`, raw);
      const presented = entriesOf(headers[header], prefix, encoding);
      const version = findSecret({ algorithm, secrets, signed: [bytes], presented });
      if (version === undefined || (signed !== 'body' && skew === undefined)) return undefined;
      return { strength: 'strong', scheme: form.scheme, ...given({ secret_version: version, clock_skew_ms: skew }) };
    },
    fault({ headers }, settings, nowMs) {
      const { header, encoding, prefix, signed, timestamp_header, toleranceS } = fixed(settings);
      const value = headers[header];
      const digits = encoding === 'hex' ? 'hexadecimal digits' : 'base64';
      const form = prefix === '' ? digits : `\`${prefix}\` and ${digits}`;
      const made = madeOf(fixed(settings));
      const timed = signed !== 'body' && timestamp_header !== undefined;
      const time = timed && { header: timestamp_header, value: headers[timestamp_header], toleranceS };
      const signatures = entriesOf(value, prefix, encoding).length;
      return signatureFault({ ...{ header, value, form, made, signatures }, ...(time && { time }) }, nowMs);
    },
    sign(body, secret, settings, nowMs) {
      const { header, algorithm, encoding, prefix, signed, timestamp_header } = fixed(settings);
      const seconds = String(Math.floor(nowMs / 1000));
      const bytes = signed === 'body' ? body : joined(`${seconds}${signed === 'ts:body' ? ':' : '.'}`, body);
      const mac = createHmac(algorithm, secret).update(bytes).digest(encoding);
      const stamp = timestamp_header === undefined || signed === 'body' ? {} : { [timestamp_header]: seconds };
      return { [header]: prefix + mac, ...stamp };
    },
  };
}

type HmacSettings = ReturnType<typeof hmacOf>;

// The settings of a source, where the vendor does not fix them.
function hmacOf(form: HmacForm, settings: AuthSettings) {
  const timestamp_header = settings.timestamp_header?.toLowerCase();
  return {
    header: (settings.header ?? form.header).toLowerCase(),
    algorithm: form.algorithm ?? settings.algorithm ?? ('sha256' as const),
    encoding: form.encoding ?? settings.encoding ?? ('hex' as const),
    prefix: form.prefix ?? settings.prefix ?? '',
    signed: timestamp_header === undefined ? ('body' as const) : (form.signed ?? settings.signed ?? 'ts.body'),
    timestamp_header,
    toleranceS: settings.tolerance_s ?? defaultToleranceS,
  };
}

// Says how the sender makes the value of the header.
function madeOf({ algorithm, encoding, prefix, signed, timestamp_header }: HmacSettings): string {
  const start = prefix === '' ? '' : `\`${prefix}\` and `;
  const separator = signed === 'ts:body' ? 'a colon' : 'a dot';
  const bytes =
    signed === 'body' || timestamp_header === undefined
      ? 'the raw body'
      : `the text of the header \`${timestamp_header}\` (seconds since 1970), ${separator} and the raw body`;
  const digits = encoding === 'hex' ? 'hexadecimal digits' : 'base64';
  return `${start}the HMAC-${algorithm.toUpperCase()} of ${bytes} in ${digits}; the key is the secret of this source`;
}

function entriesOf(header: string | undefined, prefix: string, encoding: 'hex' | 'base64'): readonly Uint8Array[] {
  const decode = encoding === 'hex' ? fromHex : fromBase64;
  return (header ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => decode(entry.slice(prefix.length)))
    .filter((entry) => entry !== undefined);
}
