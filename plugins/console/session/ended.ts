import { timestamp } from '../../../kernel/index.ts';
import type { StoredLink, StoredSession } from '../store.ts';
import { lasts } from './lasts.ts';

const again = 'sign in again';
const another = 'make another one with `orb console open`, or sign in with a key';

/** What is said of a session that is not stored any more. */
export const sessionOver = `the session of this browser has ended: it lasts 12 hours, and 30 minutes without use, or its user signed out; ${again}`;

/** Says why a stored session is over; `hasKey`: its key is in force. */
export function sessionFault({ created_at, used_at }: StoredSession, now: number, hasKey: boolean): string {
  if (Math.abs(now - created_at) >= lasts.session) return `the session ended 12 hours after it began; ${again}`;
  if (Math.abs(now - used_at) >= lasts.idle) return `the session ended after 30 minutes without use; ${again}`;
  return hasKey
    ? sessionOver
    : 'the session ended because its key was revoked or has expired; sign in with another key';
}

/** Says why a link signs nobody in: `used` is when it was used, ms since 1970; `hasKey`: its key is in force. */
export function linkFault(
  link: Pick<StoredLink, 'ends_at'> | undefined,
  used: number | undefined,
  { now, hasKey }: { readonly now: number; readonly hasKey: boolean },
): string {
  if (used !== undefined)
    return `the link was used at ${timestamp(used)}, and it works once; ${another}. If you did not use it, revoke its key`;
  if (link === undefined) return `the link is unknown here, or a newer link of its key replaced it; ${another}`;
  if (now >= link.ends_at) return `the link expired at ${timestamp(link.ends_at)}: it works for a minute; ${another}`;
  return hasKey
    ? `the link was just used; ${another}`
    : 'the key of the link was revoked or has expired; use another key';
}
