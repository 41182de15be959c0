import { timestamp } from '../../../kernel/index.ts';
import type { StoredLink, StoredSession } from '../store.ts';
import { lasts } from './lifetime.ts';

const again = 'sign in again';
const another = 'create a new one with `orb console open`, or sign in with a key';

/** The reason for a session that is no longer stored. */
export const sessionOver = `the session of this browser has ended: a session lasts 12 hours, or 30 minutes without use, or until its user signs out; ${again}`;

/** Says why a stored session is over; `hasKey`: its key is valid. */
export function sessionFault({ created_at, used_at }: StoredSession, now: number, hasKey: boolean): string {
  if (Math.abs(now - created_at) >= lasts.session)
    return `the session ended, because a session lasts at most 12 hours; ${again}`;
  if (Math.abs(now - used_at) >= lasts.idle) return `the session ended after 30 minutes without use; ${again}`;
  return hasKey
    ? sessionOver
    : 'the session ended because its key was revoked or has expired; sign in with another key';
}

/** Says why a link cannot sign in: `used` is when it was used, ms since 1970; `hasKey`: its key is valid. */
export function linkFault(
  link: Pick<StoredLink, 'ends_at'> | undefined,
  used: number | undefined,
  { now, hasKey }: { readonly now: number; readonly hasKey: boolean },
): string {
  if (used !== undefined)
    return `the link was used at ${timestamp(used)}; a link works only once; ${another}. If you did not use it, revoke its key`;
  if (link === undefined) return `the link is unknown, or a newer link of the same key replaced it; ${another}`;
  if (now >= link.ends_at)
    return `the link expired at ${timestamp(link.ends_at)}; a link works for one minute; ${another}`;
  return hasKey
    ? `the link was just used; ${another}`
    : 'the key of the link was revoked or has expired; use another key';
}
