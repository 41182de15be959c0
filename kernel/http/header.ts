import type { ProblemCode } from '../error.ts';

/** A header of an answer, as the OpenAPI document describes it. */
export interface HeaderDescription {
  readonly description: string;
  readonly schema?: object;
}

const text = { type: 'string' } as const;

/** Headers that several routes send; the document describes the headers of every answer in one place. */
export const responseHeaders = {
  'RateLimit-Policy': { description: 'The limits that count here: `q` requests in `w` seconds', schema: text },
  RateLimit: { description: 'What is left of each limit: `r` requests, all back in `t` seconds', schema: text },
  'Retry-After': { description: 'Seconds to wait before the next try', schema: { type: 'integer' } },
  'X-Should-Retry': {
    description:
      '`false`: the same request must not be sent again; `true`: it may be, after Retry-After if that is given',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'WWW-Authenticate': { description: 'How to authenticate, and the scope that is needed (RFC 6750)', schema: text },
  Allow: { description: 'Methods that the path takes', schema: text },
  'Accept-Encoding': { description: 'The content codings that are taken', schema: text },
  ETag: { description: 'Names this very state; send it as If-None-Match or If-Match', schema: text },
  Link: { description: 'Addresses of other pages of the list, by `rel` (RFC 8288)', schema: text },
  Location: { description: 'Address of the new resource', schema: text },
  'X-Total-Count': { description: 'Number of items on all pages', schema: { type: 'integer' } },
  'Content-Disposition': { description: 'The name under which to save the file', schema: text },
  'Preference-Applied': { description: 'What was preferred (RFC 7240)', schema: text },
  'Idempotent-Replayed': {
    description: '`true`: this is the stored answer of the first request with the same Idempotency-Key',
    schema: text,
  },
} as const satisfies Readonly<Record<string, HeaderDescription>>;

/** The name of a response header. */
export type ResponseHeader = keyof typeof responseHeaders;

const limited: readonly ResponseHeader[] = ['RateLimit-Policy', 'RateLimit'];

const ofProblems: Partial<Record<ProblemCode, readonly ResponseHeader[]>> = {
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
export const requestHeaders = {
  'Idempotency-Key': {
    description: 'The same key with the same body is done once; the answer is kept for 24 hours',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Prefer: {
    description: '`respond-async`: 202, the run waits for its turn; `wait=5`: after 5 s',
    schema: { type: 'string' },
  },
  'If-Match': {
    description: 'Refused with 412 unless this matches the current version',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'Of a reading: 304 when the ETag is one of these; of a writing: 412 then; `*` is any ETag',
    schema: { type: 'string' },
  },
  'Last-Event-ID': { description: 'Id of the last event that was read: go on after it', schema: { type: 'string' } },
  'X-Request-Id': {
    description:
      'Names the request in logs, and the answer bears it: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is ' +
      'replaced by an id of the server',
    schema: { type: 'string' },
  },
} as const;

/** The name of a request header. */
export type RequestHeader = keyof typeof requestHeaders;
