import type { Mailbox } from '../message/address.ts';
import type { MessageAttachment } from '../message/message.ts';

/** The name under which our key travels with a message, so that the vendor's delivery reports hold it. */
export const keyMember = 'orb_key';

/** Writes a mailbox as RFC 5322 text; quotes the name where needed. */
export function mailboxText({ name, address }: Mailbox): string {
  if (name === '') return address;
  const plain = /^[\p{L}\p{N}\p{M} !#$%&'*+/=?^_`{|}~-]+$/u.test(name);
  return `${plain ? name : `"${name.replaceAll(/["\\]/gu, '\\$&')}"`} <${address}>`;
}

/** Writes mailboxes as one RFC 5322 address list. */
export function mailboxList(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(mailboxText).join(', ');
}

/** Returns the media type of an attachment; never guesses it from the name. */
export function mediaType({ content_type }: MessageAttachment): string {
  return content_type ?? 'application/octet-stream';
}

/** Returns `{[name]: list}`, or `{}` for an empty list, because vendors refuse empty lists. */
export function unlessEmpty<const N extends string, T, S>(
  name: N,
  list: readonly T[],
  shown: (item: T) => S,
): { [K in N]?: readonly S[] } {
  return list.length === 0 ? {} : ({ [name]: list.map(shown) as readonly S[] } as { [K in N]: readonly S[] });
}
