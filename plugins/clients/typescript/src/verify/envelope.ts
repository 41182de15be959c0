import { isObject } from './object.ts';
import { decodeAnyBase64, type Bytes } from './base64.ts';
import { isSigned, joined, utf8, type Ed25519 } from './bytes.ts';
import type { Key } from './keys.ts';

/** A check: it passed, failed, or could not be made (undefined). */
export type Check = readonly [name: string, passed: boolean | undefined, detail?: string];

/** What verifies. */
export interface Ways {
  readonly keys: readonly Key[];
  readonly ed25519: Ed25519;
}

const mostSignatures = 16;

/** A DSSE envelope, decoded. */
export type Envelope = NonNullable<ReturnType<typeof envelopeOf>>;

/** Reads an envelope with strict base64; undefined when it is malformed. */
export function envelopeOf(value: unknown) {
  if (!isObject(value) || !Array.isArray(value['signatures'])) return undefined;
  const { payloadType: type, signatures: listed } = value;
  const payload = decodeAnyBase64(value['payload']);
  const signatures = (listed as readonly unknown[]).flatMap((one) => {
    const { keyid, sig } = isObject(one) ? one : {};
    const bytes = decodeAnyBase64(sig);
    return bytes === undefined || !/undefined|string/.test(typeof keyid) ? [] : [{ keyid, bytes }];
  });
  const isWhole = signatures.length === (listed as readonly unknown[]).length && signatures.length <= mostSignatures;
  if (typeof type !== 'string' || payload === undefined || signatures.length === 0 || !isWhole) return undefined;
  return { type, payload, signatures };
}

type Signed = { readonly checks: readonly Check[]; readonly key?: Key; readonly signature?: Bytes };

/** Finds the signature of a trusted key; the checks are `envelope` and `key_trusted`. */
export async function signatureOf({ payload, signatures, type }: Envelope, { ed25519, keys }: Ways): Promise<Signed> {
  const message = joined(utf8(`DSSEv1 ${utf8(type).length} ${type} ${payload.length} `), payload);
  // A key id only says which keys to try (DSSE).
  const tries = signatures.flatMap(({ bytes, keyid }) =>
    keys.flatMap((key) => {
      const fits = key.isReceipt && key.isConsistent && (keyid === undefined || keyid === key.kid);
      return fits ? [{ key, signature: bytes }] : [];
    }),
  );
  const passed: readonly Check[] = ['envelope', 'key_trusted'].map((name) => [name, true]);
  for (const { key, signature } of tries)
    if (await isSigned(key.publicKey, message, signature, ed25519)) return { checks: passed, key, signature };
  const isTried = tries.length > 0;
  const detail = 'the key that signed is not among the pinned receipt keys, or does not match its key id';
  const signed: Check = ['envelope', isTried ? false : undefined, 'no trusted key signed the payload'];
  return { checks: [signed, ['key_trusted', isTried, detail]] };
}
