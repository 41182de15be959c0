import type { ProblemCode } from '../../error.ts';
import type { Route } from './route.ts';

/**
 * Lists the codes of the problems that a route can answer: those of every request, of routes of its kind, and its own.
 */
export function problemsOf(route: Route): readonly string[] {
  const own = route.problems.map((problem) => (typeof problem === 'string' ? problem : problem.code));
  const codes = [...always, ...ofAccess(route), ...ofReading(route), ...ofWriting(route), ...own];
  return [...new Set(codes)];
}

// The bytes of any request can be no valid HTTP, too slow, or too many before the body begins.
const always: readonly ProblemCode[] = ['malformed_request', 'request_timeout', 'header_fields_too_large', 'internal'];

function ofAccess(route: Route): readonly ProblemCode[] {
  const codes: ProblemCode[] = [];
  if (route.public !== true) codes.push('unauthenticated', 'insufficient_scope', 'tls_required', 'storage_unavailable');
  if (route.keyAgain === true) codes.push('key_required');
  if (route.optionalKey === true) codes.push('unauthenticated', 'tls_required', 'storage_unavailable');
  if (route.unlimited !== true) codes.push('rate_limited', 'draining');
  return codes;
}

function ofReading(route: Route): readonly ProblemCode[] {
  const codes: ProblemCode[] = [];
  // A query that the route does not declare is refused, too.
  const anyQuery = route.query === undefined && (route.raw === true || route.anyQuery === true);
  if (route.params !== undefined || !anyQuery) codes.push('invalid_parameter');
  if (route.body !== undefined || route.raw === true) codes.push('unsupported_coding');
  if (route.body !== undefined)
    codes.push('malformed_json', 'payload_too_large', 'unsupported_media_type', 'invalid_body', 'overloaded');
  return codes;
}

// Changes by a request with a key are written to the store, which may be full or overloaded.
function ofWriting({ method, public: open }: Route): readonly ProblemCode[] {
  return method === 'GET' || open === true ? [] : ['storage_unavailable', 'overloaded'];
}
