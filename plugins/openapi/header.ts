import type { HeaderDescription, RequestHeader, ResponseHeader } from '../../kernel/index.ts';

const text = { type: 'string' } as const;

/** Headers that several routes send; the document describes the headers of every answer in one place. */
export const responseHeaders: Readonly<Record<ResponseHeader, HeaderDescription>> = {
  'RateLimit-Policy': { description: 'The rate limits that apply: `q` requests in `w` seconds', schema: text },
  RateLimit: {
    description: 'The remaining quota of each limit: `r` requests; full again in `t` seconds',
    schema: text,
  },
  'Retry-After': { description: 'Seconds to wait before the next request', schema: { type: 'integer' } },
  'X-Should-Retry': {
    description: '`false`: do not send the same request again; `true`: you may, after Retry-After if it is present',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'WWW-Authenticate': { description: 'How to authenticate, and the required scope (RFC 6750)', schema: text },
  Allow: { description: 'Methods that the path supports', schema: text },
  'Accept-Encoding': { description: 'Accepted content codings', schema: text },
  ETag: { description: 'Version of the resource; send it as If-None-Match or If-Match', schema: text },
  Link: { description: 'URLs of other pages of the list, by `rel` (RFC 8288)', schema: text },
  Location: { description: 'URL of the new resource', schema: text },
  'X-Total-Count': { description: 'Total number of items', schema: { type: 'integer' } },
  'Content-Disposition': { description: 'File name for saving', schema: text },
  'Preference-Applied': { description: 'The preferences that were applied (RFC 7240)', schema: text },
  'Idempotent-Replayed': {
    description: '`true`: this is the stored answer to the first request with the same Idempotency-Key',
    schema: text,
  },
};

const limited: readonly ResponseHeader[] = ['RateLimit-Policy', 'RateLimit'];

const ofProblems: Readonly<Record<string, readonly ResponseHeader[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  unsupported_media_type: ['Accept-Encoding'],
  idempotency_in_progress: ['Retry-After'],
  queue_full: ['Retry-After'],
  rate_limited: ['Retry-After', ...limited],
  draining: ['Retry-After'],
  overloaded: ['Retry-After'],
  storage_unavailable: ['Retry-After'],
};

/** The header that every problem has. */
export const problemHeader: ResponseHeader = 'X-Should-Retry';

/** Further headers that come with a problem of a code. */
export const problemHeaders: ReadonlyMap<string, readonly ResponseHeader[]> = new Map(Object.entries(ofProblems));

/** Headers of a request that change what a route does, as the OpenAPI document describes them. */
export const requestHeaders: Readonly<Record<RequestHeader, HeaderDescription>> = {
  'Idempotency-Key': {
    description: 'Requests with the same key and body are executed once; the answer is kept for 24 hours',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Prefer: {
    description: '`respond-async`: answer 202 at once and queue the run; with `wait=5`: after 5 s',
    schema: { type: 'string' },
  },
  'If-Match': {
    description: 'Refused with 412 unless this matches the current version',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'If the ETag is one of these: a read answers 304, a write answers 412; `*` is any ETag',
    schema: { type: 'string' },
  },
  'Last-Event-ID': {
    description: 'Id of the last event that was received: the stream continues after it',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    description:
      'Id of the request in logs and in the answer: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is ' +
      'replaced by an id of the server',
    schema: { type: 'string' },
  },
};
