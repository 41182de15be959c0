import discord from '../../../../providers/chat/discord.ts';
import { jsonCheck, type VendorReply, type VendorRequest } from '../../../helpers/vendor.ts';
import { answers, source } from '../answers/discord.ts';
import type { Double, DoubleBed } from './bed.ts';

/** The token of the bot. */
export const botToken = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs';

/** The webhook and its token. */
export const webhook = {
  id: '223704706495545344',
  token: '3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f7',
};

const channel = '881234567890123456';
const api = '/api/v10';

const id = { type: 'string', pattern: '^[0-9]{1,20}$' } as const;
const ids = { type: 'array', maxItems: 100, uniqueItems: true, items: id } as const;
const content = {
  content: { type: 'string' },
  allowed_mentions: {
    type: 'object',
    additionalProperties: false,
    properties: {
      parse: { type: 'array', uniqueItems: true, items: { enum: ['roles', 'users', 'everyone'] } },
      roles: ids,
      users: ids,
      replied_user: { type: 'boolean' },
    },
  },
  // SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS.
  flags: { enum: [0, 4, 4096, 4100] },
} as const;

const byBot = jsonCheck({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...content,
    nonce: { type: ['string', 'integer'], maxLength: 25 },
    enforce_nonce: { type: 'boolean' },
    message_reference: { type: 'object', required: ['message_id'], properties: { message_id: id } },
  },
});
const byWebhook = jsonCheck({ type: 'object', additionalProperties: false, properties: content });

interface Body {
  readonly content?: string;
  readonly nonce?: string;
  readonly enforce_nonce?: boolean;
  readonly message_reference?: { readonly message_id: string };
}

const error = (status: number, code: number): VendorReply => ({
  status,
  body: { code, message: 'about ada@example.org' },
});

/** The API of Discord. */
export function discordDouble(): Double {
  const messages: string[] = [];
  const byNonce = new Map<string, object>();
  const create = (request: VendorRequest, check: typeof byBot, channel_id: string): VendorReply => {
    if (check(request) !== undefined) return error(400, 50035);
    const body = JSON.parse(request.body.toString()) as Body;
    // Characters in its reference; this counts as the strictest reading does.
    if ((body.content ?? '').length > 2000) return error(400, 50035);
    if ((body.content ?? '').trim() === '') return error(400, 50006);
    if (Number(body.message_reference?.message_id ?? 900) > 900 + messages.length) return error(400, 50035);
    const known = body.enforce_nonce === true ? byNonce.get(`${channel_id} ${body.nonce ?? ''}`) : undefined;
    if (known !== undefined) return { status: 200, body: known };
    messages.push(body.content ?? '');
    const message = {
      id: String(900 + messages.length),
      channel_id,
      type: 0,
      content: body.content,
      nonce: body.nonce,
    };
    if (body.nonce !== undefined) byNonce.set(`${channel_id} ${body.nonce}`, message);
    return { status: 200, body: message };
  };
  return {
    messages,
    contract(request) {
      const { headers, method } = request;
      if (!/^DiscordBot \(https?:\/\/[^\s,]+, [^\s)]+\)/.test(headers['user-agent'] ?? '')) return error(403, 40333);
      const { pathname, searchParams } = new URL(request.path, 'https://discord.com');
      const [, hook, secret] = /^\/api\/v10\/webhooks\/(\d+)\/([\w-]+)$/.exec(pathname) ?? [];
      if (hook !== undefined) {
        if (hook !== webhook.id) return error(404, 10015);
        if (secret !== webhook.token) return error(401, 50027);
        if (method === 'GET') return { status: 200, body: { id: hook, type: 1, channel_id: channel, token: secret } };
        const made = create(request, byWebhook, searchParams.get('thread_id') ?? channel);
        return made.status === 200 && searchParams.get('wait') !== 'true' ? { status: 204 } : made;
      }
      if (headers['authorization'] !== `Bot ${botToken}`) return error(401, 0);
      if (method === 'GET' && pathname === `${api}/users/@me`)
        return { status: 200, body: { id: '198622483471925248', username: 'orb', bot: true } };
      const [, posted] = /^\/api\/v10\/channels\/(\d+)\/messages$/.exec(pathname) ?? [];
      if (method !== 'POST' || posted === undefined) return error(404, 0);
      return posted === channel ? create(request, byBot, posted) : error(404, 10003);
    },
  };
}

const people = { ada: '80351110224678912' };
const success = { status: 200, body: { id: '901', channel_id: channel, type: 0, content: 'Disk is full' } };

/** As a bot. */
export const discordBed: DoubleBed = {
  adapter: discord,
  config: (url) => ({ bot_token: botToken, channels: { ops: channel }, people, base_url: url }),
  secrets: [botToken],
  wrong: (url) => ({ bot_token: 'wrong', channels: { ops: channel }, base_url: url }),
  native: true,
  double: discordDouble,
  // A fresh one for each vendor that is started.
  get contract() {
    return discordDouble().contract;
  },
  outputs: { message_id: '901', channel, thread: '901', delivery: 'posted' },
  success,
  withoutProof: { status: 204 },
  source,
  answers,
  posted({ body, path }) {
    const { content: text = '', message_reference } = JSON.parse(body.toString()) as Body;
    const [, posted] = /\/channels\/(\d+)\//.exec(path) ?? [];
    return { channel: posted, text, thread: message_reference?.message_id };
  },
};

const addressOf = (token: string): string => `https://discord.com/api/webhooks/${webhook.id}/${token}`;

/** By a webhook. */
export const webhookBed: DoubleBed = {
  ...discordBed,
  // The getter above is not copied.
  get contract() {
    return discordDouble().contract;
  },
  config: (url) => ({ webhooks: { ops: addressOf(webhook.token) }, people, base_url: url }),
  secrets: [webhook.token],
  wrong: (url) => ({ webhooks: { ops: addressOf('wrong') }, base_url: url }),
  native: false,
  outputs: { message_id: '901', channel, delivery: 'posted' },
};
