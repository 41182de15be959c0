import type { ProviderError } from '../../../kernel/adapter.ts';
import type { PushMessage } from './message.ts';

/** A message as it fits into the limit of a vendor. */
export interface Fitted {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/**
 * Encodes a message in at most `most` bytes. A longer one is refused by `refusal`, or its body is cut between two
 * characters, as a reader sees them, if the caller allows it: always before it is encoded.
 */
export function fitted(
  message: PushMessage,
  encode: (body: string) => Buffer,
  { most, refusal }: { readonly most: number; readonly refusal: () => ProviderError },
): Fitted {
  const bytes = encode(message.body);
  if (bytes.length <= most) return { bytes, truncated: false };
  if (message.overflow === 'reject') throw refusal();
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(message.body)];
  const cut = (count: number): Buffer => encode(`${message.body.slice(0, characters[count]?.index).trimEnd()}…`);
  let [fits, over] = [0, characters.length];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (cut(middle).length <= most) fits = middle;
    else over = middle;
  }
  const shortest = cut(fits);
  if (shortest.length > most) throw refusal();
  return { bytes: shortest, truncated: true };
}

/** The outputs of an accepted message. */
export function outputsOf(message_id: string, { truncated }: Pick<Fitted, 'truncated'>): Record<string, unknown> {
  return { message_id, status: 'accepted', ...(truncated && { truncated }) };
}
