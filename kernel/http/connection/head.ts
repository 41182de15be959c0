import type { IncomingMessage } from 'node:http';
import { PlatformError } from '../../error.ts';
import { randomFillSync } from 'node:crypto';
import type { Ids } from '../../tools/id.ts';

/**
 * Refuses a head that a proxy in front may have read differently: 400 without Host (HTTP/1.1), for two of Host,
 * Authorization or Content-Type; 501 for a Transfer-Encoding other than chunked.
 */
export function checkHead({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  let [hosts, authorizations, types] = [0, 0, 0];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // The lengths of the three names: other names need no comparison.
    if (name.length !== 4 && name.length !== 12 && name.length !== 13) continue;
    const lower = name.toLowerCase();
    if (lower === 'host') hosts += 1;
    else if (lower === 'authorization') authorizations += 1;
    else if (lower === 'content-type') types += 1;
  }
  // RFC 9112, 3.2.2.
  if (hosts > 1) throw twice('Host');
  if (authorizations > 1) throw twice('Authorization');
  if (types > 1) throw twice('Content-Type');
  if (hosts === 0 && httpVersion === '1.1')
    throw new PlatformError('malformed_request', 'HTTP/1.1 requires the header Host; send it');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw unknownCoding();
}

/** Makes the answer to a Transfer-Encoding that this program does not decode. */
export function unknownCoding(): PlatformError {
  return new PlatformError(
    'unsupported_coding',
    'the only supported Transfer-Encoding is chunked; send the body chunked',
  );
}

function twice(name: string): PlatformError {
  return new PlatformError('malformed_request', `send the header ${name} once`);
}

const ownId = /^[A-Za-z0-9._-]{1,128}$/;
// https://www.w3.org/TR/trace-context/#traceparent-header
const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Takes the caller's X-Request-Id when it has the allowed form, else makes one. */
export function requestId(header: string | string[] | undefined, ids: Ids): string {
  return typeof header === 'string' && ownId.test(header) ? header : ids('req');
}

/** Takes the caller's W3C traceparent when it is valid, else begins a trace. */
export function traceparent(header: string | string[] | undefined): string {
  return typeof header === 'string' && valid.test(header) ? header : begin();
}

const pool = Buffer.alloc(16 * 128);
let used = pool.length;

// One system call fills the pool for many requests. No span of a caller has this id: half of its trace's id tells that.
function begin(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const trace = pool.toString('hex', used, used + 16);
  used += 16;
  return `00-${trace}-${trace.slice(8, 24)}-01`;
}
