import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Encoding } from '../request/inputs.ts';

/** A body without its content coding. `whole`: neither cut by the cap nor broken; `broken`: it cannot be decoded. */
export interface Decoded {
  readonly bytes: Buffer;
  readonly whole: boolean;
  readonly broken: boolean;
}

/** Content codings that we request and decode; other codings are passed on unchanged. */
export const acceptEncoding = 'gzip, deflate, br';

// A truncated body is decoded as far as possible.
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

const decoders = {
  gzip: () => createGunzip(lenient),
  'x-gzip': () => createGunzip(lenient),
  deflate: () => createInflate(lenient),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
} as const;

/** Says whether we decode a content coding. Only a single one: stacked codings serve decompression bombs. */
export function isDecodable(coding: string | undefined): coding is keyof typeof decoders {
  return coding !== undefined && Object.hasOwn(decoders, coding);
}

/** Decodes a content coding and stops at `maxBytes`, so that a decompression bomb costs no more than another body. */
export async function decode(body: Buffer, coding: keyof typeof decoders, maxBytes: number): Promise<Decoded> {
  const chunks: Buffer[] = [];
  let length = 0;
  const decoder = decoders[coding]();
  const source = Readable.from([body]);
  try {
    for await (const chunk of source.pipe(decoder) as AsyncIterable<Buffer>) {
      const room = maxBytes - length;
      chunks.push(chunk.subarray(0, room));
      length += Math.min(chunk.length, room);
      if (chunk.length > room) return { bytes: Buffer.concat(chunks), whole: false, broken: false };
    }
    return { bytes: Buffer.concat(chunks), whole: true, broken: false };
  } catch {
    return { bytes: Buffer.concat(chunks), whole: false, broken: true };
  }
}

/** Encodes bytes as text without loss. Drops an incomplete last character of a cut body. */
export function bodyText(bytes: Buffer, whole: boolean): { readonly body: string; readonly encoding: Encoding } {
  for (let dropped = 0; dropped <= (whole ? 0 : 3); dropped += 1) {
    const kept = bytes.subarray(0, Math.max(0, bytes.length - dropped));
    if (isUtf8(kept)) return { body: kept.toString('utf8'), encoding: 'utf8' };
  }
  return { body: bytes.toString('base64'), encoding: 'base64' };
}
