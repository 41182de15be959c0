import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { PlatformError } from '../../error.ts';
import type { MaybePromise } from '../../access.ts';
import { emptyJson, nulDetail, nulIn, parseJsonBytes } from './json.ts';

/** Largest body in bytes, unless a reader is given another limit. */
export const defaultLimit = 1024 * 1024;

/** How many bytes beyond the limit are read and dropped, so that the client can read its 413. */
const lingering = 8 * 1024 * 1024;

/** Most members, objects and arrays of a JSON body together. */
const mostParts = 50_000;

const escapedNul = Buffer.from('\\u0000');

/**
 * Parses the bytes of a JSON body as `parseJsonBytes` does; also throws 400 `malformed_json` for U+0000 in it, and for
 * more than 50,000 members, objects and arrays.
 */
export function parseBody(bytes: Buffer): unknown {
  const value = parseJsonBytes(bytes, mostParts);
  const fault = bytes.includes(escapedNul) ? nulIn(value) : undefined;
  if (fault === undefined) return value;
  throw new PlatformError('malformed_json', `${fault.pointer} ${fault.detail}`, { errors: [fault] });
}

/**
 * Reads a JSON body without parsing it. Throws 415 for another media type or encoding, 413 above the limit, 400
 * `malformed_json` for an empty body, 400 `malformed_request` when the client goes away meanwhile.
 */
export function readJsonBytes(req: IncomingMessage, limit: number = defaultLimit): MaybePromise<Buffer> {
  const length = req.headers['content-length'];
  if (length === '0' || (length === undefined && req.headers['transfer-encoding'] === undefined)) throw emptyJson();
  acceptMediaType(req.headers['content-type']);
  acceptEncoding(req.headers['content-encoding']);
  return takeBuffered(req, length, limit) ?? readBytes(req, limit);
}

/** Reads a text/plain body, at most 1 MiB. Throws 413, 415 for an encoding, 400 `malformed_request` for bad UTF-8 and U+0000. */
export async function readText(req: IncomingMessage): Promise<string> {
  acceptEncoding(req.headers['content-encoding']);
  const bytes = await readBytes(req);
  if (!isUtf8(bytes)) throw new PlatformError('malformed_request', 'the text is not valid UTF-8; encode it as UTF-8');
  if (bytes.includes(0)) throw new PlatformError('malformed_request', `the text ${nulDetail}`);
  return bytes.toString('utf8');
}

/** Says whether a body is plain text. */
export function isText(contentType: string | undefined): boolean {
  return /^text\/plain\s*(;|$)/i.test(contentType ?? '');
}

function acceptMediaType(header: string | undefined): void {
  if (header === 'application/json') return;
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json' && !/^application\/[a-z0-9!#$&^_.-]+\+json$/.test(type)) {
    throw new PlatformError('unsupported_media_type', 'send the body as JSON with Content-Type: application/json');
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new PlatformError('unsupported_media_type', 'JSON must be encoded as UTF-8; send the body as UTF-8');
  }
}

function acceptEncoding(header: string | undefined): void {
  if (header === undefined || header === '' || header.toLowerCase() === 'identity') return;
  throw new PlatformError('unsupported_media_type', 'send the body without Content-Encoding', {
    headers: { 'Accept-Encoding': 'identity' },
  });
}

// By the time authentication has answered, a small body has usually arrived in one chunk: no listener, no waiting.
function takeBuffered(req: IncomingMessage, length: string | undefined, limit: number): Buffer | undefined {
  if (length === undefined || req.readableLength !== Number(length) || req.readableLength > limit) return undefined;
  const chunk = req.read() as Buffer | null;
  return chunk ?? undefined;
}

/**
 * Reads the raw body. Throws 413 above the limit, by the declared length at once, else while it streams; 400
 * `malformed_request` when the client goes away, or went before.
 */
export async function readBytes(req: IncomingMessage, limit: number = defaultLimit): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(req, limit);
  // The client left while it was authenticated: no event will come.
  if (req.destroyed) throw cutShort();
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const gone = (): void => reject(cutShort());
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      req.off('data', take);
      reject(tooLarge(req, limit));
    };
    req.on('data', take).once('end', resolve).once('error', gone).once('close', gone);
  });
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

function cutShort(): PlatformError {
  return new PlatformError('malformed_request', 'the body is shorter than its Content-Length');
}

// If a socket is closed with unread bytes, it is reset, and the client may never see the answer. So the rest is read
// and dropped up to a bound, and the connection stays usable; beyond the bound it is cut.
function tooLarge(req: IncomingMessage, limit: number): PlatformError {
  let dropped = 0;
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingering) req.destroy();
  });
  req.once('error', () => undefined);
  return new PlatformError('payload_too_large', `the body is larger than the limit of ${limit} bytes; send less`);
}
