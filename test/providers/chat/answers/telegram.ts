import type { RejectedReason } from '../../../../kernel/adapter.ts';
import type { TimedAnswer } from '../doubles/bed.ts';

/** Where the form of the answers, and their texts, are documented, and when they were read. */
export const source = 'core.telegram.org/bots/api#making-requests, tdlib/telegram-bot-api Client.cpp, 2026-08-20';

type Row = readonly [
  name: string,
  status: number,
  description: string,
  outcome: TimedAnswer['outcome'],
  reason?: RejectedReason,
];

const rows: readonly Row[] = [
  ['an unknown chat', 400, 'Bad Request: chat not found', 'rejected', 'recipient_unknown'],
  ['too long a text', 400, 'Bad Request: message is too long', 'rejected', 'content_too_long'],
  ['an empty text', 400, 'Bad Request: message text is empty', 'rejected', 'content_refused'],
  ['entities that do not fit', 400, "Bad Request: can't parse entities: no Object", 'rejected', 'content_refused'],
  ['a reply to nothing', 400, 'Bad Request: message to be replied not found', 'rejected'],
  ['a topic that is gone', 400, 'Bad Request: message thread not found', 'rejected'],
  ['no right to send', 400, 'Bad Request: not enough rights to send text messages', 'rejected', 'sender_refused'],
  ['no rights', 400, 'Bad Request: have no rights to send a message', 'rejected', 'sender_refused'],
  ['no right to write', 400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'rejected', 'sender_refused'],
  ['a request that it cannot read', 400, 'Bad Request: what does ada@example.org mean', 'rejected'],
  ['a user who blocked the bot', 403, 'Forbidden: bot was blocked by the user', 'rejected', 'recipient_blocked'],
  ['a user who is gone', 403, 'Forbidden: user is deactivated', 'rejected', 'recipient_gone'],
  ['a group that is gone', 403, 'Forbidden: the group chat was deleted', 'rejected', 'recipient_gone'],
  ['a group without the bot', 403, 'Forbidden: bot was kicked from the supergroup chat', 'rejected', 'sender_refused'],
  ['a channel without it', 403, 'Forbidden: bot is not a member of the channel chat', 'rejected', 'sender_refused'],
  ['a stranger', 403, "Forbidden: bot can't initiate conversation with a user", 'rejected', 'sender_refused'],
  ['another bot', 403, "Forbidden: bot can't send messages to bots", 'rejected', 'sender_refused'],
  ['a refusal that is new', 403, 'Forbidden: not on a Sunday', 'rejected'],
  ['a revoked token', 401, 'Unauthorized', 'provider_fault'],
  ['a token that never was', 404, 'Not Found', 'provider_fault'],
  ['a rate limit without a time', 429, 'Too Many Requests', 'throttled'],
  ['its own fault', 500, 'Internal Server Error', 'unknown'],
  ['no server behind the gateway', 502, 'Bad Gateway', 'unknown'],
];

/** Makes an answer without success as the API does. */
export function failed(status: number, description: string, parameters?: object): TimedAnswer['reply'] {
  return { status, body: { ok: false, error_code: status, description, ...(parameters && { parameters }) } };
}

/** The documented answers. */
export const answers: readonly TimedAnswer[] = [
  ...rows.map(([name, status, description, outcome, reason]) => ({
    name,
    reply: failed(status, description),
    outcome,
    reason,
  })),
  {
    name: 'a group that became a supergroup',
    reply: failed(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1001234567890,
    }),
    outcome: 'rejected',
    reason: 'recipient_gone',
    shows: 'migrate_to_chat_id.-1001234567890',
  },
  {
    name: 'the rate limit with its time',
    reply: failed(429, 'Too Many Requests: retry after 34', { retry_after: 34 }),
    outcome: 'throttled',
    retry_after: 34,
  },
  {
    name: 'a success that is none',
    reply: { ...failed(400, 'Bad Request: chat not found'), status: 200 },
    outcome: 'unknown',
  },
];
