import type { RejectedReason } from '../../../../kernel/adapter.ts';
import type { TimedAnswer } from '../doubles/bed.ts';

/** Where the codes and the rate limits are documented, and when it was read. */
export const source = 'docs.discord.com/developers/topics/opcodes-and-status-codes#json, …/rate-limits, 2026-08-06';

type Row = readonly [
  name: string,
  status: number,
  code: number,
  outcome: TimedAnswer['outcome'],
  reason?: RejectedReason,
];

const rows: readonly Row[] = [
  ['a malformed message', 400, 50035, 'rejected'],
  ['a general error', 400, 0, 'rejected'],
  ['an unknown channel', 404, 10003, 'rejected', 'recipient_unknown'],
  ['an empty message', 400, 50006, 'rejected', 'content_refused'],
  ['a user who takes no messages', 403, 50007, 'rejected', 'recipient_blocked'],
  ['a channel without text', 400, 50008, 'rejected', 'recipient_unknown'],
  ['a channel of another type', 400, 50024, 'rejected', 'recipient_unknown'],
  ['a forum', 400, 40058, 'rejected', 'recipient_unknown'],
  ['an archived thread', 400, 50083, 'rejected'],
  ['a locked thread', 403, 160005, 'rejected'],
  ['a text that AutoMod blocks', 400, 200000, 'rejected', 'content_refused'],
  ['a title that AutoMod blocks', 400, 200001, 'rejected', 'content_refused'],
  ['a harmful link', 400, 240000, 'rejected', 'content_refused'],
  ['explicit content', 400, 20009, 'rejected', 'content_refused'],
  ['too large a request', 413, 40005, 'rejected', 'content_too_long'],
  ['a wrong token', 401, 0, 'provider_fault'],
  ['no valid token', 401, 40001, 'provider_fault'],
  ['no access', 403, 50001, 'provider_fault'],
  ['no permission', 403, 50013, 'provider_fault'],
  ['an unknown webhook', 404, 10015, 'provider_fault'],
  ['a wrong token of a webhook', 401, 50027, 'provider_fault'],
  ['an account that is not verified', 403, 40002, 'provider_fault'],
  ['a request that Cloudflare blocks', 403, 40333, 'provider_fault'],
  ['sending that is disabled for now', 403, 40004, 'not_sent'],
  ['a feature that is disabled for now', 403, 40006, 'not_sent'],
  ['slow mode', 429, 20016, 'throttled'],
  ['the write limit of the channel', 429, 20028, 'throttled'],
  ['the write limit of the server', 429, 20029, 'throttled'],
  ['messages to people that are opened too fast', 400, 40003, 'throttled'],
  ['a limited resource', 429, 40062, 'throttled'],
  ['an overloaded resource', 503, 130000, 'throttled'],
  ['its own fault', 500, 0, 'unknown'],
  ['no gateway', 502, 0, 'unknown'],
];

const limited = (headers: Readonly<Record<string, string>>, retry_after: number, global = false) => ({
  status: 429,
  headers,
  body: { message: 'You are being rate limited.', retry_after, global },
});

/** The documented answers. */
export const answers: readonly TimedAnswer[] = [
  ...rows.map(([name, status, code, outcome, reason]) => ({
    name,
    reply: { status, body: { code, message: 'about ada@example.org' } },
    outcome,
    reason,
    shows: code === 0 ? '' : String(code),
  })),
  {
    name: 'the rate limit of the bot',
    reply: limited({ 'retry-after': '65', 'x-ratelimit-scope': 'user', 'x-ratelimit-reset-after': '64.57' }, 64.57),
    outcome: 'throttled',
    retry_after: 65,
  },
  {
    name: 'the rate limit of the channel',
    reply: limited({ 'retry-after': '1337', 'x-ratelimit-scope': 'shared' }, 1336.57),
    outcome: 'throttled',
    retry_after: 1337,
  },
  {
    name: 'the global rate limit',
    reply: limited({ 'retry-after': '65', 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' }, 64.57, true),
    outcome: 'throttled',
    retry_after: 65,
  },
  {
    name: 'a rate limit that its body alone tells',
    reply: limited({}, 4.2),
    outcome: 'throttled',
    retry_after: 5,
  },
];
