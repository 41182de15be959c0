import { gunzipSync, gzipSync } from 'node:zlib';
import { dayAfter, midnightOf } from './day.ts';

/** The meaning of a set bit in a list. Revocation is final, suspension is not. */
export const purposes = ['revocation', 'suspension'] as const;
/** The meaning of a set bit in a list. */
export type Purpose = (typeof purposes)[number];

/** The place of one certificate in one list. */
export interface Entry {
  /** Number of the list, from 1. */
  readonly list: number;
  readonly index: number;
}

/** Entries of a list: the smallest number that hides a holder among others (Bitstring Status List §6.1). */
export const listLength = 131_072;
/** How long a verifier may keep a list, milliseconds. */
export const listTtlMs = 300_000;

/** Answers the number of the list with this purpose in a pair; pairs count from 0 and have one list per purpose. */
export function listOf(purpose: Purpose, pair: number): number {
  return 2 * pair + purposes.indexOf(purpose) + 1;
}

/** Says what the bits of a list mean. */
export function purposeOf(list: number): Purpose {
  return list % 2 === 1 ? 'revocation' : 'suspension';
}

/** Answers the address of a list. */
export function listUrl(publicUrl: string, list: number): string {
  return `${publicUrl}/status-lists/${list}`;
}

/** Encodes a list in which these indices are set: GZIP, then multibase base64url. */
export function encodeList(set: readonly number[]): string {
  const bytes = new Uint8Array(listLength / 8);
  for (const index of set) {
    if (!Number.isInteger(index) || index < 0 || index >= listLength) throw new RangeError(`no entry ${index}`);
    // The first entry is the leftmost bit.
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7));
  }
  return `u${gzipSync(bytes, { level: 9 }).toString('base64url')}`;
}

// A longer list is still readable, up to 1 MiB: the limit prevents a small text from filling the memory.
const largestList = 1_048_576;

/** Decodes a list; undefined when the text is not a list or the list is shorter than the minimum. */
export function decodeList(encoded: string): Uint8Array | undefined {
  if (!/^u[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  try {
    const bytes = gunzipSync(Buffer.from(encoded.slice(1), 'base64url'), { maxOutputLength: largestList });
    return bytes.length * 8 < listLength ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Says whether an entry is set; undefined when the index is beyond the end of the list. */
export function isSet(list: Uint8Array, index: number): boolean | undefined {
  const byte = list[index >> 3];
  return byte === undefined ? undefined : (byte & (0x80 >> (index & 7))) !== 0;
}

/** The values a list is published with. */
interface ListParts {
  readonly publicUrl: string;
  readonly list: number;
  readonly issuer: { readonly id: string; readonly name: string };
  /** Day on which it is signed; it is good until the end of the next. */
  readonly day: string;
  readonly set: readonly number[];
}

/** Builds the credential of a list, before it is signed. */
export function listCredential({ publicUrl, list, issuer, day, set }: ListParts) {
  const url = listUrl(publicUrl, list);
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer,
    validFrom: midnightOf(day),
    validUntil: midnightOf(dayAfter(day, 2)),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purposeOf(list),
      encodedList: encodeList(set),
      ttl: listTtlMs,
    },
  } as const;
}
