import { defineProvider, exactly, given, optional, ProviderError, type RejectedReason } from '../../kernel/adapter.ts';
import { openClient, type Answer, type Call } from '../vendor/http/client.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, succeeded, type Vendor, type Verdict } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { waiting } from '../vendor/http/wait.ts';
import { chat } from './contract.ts';
import { fitted } from './message/cut.ts';
import { idOf } from './message/id.ts';
import { prepared, type ChatMessage } from './message/message.ts';
import { channelMap, targetSettings } from './message/settings.ts';
import { discordText } from './render/markdown.ts';

const snowflake = { title: 'Id of a channel', pattern: '^[0-9]{1,20}$' } as const;

const config = exactly({
  bot_token: optional(secretText('Token of the bot; not needed for webhooks')),
  // No `here`: where it is allowed, Discord allows everyone.
  ...targetSettings(snowflake, {
    title: 'Id of a user, & and the id of a role, or everyone',
    pattern: '^(?:&?[0-9]{1,20}|everyone)$',
  }),
  webhooks: optional({
    ...channelMap({
      title: 'Address of a webhook',
      pattern:
        '^https://(?:(?:ptb|canary)\\.)?discord(?:app)?\\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{1,20}/[A-Za-z0-9_-]{1,128}$',
      secret: true,
    }),
    title: 'Channels that a webhook posts to',
    description: 'By the names that callers use. A webhook has no idempotency: use a provider of its own for them.',
    default: {},
  }),
  base_url: optional(baseUrl('https://discord.com')),
  ...transportSettings,
});

const rejected = (reason: RejectedReason): Verdict => ({ outcome: 'rejected', reason });

// docs.discord.com/developers/topics/opcodes-and-status-codes#json. Other codes have the outcome of their status: after
// 401 and 403 the breaker must open, because Discord shuts out an address with 10,000 of them in ten minutes.
const verdicts: Readonly<Record<string, Verdict>> = {
  10003: rejected('recipient_unknown'),
  20009: rejected('content_refused'),
  20016: 'throttled',
  20028: 'throttled',
  20029: 'throttled',
  40003: 'throttled',
  40004: 'not_sent',
  40005: rejected('content_too_long'),
  40006: 'not_sent',
  40058: rejected('recipient_unknown'),
  40062: 'throttled',
  50006: rejected('content_refused'),
  50007: rejected('recipient_blocked'),
  50008: rejected('recipient_unknown'),
  50024: rejected('recipient_unknown'),
  50083: 'rejected',
  130000: 'throttled',
  160005: 'rejected',
  200000: rejected('content_refused'),
  200001: rejected('content_refused'),
  240000: rejected('content_refused'),
};

const discord: Vendor = {
  title: 'Discord',
  credentials: '`bot_token` or `webhooks`',
  code({ body }) {
    const code = member(body, 'code');
    return Number.isSafeInteger(code) && code !== 0 ? String(code) : undefined;
  },
  outcome: (_answer, code) => verdicts[code ?? ''],
  remedy: () => 'check `bot_token` or `webhooks`, and the permissions of the bot in the channel',
};

// The documentation counts characters; no way of counting them gives more than UTF-16 code units.
const mostUnits = 2000;
// Longer nonces are refused; 25 characters of the key are 125 bits of it.
const nonceLength = 25;
// docs.discord.com/developers/reference#user-agent: without this form Cloudflare refuses the request.
const agent = { 'user-agent': 'DiscordBot (https://agent-orb.example, 1)' };
const suppressEmbeds = 4;

/**
 * Posts messages as a bot of Discord, with a part of our key as enforced nonce: a repeated call answers the first
 * message. Webhooks know no key: with some in the configuration, a call whose answer is lost stays unknown.
 */
