import { defineProvider, exactly, given, optional, type RejectedReason } from '../../kernel/adapter.ts';
import { openClient, type Answer } from '../vendor/http/client.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, succeeded, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, transportSettings } from '../vendor/http/settings.ts';
import { waiting } from '../vendor/http/wait.ts';
import { chat } from './contract.ts';
import { fitted } from './message/cut.ts';
import { idOf } from './message/id.ts';
import { prepared, type ChatMessage } from './message/message.ts';
import { targetSettings } from './message/settings.ts';
import { telegramText, type TelegramText } from './render/telegram.ts';

const chatId = {
  title: 'Id of a chat, or @name of a public one; /123 after it is a topic',
  pattern: '^(?:-?[0-9]{1,15}|@[A-Za-z0-9_]{4,64})(?:/[0-9]{1,10})?$',
} as const;
const messageId = { pattern: '^[0-9]{1,10}$' } as const;

const config = exactly({
  bot_token: {
    type: 'string',
    title: 'Token of the bot',
    // It becomes part of a path.
    pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$',
    secret: true,
  },
  ...targetSettings(chatId, { title: 'Number of a user, or @name', pattern: '^(?:[0-9]{1,15}|@[A-Za-z0-9_]{4,64})$' }),
  base_url: optional(baseUrl('https://api.telegram.org')),
  ...transportSettings,
});

// core.telegram.org/bots/api#making-requests documents the form of an error alone. The texts are those of the server
// (tdlib/telegram-bot-api, Client.cpp), which have no codes.
const texts: readonly (readonly [text: RegExp, reason: RejectedReason])[] = [
  [/bot was blocked by the user/u, 'recipient_blocked'],
  [/user is deactivated|chat was (?:deleted|deactivated)/u, 'recipient_gone'],
  [/chat not found/u, 'recipient_unknown'],
  [/message is too long/u, 'content_too_long'],
  [/text is empty|text must be non-empty|can't parse entities/u, 'content_refused'],
  [/bot was kicked|not a member|can't initiate|can't send|rights to send|WRITE_FORBIDDEN/u, 'sender_refused'],
];

const telegram: Vendor = {
  title: 'Telegram',
  credentials: '`bot_token`',
  // In place of the text, which is never shown: what it means.
  code(answer) {
    const moved = movedTo(answer);
    return moved === undefined ? reasonOf(answer) : `migrate_to_chat_id.${moved}`;
  },
  outcome(answer) {
    const reason = movedTo(answer) === undefined ? reasonOf(answer) : 'recipient_gone';
    if (reason !== undefined) return { outcome: 'rejected', reason };
    return answer.status === 403 ? 'rejected' : undefined;
  },
  // The path of a token that never was is not there.
  remedy: () => 'check `bot_token`, and `base_url` if it is set',
};

const mostUnits = 4096;

/**
 * Sends messages as a bot of Telegram, with entities in place of markup, so that no text needs to be escaped. Telegram
 * has no idempotency keys and lets bots read no messages: a call whose answer is lost stays unknown.
 */
export default defineProvider({
  name: 'telegram',
  capability: chat,
  about: 'Sends messages as a bot of Telegram.',
  config,
  async open({ config: { bot_token, ...settings } }) {
    const client = await openClient(settings);
    const pathOf = (name: string): string => `/bot${bot_token}/${name}`;
    return {
      async execute(inputs, { signal }) {
        const message = prepared(inputs, settings);
        const limit = { render: telegramText, size: unitsOf, most: mostUnits, vendor: 'Telegram' };
        const { rendered, truncated } = fitted(message, limit);
        const [chat_id = '', topic] = idOf('channel', message.channel, chatId).split('/');
        const body = jsonBody({ ...placeOf(chat_id, topic), ...contentOf(message, rendered) });
        const headers = { 'content-type': 'application/json' };
        const answer = told(await client.call({ method: 'POST', path: pathOf('sendMessage'), headers, body }, signal));
        const sent = member(answer.body, 'ok') === true ? member(answer.body, 'result') : undefined;
        const message_id = accepted(telegram, answer, numberText(member(sent, 'message_id')));
        const posted = numberText(member(member(sent, 'chat'), 'id')) ?? chat_id;
        return given({
          message_id,
          channel: topic === undefined ? posted : `${posted}/${topic}`,
          thread: message.thread ?? message_id,
          delivery: 'posted',
          truncated,
        });
      },
      async probe(signal) {
        succeeded(telegram, told(await client.call({ method: 'GET', path: pathOf('getMe'), headers: {} }, signal)));
      },
      close: () => client.close(),
    };
  },
});

function unitsOf({ text }: TelegramText): number {
  return text.length;
}

function placeOf(chat_id: string, topic: string | undefined): object {
  return given({
    chat_id: chat_id.startsWith('@') ? chat_id : Number(chat_id),
    message_thread_id: topic === undefined ? undefined : Number(topic),
  });
}

// core.telegram.org/bots/api#sendmessage
function contentOf({ link_preview, thread }: ChatMessage, { entities, text }: TelegramText): object {
  return given({
    text,
    entities: entities.length > 0 ? entities : undefined,
    link_preview_options: { is_disabled: !link_preview },
    reply_parameters: thread === undefined ? undefined : { message_id: Number(idOf('thread', thread, messageId)) },
  });
}

function reasonOf({ body }: Answer): RejectedReason | undefined {
  const description = textMember(body, 'description') ?? '';
  return texts.find(([text]) => text.test(description))?.[1];
}

// A group that became a supergroup: its new id.
function movedTo({ body }: Answer): string | undefined {
  return numberText(member(member(body, 'parameters'), 'migrate_to_chat_id'));
}

function told(answer: Answer): Answer {
  return waiting(answer, member(member(answer.body, 'parameters'), 'retry_after'));
}

function numberText(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
