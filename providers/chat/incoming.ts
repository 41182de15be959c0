import { defineProvider, exactly, optional, type ProviderError } from '../../kernel/adapter.ts';
import type { Answer } from '../vendor/http/client.ts';
import { isSuccess, refusal, type Vendor, type Verdict } from '../vendor/http/refusal.ts';
import { transportSettings } from '../vendor/http/settings.ts';
import { chat } from './contract.ts';
import type { Block } from './message/blocks.ts';
import { codePoints, fitted } from './message/cut.ts';
import { prepared, withoutThread, type ChatMessage } from './message/message.ts';
import { peopleMap } from './message/settings.ts';
import { markdownText } from './render/markdown.ts';
import { plain } from './render/plain.ts';
import { contentOf, writerOf } from './wire/slack-content.ts';
import { openWebhooks, webhookChannels } from './wire/webhook.ts';

const config = exactly({
  shape: { enum: ['slack', 'mattermost', 'rocketchat', 'json'], title: 'Whose form the message has' },
  channels: webhookChannels,
  people: peopleMap({
    title: 'Person or group',
    description: 'As the text has it: `@ada`; for Slack the id of a user or a group, `here`, `channel` or `everyone`.',
    pattern: '^[!-~]+$',
  }),
  private: optional({
    type: 'boolean',
    title: 'Webhooks may have private or local addresses',
    default: false,
  }),
  ...transportSettings,
});

type Shape = 'slack' | 'mattermost' | 'rocketchat' | 'json';

// The most characters of a text: Slack cuts a longer one off, Mattermost (MaxPostSize) and Rocket.Chat
// (Message_MaxAllowedSize) refuse it. The last shape is that of the operator's own service.
const most: Readonly<Record<Shape, number>> = { slack: 40_000, mattermost: 16_383, rocketchat: 5000, json: 1_000_000 };

function writerFor(shape: Shape, message: ChatMessage): (blocks: readonly Block[]) => string {
  if (shape === 'slack') return writerOf(message);
  return shape === 'json' ? plain : markdownText;
}

// docs.slack.dev/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks: the text of the answer is the code.
const slackErrors: Readonly<Record<string, Verdict>> = {
  invalid_payload: { outcome: 'rejected', reason: 'content_refused' },
  user_not_found: { outcome: 'rejected', reason: 'recipient_unknown' },
  action_prohibited: { outcome: 'rejected', reason: 'sender_refused' },
  channel_not_found: { outcome: 'rejected', reason: 'recipient_unknown' },
  channel_is_archived: { outcome: 'rejected', reason: 'recipient_gone' },
  no_service: 'provider_fault',
  no_team: 'provider_fault',
  invalid_token: 'provider_fault',
  rollup_error: 'unknown',
};

const webhook: Vendor = {
  title: 'The webhook',
  credentials: '`channels`',
  remedy: () => 'check the address in `channels`',
};

const slackWebhook: Vendor = {
  ...webhook,
  title: 'Slack',
  code: ({ body }) => (typeof body === 'string' && /^[a-z_]{1,64}$/u.test(body) ? body : undefined),
  outcome: ({ status }, code) => (code === undefined || status === 429 ? undefined : (slackErrors[code] ?? 'unknown')),
};

/** Posts to incoming webhooks. They give no id and know no key: a call whose answer is lost stays unknown. */
export default defineProvider({
  name: 'incoming',
  capability: chat,
  about: 'Posts messages to incoming webhooks of Slack, Mattermost, Rocket.Chat or your own service.',
  config,
  async open({ config: { shape, channels, people, private: isPrivate, ...settings } }) {
    const webhooks = await openWebhooks(settings, isPrivate);
    const vendor = shape === 'slack' ? slackWebhook : webhook;
    return {
      async execute(inputs, { signal, idempotency_key: message_id }) {
        const message = prepared(inputs, { channels, people });
        if (shape !== 'slack') withoutThread(message, 'this webhook');
        const render = writerFor(shape, message);
        const limit = { render, size: codePoints, most: most[shape], vendor: vendor.title };
        const { rendered: text, ...cut } = fitted(message, limit);
        const content = shape === 'slack' ? contentOf(message, text) : { text };
        const answer = await webhooks.post(message.channel, content, signal);
        const failed = failureOf(vendor, answer);
        if (failed !== undefined) throw failed;
        return { message_id, channel: message.alias, delivery: 'posted', ...cut };
      },
      close: () => webhooks.close(),
    };
  },
});

// Slack's proof of acceptance is the text `ok`; the others document none but the status.
function failureOf(vendor: Vendor, answer: Answer): ProviderError | undefined {
  const taken = isSuccess(answer) && (vendor === webhook || answer.body === 'ok');
  return taken ? undefined : refusal(vendor, answer);
}
