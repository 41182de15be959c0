import { holdsPart, requireAnyScope, type Principal } from '../../access.ts';
import { PlatformError, renewError } from '../../error.ts';
import type { Call, RequestInfo, Route } from '../route/route.ts';

/**
 * Refuses a caller that lacks the scope of a route, or of a narrowed scope each part: before its body is read. Throws 403
 * `insufficient_scope`.
 */
export function checkPart({ alsoNeeds, narrowed, scope, target }: Route, principal: Principal): void {
  if (scope === undefined) return;
  const partly = narrowed === true || target !== undefined;
  if (partly && holdsAny(principal, scope)) return;
  try {
    requireAnyScope(principal, scope);
  } catch (error) {
    if (alsoNeeds === undefined || !(error instanceof PlatformError)) throw error;
    throw renewError(error.code, `${error.message}; it must also have ${alsoNeeds}`, error.extensions);
  }
}

/** Refuses a caller that lacks the scope for what its request names. Throws 403 `insufficient_scope`. */
export function checkScope(
  { narrowed, scope, target }: Route,
  call: Call<never, never, never, never>,
  principal: Principal,
): void {
  if (scope === undefined || (narrowed === true && holdsAny(principal, scope))) return;
  requireAnyScope(principal, scope, target?.(call));
}

function holdsAny({ scopes }: Principal, scope: string | readonly string[]): boolean {
  return typeof scope === 'string' ? holdsPart(scopes, scope) : scope.some((one) => holdsPart(scopes, one));
}

/** Throws 403 `key_required` when the caller is known by a session alone: what follows takes the key itself. */
export function requireKey({ sessionToken }: Pick<RequestInfo, 'sessionToken'>): void {
  if (sessionToken === undefined) return;
  throw new PlatformError(
    'key_required',
    'this action needs the key, not a session: send the same request with Authorization: Bearer <key>, without the cookie',
  );
}
