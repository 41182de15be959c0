import telegram from '../../../../providers/chat/telegram.ts';
import { jsonCheck } from '../../../helpers/vendor.ts';
import { answers, failed, source } from '../answers/telegram.ts';
import type { Double, DoubleBed } from './bed.ts';

/** The token of the bot. */
export const botToken = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

// Chats that the bot is in, by what a request may call them.
const chats: Readonly<Record<string, number>> = {
  '-1001234': -1001234,
  '-1001234567890': -1001234567890,
  '4711': 4711,
  '@ops_channel': -1009876,
};

const whole = { type: 'integer', minimum: 0 } as const;
const entity = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'offset', 'length'],
  properties: {
    type: { enum: ['bold', 'italic', 'strikethrough', 'code', 'pre', 'blockquote', 'text_link', 'text_mention'] },
    offset: whole,
    length: { type: 'integer', minimum: 1 },
    url: { type: 'string' },
    language: { type: 'string' },
    user: { type: 'object', required: ['id', 'is_bot', 'first_name'] },
  },
} as const;

const check = jsonCheck({
  type: 'object',
  additionalProperties: false,
  required: ['chat_id', 'text'],
  properties: {
    chat_id: { type: ['integer', 'string'] },
    message_thread_id: whole,
    text: { type: 'string' },
    entities: { type: 'array', items: entity },
    link_preview_options: { type: 'object', properties: { is_disabled: { type: 'boolean' } } },
    reply_parameters: { type: 'object', required: ['message_id'], properties: { message_id: whole } },
  },
});

interface Body {
  readonly chat_id: number | string;
  readonly text: string;
  readonly entities?: readonly { readonly offset: number; readonly length: number }[];
  readonly reply_parameters?: { readonly message_id: number };
}

/** A server of the Bot API. */
export function telegramDouble(): Double {
  const messages: string[] = [];
  return {
    messages,
    contract(request) {
      const [, token, name] = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(request.path) ?? [];
      if (token === undefined || !/^\d+:[\w-]{30,}$/.test(token)) return failed(404, 'Not Found');
      if (token !== botToken) return failed(401, 'Unauthorized');
      if (name === 'getMe')
        return { status: 200, body: { ok: true, result: { id: 110201543, is_bot: true, first_name: 'Orb' } } };
      if (name !== 'sendMessage') return failed(404, 'Not Found');
      const wrong = check(request);
      if (wrong !== undefined) return failed(400, `Bad Request: can't parse entities: ${wrong}`);
      const body = JSON.parse(request.body.toString()) as Body;
      const chat = chats[String(body.chat_id)];
      if (chat === undefined) return failed(400, 'Bad Request: chat not found');
      if (body.text.trim() === '') return failed(400, 'Bad Request: message text is empty');
      if (body.text.length > 4096) return failed(400, 'Bad Request: message is too long');
      if (body.entities?.some(({ length, offset }) => !isPart(body.text, offset, offset + length)) === true)
        return failed(400, "Bad Request: can't parse entities: out of range");
      const answered = body.reply_parameters?.message_id;
      if (answered !== undefined && answered > messages.length)
        return failed(400, 'Bad Request: message to be replied not found');
      messages.push(body.text);
      const { entities, text } = body;
      const result = { message_id: messages.length, date: 1795600000, chat: { id: chat, type: 'supergroup' }, text };
      return { status: 200, body: { ok: true, result: { ...result, ...(entities && { entities }) } } };
    },
  };
}

// In UTF-16 code units, and not in the middle of a character.
function isPart(text: string, from: number, to: number): boolean {
  return to <= text.length && text.slice(0, from).isWellFormed() && text.slice(from, to).isWellFormed();
}

const configOf = (url: string, bot_token: string): object => ({
  ...{ bot_token, channels: { ops: '-1001234' }, people: { ada: '4711' }, base_url: url },
});

export const telegramBed: DoubleBed = {
  adapter: telegram,
  config: (url) => configOf(url, botToken),
  secrets: [botToken],
  wrong: (url) => configOf(url, `110201543:${'x'.repeat(35)}`),
  native: false,
  double: telegramDouble,
  // A fresh one for each vendor that is started.
  get contract() {
    return telegramDouble().contract;
  },
  outputs: { message_id: '1', channel: '-1001234', thread: '1', delivery: 'posted' },
  success: { status: 200, body: { ok: true, result: { message_id: 1, date: 1795600000, chat: { id: -1001234 } } } },
  withoutProof: { status: 200, body: { ok: true, result: { date: 1795600000 } } },
  source,
  answers,
  posted({ body }) {
    const { chat_id, reply_parameters, text } = JSON.parse(body.toString()) as Body;
    return { channel: String(chat_id), text, thread: reply_parameters?.message_id.toString() };
  },
};
