import { PlatformError } from '../../error.ts';
import type { RequestInfo } from '../route/route.ts';

/** Throws 403 `key_required` when the caller is known by a session alone: what follows takes the key itself. */
export function requireKey({ sessionToken }: Pick<RequestInfo, 'sessionToken'>): void {
  if (sessionToken === undefined) return;
  throw new PlatformError(
    'key_required',
    'this action needs the key, not a session: send the same request with Authorization: Bearer <key>, without the cookie',
  );
}
