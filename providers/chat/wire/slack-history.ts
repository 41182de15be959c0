import { ProviderError } from '../../../kernel/adapter.ts';
import { member, textMember } from '../../vendor/http/json.ts';

/** Where a message was sent whose answer was lost, and when, ms. */
export interface Place {
  readonly channel: string;
  readonly thread: string | undefined;
  readonly at: number;
}

/** Reads a page of messages: calls a method of Slack's Web API. Throws ProviderError for an answer that is not `ok`. */
export type Read = (method: string, query: Readonly<Record<string, string>>) => Promise<unknown>;

const eventType = 'orb_run';
const perPage = 200;
const mostPages = 10;
// Clocks differ.
const earlierS = 300;
// A request whose answer was lost may still be under way at Slack.
const underWayMs = 60_000;

/** Makes the metadata by which a message is found again. */
export function metadataOf(key: string, cut: { readonly truncated?: true }): object {
  return { event_type: eventType, event_payload: { key, ...cut } };
}

/**
 * Finds a message by its key. Only the app itself can set metadata of its messages, so that a hit is proof. Returns
 * undefined when it proves that the message is absent. Throws ProviderError `unknown` when it cannot be known: history
 * lists no answers in threads, so the place must be known to prove absence.
 */
export async function findMessage(
  key: string,
  {
    channels,
    place,
    read,
  }: { readonly channels: readonly string[]; readonly place: Place | undefined; readonly read: Read },
): Promise<Record<string, unknown> | undefined> {
  if (place !== undefined) {
    const found = await inPlace(key, place, read);
    if (found !== undefined) return found;
    if (Date.now() - place.at < underWayMs) throw unknown('Slack may still take the message');
    return undefined;
  }
  for (const channel of new Set(channels)) {
    const page = await read('conversations.history', pageOf(channel));
    const found = messageOf(page, key, channel);
    if (found !== undefined) return found;
  }
  throw unknown('the newest messages of `channels` do not include the message');
}

async function inPlace(key: string, { at, channel, thread }: Place, read: Read) {
  const method = thread === undefined ? 'conversations.history' : 'conversations.replies';
  const since = { oldest: String(Math.floor(at / 1000) - earlierS), ...(thread === undefined ? {} : { ts: thread }) };
  let cursor = '';
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await read(method, { ...pageOf(channel), ...since, ...(cursor === '' ? {} : { cursor }) });
    const found = messageOf(answer, key, channel);
    if (found !== undefined) return found;
    cursor = textMember(member(answer, 'response_metadata'), 'next_cursor') ?? '';
    if (cursor === '') return undefined;
  }
  throw unknown('the channel has too many newer messages');
}

const pageOf = (channel: string) => ({ channel, include_all_metadata: 'true', limit: String(perPage) });

function messageOf(page: unknown, key: string, channel: string): Record<string, unknown> | undefined {
  const messages = member(page, 'messages');
  if (!Array.isArray(messages)) throw unknown('Slack responded without messages');
  for (const message of messages as readonly unknown[]) {
    const metadata = member(message, 'metadata');
    const payload = member(metadata, 'event_payload');
    const ts = textMember(message, 'ts');
    if (member(metadata, 'event_type') !== eventType || member(payload, 'key') !== key || ts === undefined) continue;
    return outputsOf({ channel, ts, thread: textMember(message, 'thread_ts') }, member(payload, 'truncated') === true);
  }
  return undefined;
}

/** Makes the outputs of a posted message. */
export function outputsOf(
  { channel, thread, ts }: { readonly channel: string; readonly ts: string; readonly thread: string | undefined },
  truncated: boolean,
): Record<string, unknown> {
  return { message_id: ts, channel, thread: thread ?? ts, delivery: 'posted', ...(truncated ? { truncated } : {}) };
}

function unknown(text: string): ProviderError {
  return new ProviderError('unknown', text, { phase: 'lookup' });
}
