/** Headers of a request that change what a route does, as the OpenAPI document tells of them. */
export const requestHeaders = {
  'Idempotency-Key': {
    description: 'The same key with the same body is done once; the answer is kept for 24 hours',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': {
    description: 'Refused with 412 unless this matches the current version',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'Of a reading: 304 when the ETag is one of these; of a writing: 412 then; `*` is any ETag',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    description: 'Names the request in logs; the answer bears it',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
} as const;

/** The name of such a header. */
export type RequestHeader = keyof typeof requestHeaders;
