import slack from '../../../../providers/chat/slack.ts';
import { compile } from '../../../../kernel/index.ts';
import type { VendorContract, VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import { answers, failed, source } from '../answers/slack.ts';
import type { ChatBed } from './bed.ts';

/** The token of the app. */
export const token = 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const unfit = compile({
  type: 'object',
  additionalProperties: false,
  required: ['channel'],
  properties: {
    channel: text,
    text,
    mrkdwn: flag,
    unfurl_links: flag,
    unfurl_media: flag,
    parse: { enum: ['none', 'full'] },
    link_names: flag,
    thread_ts: { type: 'string', pattern: '^\\d+\\.\\d+$' },
    metadata: {
      type: 'object',
      additionalProperties: false,
      required: ['event_type', 'event_payload'],
      properties: { event_type: { type: 'string', pattern: '^[a-z_]+$' }, event_payload: { type: 'object' } },
    },
  },
});

/** A message that was posted. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly thread_ts?: string;
  readonly metadata?: object;
}

/** The Web API as Slack documents it, with the channels `C024BE91L` and `G0THER`. */
export interface SlackDouble {
  readonly contract: VendorContract;
  readonly messages: SlackMessage[];
}

const channels = ['C024BE91L', 'G0THER'];

/** Creates the API; `ts` gives the time of each message. */
export function createSlack(ts: () => string = () => '1503435956.000247'): SlackDouble {
  const messages: SlackMessage[] = [];
  const post = (body: Record<string, unknown>): VendorReply => {
    if (unfit(body).length > 0) return failed('invalid_arguments');
    const { channel = '', text: given = '', thread_ts, metadata } = body as Partial<SlackMessage>;
    if (!channels.includes(channel)) return failed('channel_not_found');
    if (given === '') return failed('no_text');
    const message = {
      ...{ channel, ts: ts(), text: [...given].slice(0, 40_000).join('') },
      ...(thread_ts === undefined ? {} : { thread_ts }),
      ...(metadata === undefined ? {} : { metadata }),
    };
    messages.unshift(message);
    return { status: 200, body: { ok: true, channel, ts: message.ts, message } };
  };
  const list = (method: string, query: Record<string, unknown>): VendorReply => {
    const { channel, cursor = '0', include_all_metadata: all, limit = '100', oldest = '0', ts: parent } = query;
    if (!channels.includes(String(channel))) return failed('channel_not_found');
    const [from, count] = [Number(cursor), Number(limit)];
    if (!(count >= 1 && count <= 999)) return failed('invalid_limit');
    // History has no answers in threads.
    const found = messages.filter(
      (message) =>
        message.channel === channel &&
        Number(message.ts) > Number(oldest) &&
        (method === 'conversations.history' ? message.thread_ts === undefined : message.thread_ts === parent),
    );
    const page = found.slice(from, from + count).map(({ metadata, ...message }) => ({
      ...message,
      ...(String(all) === 'true' && metadata !== undefined ? { metadata } : {}),
    }));
    const next = from + count < found.length ? { response_metadata: { next_cursor: String(from + count) } } : {};
    return { status: 200, body: { ok: true, messages: page, has_more: from + count < found.length, ...next } };
  };
  const contract = (request: VendorRequest): VendorReply => {
    const { pathname, searchParams } = new URL(request.path, 'http://slack');
    const method = /^\/api\/([a-z.]+)$/i.exec(pathname)?.[1];
    if (request.headers['authorization'] === undefined) return failed('not_authed');
    if (request.headers['authorization'] !== `Bearer ${token}`) return failed('invalid_auth');
    const given = { ...Object.fromEntries(searchParams), ...bodyOf(request) };
    if (method === 'auth.test') return { status: 200, body: { ok: true, user_id: 'U0BOT', team_id: 'T0001' } };
    if (method === 'chat.postMessage') return request.method === 'POST' ? post(given) : failed('invalid_arguments');
    if (method === 'conversations.history' || method === 'conversations.replies') return list(method, given);
    return failed('unknown_method');
  };
  return { contract, messages };
}

// JSON, or a form whose objects are JSON, as Slack's own client sends it.
function bodyOf({ body, headers }: VendorRequest): Record<string, unknown> {
  const type = headers['content-type'] ?? '';
  if (/^application\/json; ?charset=utf-8$/.test(type)) return JSON.parse(body.toString()) as Record<string, unknown>;
  if (!type.startsWith('application/x-www-form-urlencoded')) return {};
  const pairs = [...new URLSearchParams(body.toString())];
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, value.startsWith('{') ? (JSON.parse(value) as object) : value]),
  );
}

/** The settings of the tests. */
export const config = (url: string): object => ({
  bot_token: token,
  base_url: url,
  channels: { ops: 'C024BE91L', sales: 'G0THER' },
  people: { ada: 'U012AB3CD', oncall: 'S0614TZR7', everyone: 'channel' },
});

export const slackBed: ChatBed = {
  adapter: slack,
  config,
  secrets: [token],
  contract: createSlack().contract,
  success: { status: 200, body: { ok: true, channel: 'C024BE91L', ts: '1503435956.000247' } },
  outputs: {
    message_id: '1503435956.000247',
    channel: 'C024BE91L',
    thread: '1503435956.000247',
    delivery: 'posted',
  },
  withoutProof: { status: 200, body: { ok: true } },
  source,
  answers,
  posted({ body }) {
    const { channel, text: shown = '', thread_ts } = JSON.parse(body.toString()) as Partial<SlackMessage>;
    return { channel, text: shown, thread: thread_ts };
  },
};
