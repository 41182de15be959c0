/** A header of an answer, as the OpenAPI document describes it. */
export interface HeaderDescription {
  readonly description: string;
  readonly schema?: object;
}

/** The name of a response header that several routes send; the OpenAPI document describes it once. */
export type ResponseHeader =
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'Retry-After'
  | 'X-Should-Retry'
  | 'WWW-Authenticate'
  | 'Allow'
  | 'Accept-Encoding'
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'X-Total-Count'
  | 'Content-Disposition'
  | 'Preference-Applied'
  | 'Idempotent-Replayed';

/** The name of a request header that changes what a route does. */
export type RequestHeader = Condition | 'Idempotency-Key' | 'Prefer' | 'Last-Event-ID' | 'X-Request-Id';
type Condition = 'If-Match' | 'If-None-Match';
