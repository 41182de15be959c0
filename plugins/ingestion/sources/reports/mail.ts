import { createHash } from 'node:crypto';

/** The name of the member with our key in messages and reports, as the adapters of e-mail write it. */
export const keyMember = 'orb_key';

/** Names one of several recipients in a report, without the address itself. */
export function recipientPart(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return createHash('sha256').update(address.toLowerCase()).digest('hex').slice(0, 16);
}
