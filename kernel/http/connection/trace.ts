import { randomFillSync } from 'node:crypto';
import type { Ids } from '../../tools/id.ts';

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

const pool = Buffer.alloc(24 * 128);
let used = pool.length;

// One system call fills the pool for many requests.
function begin(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const trace = pool.toString('hex', used, used + 16);
  const span = pool.toString('hex', used + 16, used + 24);
  used += 24;
  return `00-${trace}-${span}-01`;
}