export default defineProvider({
  name: 'discord',
  capability: chat,
  about: 'Posts messages to channels of Discord, by a bot or by webhooks.',
  config,
  // "The past few minutes" in the documentation, which says no number.
  idempotency: { kind: 'native', window_s: 60, max_len: 52 },
  idempotencyOf: ({ webhooks }) => (Object.keys(webhooks).length > 0 ? { kind: 'none' } : undefined),
  async open({ config: { bot_token, webhooks, ...settings } }) {
    const names = { ...settings, channels: { ...settings.channels, ...webhooks } };
    const byBot = settings.open_channels || Object.keys(settings.channels).length > 0;
    if (bot_token === undefined && (byBot || Object.keys(webhooks).length === 0))
      throw new ProviderError('provider_fault', 'Discord takes messages to channels from a bot only', {
        phase: 'open',
        remedy: 'set `bot_token`, or `webhooks` alone',
      });
    const client = await openClient(settings);
    const gate = createGate();
    const bot = { ...agent, authorization: `Bot ${bot_token ?? ''}` };
    const ask = async (call: Call, signal: AbortSignal): Promise<Answer> => {
      gate.pass(call.path);
      const answer = await client.call(call, signal);
      gate.learn(call.path, answer);
      return waiting(answer, member(answer.body, 'retry_after'));
    };
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const message = prepared(inputs, names);
        const limit = { render: discordText, size: ({ length }: string) => length, most: mostUnits, vendor: 'Discord' };
        const { rendered, truncated } = fitted(message, limit);
        const webhook = Object.hasOwn(webhooks, message.alias) ? message.channel : undefined;
        const { headers, path, place } =
          webhook === undefined
            ? { ...botPlace(message, idempotency_key), headers: bot }
            : { ...webhookPlace(message, webhook), headers: agent };
        const body = jsonBody({ ...contentOf(message, rendered), ...place });
        const posted = { ...headers, 'content-type': 'application/json' };
        const answer = await ask({ method: 'POST', path, headers: posted, body }, signal);
        const message_id = accepted(discord, answer, textMember(answer.body, 'id'));
        return given({
          message_id,
          channel: textMember(answer.body, 'channel_id') ?? message.alias,
          thread: message.thread ?? (webhook === undefined ? message_id : undefined),
          delivery: 'posted',
          truncated,
        });
      },
      async probe(signal) {
        if (bot_token !== undefined)
          succeeded(discord, await ask({ method: 'GET', path: '/api/v10/users/@me', headers: bot }, signal));
        for (const webhook of Object.values(webhooks))
          succeeded(discord, await ask({ method: 'GET', path: webhookPath(webhook), headers: agent }, signal));
      },
      close: () => client.close(),
    };
  },
});

interface Place {
  readonly path: string;
  /** Members of the body that say where it goes. */
  readonly place: object;
}

// docs.discord.com/developers/resources/message#create-message
function botPlace({ channel, thread }: ChatMessage, key: string): Place {
  const reply = thread === undefined ? undefined : { message_id: idOf('thread', thread, snowflake) };
  return {
    path: `/api/v10/channels/${idOf('channel', channel, snowflake)}/messages`,
    place: given({ nonce: key.slice(0, nonceLength), enforce_nonce: true, message_reference: reply }),
  };
}

// docs.discord.com/developers/resources/webhook#execute-webhook: without `wait` a message that is not kept is no error.
function webhookPlace({ thread }: ChatMessage, webhook: string): Place {
  const within = thread === undefined ? '' : `&thread_id=${idOf('thread', thread, snowflake)}`;
  return { path: `${webhookPath(webhook)}?wait=true${within}`, place: {} };
}

function webhookPath(webhook: string): string {
  return `/api/v10${webhook.slice(webhook.indexOf('/webhooks/'))}`;
}

function contentOf({ link_preview, mentions }: ChatMessage, content: string): object {
  return given({
    content,
    allowed_mentions: {
      parse: mentions.includes('everyone') ? ['everyone'] : [],
      users: mentions.filter((id) => /^\d/u.test(id)),
      roles: mentions.filter((id) => id.startsWith('&')).map((id) => id.slice(1)),
    },
    flags: link_preview ? undefined : suppressEmbeds,
  });
}

const mostPaths = 1000;
const longestWait = 86_400;

/** Keeps back calls whose limit is used up: Discord also counts answers 429 when it shuts out an address. */
function createGate() {
  const closedUntil = new Map<string, number>();
  return {
    pass(path: string): void {
      const left_s = ((closedUntil.get(path) ?? 0) - performance.now()) / 1000;
      if (left_s > 0)
        throw new ProviderError('throttled', 'the limit that Discord told is used up', {
          phase: 'limit',
          retry_after: Math.ceil(left_s),
        });
      closedUntil.delete(path);
    },
    // docs.discord.com/developers/topics/rate-limits#header-format
    learn(path: string, { headers }: Answer): void {
      const reset_s = Number(headers['x-ratelimit-reset-after']);
      if (headers['x-ratelimit-remaining'] !== '0' || !(reset_s > 0)) return;
      if (closedUntil.size >= mostPaths) closedUntil.clear();
      closedUntil.set(path, performance.now() + Math.min(reset_s, longestWait) * 1000);
    },
  };
}
