import type { ProblemCode } from '../../error.ts';
import type { Route } from './route.ts';

/**
 * Lists the codes of the problems that a route can answer: those of every request, of routes of its kind, and its own.
 */
export function problemsOf(route: Route): readonly string[] {
  const { body, method, params, query, raw } = route;
  const keyed = route.public !== true;
  const reads = body !== undefined;
  const anyQuery = query === undefined && (raw === true || route.anyQuery === true);
  const kinds: readonly (readonly [boolean, ...ProblemCode[]])[] = [
    // The bytes of any request can be no valid HTTP, too slow, or too many before the body begins.
    [true, 'malformed_request', 'request_timeout', 'header_fields_too_large', 'internal'],
    [keyed, 'unauthenticated', 'insufficient_scope', 'tls_required', 'storage_unavailable'],
    [route.keyAgain === true, 'key_required'],
    [route.optionalKey === true, 'unauthenticated', 'tls_required', 'storage_unavailable'],
    [route.unlimited !== true, 'rate_limited', 'draining'],
    // A query that the route does not declare is refused, too.
    [params !== undefined || !anyQuery, 'invalid_parameter'],
    [reads || raw === true, 'unsupported_coding'],
    [reads, 'malformed_json', 'payload_too_large', 'unsupported_media_type', 'invalid_body', 'overloaded'],
    // Changes by a request with a key are written to the store, which may be full or overloaded.
    [keyed && method !== 'GET', 'storage_unavailable', 'overloaded'],
  ];
  const own = route.problems.map((problem) => (typeof problem === 'string' ? problem : problem.code));
  return [...new Set([...kinds.flatMap(([applies, ...codes]) => (applies ? codes : [])), ...own])];
}
