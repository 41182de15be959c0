import { promisify } from 'node:util';
import { gunzip, inflate as inflateZlib } from 'node:zlib';
import { PlatformError } from '../../../../kernel/index.ts';
import { Undecodable } from './undecodable.ts';

const ways: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflateZlib),
};

/** Below this size any compression ratio is allowed. */
const harmlessBytes = 64 * 1024;
const mostRatio = 100;

/**
 * Inflates gzip and deflate. Throws 413 beyond `limit` bytes, or beyond 100 : 1 above 64 KiB; throws Undecodable for
 * other encodings and broken data. Brotli is never inflated: 93 bytes of it can become 50 MB.
 */
export async function inflated(bytes: Uint8Array, encoding: string | undefined, limit: number): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return bytes;
  const way = Object.hasOwn(ways, name) ? ways[name] : undefined;
  if (way === undefined) throw new Undecodable('content_encoding', 'the Content-Encoding is neither gzip nor deflate');
  const most = Math.min(limit, Math.max(harmlessBytes, bytes.length * mostRatio));
  try {
    return await way(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new PlatformError('payload_too_large', `the inflated body is larger than ${most} bytes; send less`);
    throw new Undecodable('content_encoding', `the body is not ${name}`);
  }
}
