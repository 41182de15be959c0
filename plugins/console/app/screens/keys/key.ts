import { serverNow } from '../../frame/clock.ts';
import type { Key } from '../../frame/wire.ts';

/** Says how a key is. */
export function stateOf({ revoked_at, expires_at }: Key): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== undefined) return 'revoked';
  return expires_at !== undefined && Date.parse(expires_at) <= serverNow() ? 'expired' : 'active';
}
