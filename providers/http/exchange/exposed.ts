// Headers of an answer that the caller may see, in lower case. Never add a cookie header.
const exposedHeaders: readonly string[] = [
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'expires',
  'idempotency-replayed',
  'idempotent-replayed',
  'last-modified',
  'link',
  'location',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'request-id',
  'retry-after',
  'sunset',
  'vary',
  'x-correlation-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-total-count',
];

/** Returns the headers of an answer that the caller may see. */
export function exposed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    exposedHeaders.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
