import { defineProvider, exactly, given, optional, ProviderError } from '../../kernel/adapter.ts';
import { openClient, type Answer } from '../vendor/http/client.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, isSuccess, refusal, succeeded, type Vendor, type Verdict } from '../vendor/http/refusal.ts';
import { anyBaseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { waiting } from '../vendor/http/wait.ts';
import { chat } from './contract.ts';
import { fitted } from './message/cut.ts';
import { idOf } from './message/id.ts';
import { prepared, type ChatMessage } from './message/message.ts';
import { targetSettings } from './message/settings.ts';
import { matrixText, type MatrixText } from './render/matrix.ts';

const roomId = { title: 'Id of a room, such as !abc:example.org', pattern: '^!\\S{1,254}$' } as const;
const eventId = { pattern: '^\\$\\S{1,254}$' } as const;

const config = exactly({
  base_url: { ...anyBaseUrl, title: 'Base URL of the homeserver' },
  access_token: secretText('Access token of the account that sends'),
  ...targetSettings(roomId, {
    title: 'Id of a user, such as @ada:example.org, or @room for all',
    pattern: '^@(?:room|[^\\s:]{1,250}:\\S{1,250})$',
  }),
  message_type: optional({
    enum: ['m.text', 'm.notice'],
    title: 'Type of the messages',
    description: 'm.notice is for bots: clients show it, but notify nobody of it.',
    default: 'm.text',
  }),
  allow_unencrypted: optional({
    type: 'boolean',
    title: 'Send plain text to encrypted rooms',
    description: 'The homeservers of the room can read such a message, and clients warn of it.',
    default: false,
  }),
  ...transportSettings,
});

// spec.matrix.org/v1.18/client-server-api/#standard-error-response. Other codes have the outcome of their status.
const verdicts: Readonly<Record<string, Verdict>> = {
  M_FORBIDDEN: { outcome: 'rejected', reason: 'sender_refused' },
  M_LIMIT_EXCEEDED: 'throttled',
  M_NOT_FOUND: { outcome: 'rejected', reason: 'recipient_unknown' },
  M_TOO_LARGE: { outcome: 'rejected', reason: 'content_too_long' },
};

const matrix: Vendor = {
  title: 'Matrix',
  credentials: '`access_token`',
  code: ({ body }) => textMember(body, 'errcode'),
  outcome: (_answer, code) => verdicts[code ?? ''],
};

// An event has at most 65,536 bytes, with what the homeserver adds to the content.
const mostBytes = 60_000;
const base = '/_matrix/client/v3';

/**
 * Posts messages to rooms of Matrix under our key as transaction id: a repeated call answers the first event. The token
 * must stay the same: a homeserver knows transaction ids by the device of the token.
 */
export default defineProvider({
  name: 'matrix',
  capability: chat,
  about: 'Posts messages to rooms of Matrix.',
  config,
  // The specification does not say how long they are known; Synapse keeps them for half an hour at least.
  idempotency: { kind: 'native', window_s: 600, max_len: 255 },
  async open({ config: { access_token, allow_unencrypted, message_type, ...settings } }) {
    const client = await openClient(settings);
    const headers = { authorization: `Bearer ${access_token}` };
    const read = (path: string, signal: AbortSignal): Promise<Answer> =>
      client.call({ method: 'GET', path: `${base}${path}`, headers }, signal);
    const isEncrypted = createEncryption(read);
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const message = prepared(inputs, settings);
        const room = idOf('channel', message.channel, roomId);
        const limit = { render: matrixText, size: sizeOf, most: mostBytes, vendor: 'Matrix' };
        const { rendered, truncated } = fitted(message, limit);
        const body = jsonBody({ msgtype: message_type, ...contentOf(message, rendered) });
        if (!allow_unencrypted && (await isEncrypted(room, signal)))
          throw new ProviderError('rejected', 'the room is encrypted, and the message is not', {
            reason: 'content_refused',
          });
        const path = `${base}/rooms/${encodeURIComponent(room)}/send/m.room.message/${idempotency_key}`;
        const posted = { ...headers, 'content-type': 'application/json' };
        const answer = told(await client.call({ method: 'PUT', path, headers: posted, body }, signal));
        const message_id = accepted(matrix, answer, textMember(answer.body, 'event_id'));
        return given({
          message_id,
          channel: room,
          thread: message.thread ?? message_id,
          delivery: 'posted',
          truncated,
          url: `https://matrix.to/#/${encodeURIComponent(room)}/${encodeURIComponent(message_id)}`,
        });
      },
      async probe(signal) {
        succeeded(matrix, told(await read('/account/whoami', signal)));
        if (allow_unencrypted) return;
        for (const [name, room] of Object.entries(settings.channels))
          if (await isEncrypted(room, signal).catch(unlessRejected))
            throw new ProviderError('provider_fault', 'a room of `channels` is encrypted', {
              phase: 'response',
              remedy: `take ${name} out of \`channels\`, or set \`allow_unencrypted\``,
            });
      },
      close: () => client.close(),
    };
  },
});

// Servers before version 1.10 of the specification tell the time in the body.
function told(answer: Answer): Answer {
  const ms = member(answer.body, 'retry_after_ms');
  return waiting(answer, typeof ms === 'number' ? ms / 1000 : undefined);
}

function sizeOf(text: MatrixText): number {
  return Buffer.byteLength(JSON.stringify(text));
}

// spec.matrix.org/v1.18/client-server-api/#mroommessage-msgtypes, #user-and-room-mentions, #threading
function contentOf(message: ChatMessage, text: MatrixText): object {
  const { mentions, thread } = message;
  const users = mentions.filter((id) => id !== '@room');
  return given({
    ...text,
    format: 'org.matrix.custom.html',
    // Without it older rules of notification look for names and @room in the text.
    'm.mentions': given({
      user_ids: users.length > 0 ? users : undefined,
      room: mentions.includes('@room') ? true : undefined,
    }),
    'm.relates_to': thread === undefined ? undefined : threadOf(idOf('thread', thread, eventId)),
  });
}

// Clients without threads show it as an answer.
function threadOf(event_id: string): object {
  return { rel_type: 'm.thread', event_id, is_falling_back: true, 'm.in_reply_to': { event_id } };
}

// How long a room counts as not encrypted once that was read, ms: encryption can be switched on, but never off.
const plainForMs = 60_000;
const mostRooms = 1000;

/** Makes the question whether a room is encrypted, which asks the homeserver at most once in a minute. */
function createEncryption(read: (path: string, signal: AbortSignal) => Promise<Answer>) {
  const plainUntil = new Map<string, number>();
  return async (room: string, signal: AbortSignal): Promise<boolean> => {
    const now = performance.now();
    if ((plainUntil.get(room) ?? now) > now) return false;
    const answer = told(await read(`/rooms/${encodeURIComponent(room)}/state/m.room.encryption`, signal));
    if (isSuccess(answer)) return true;
    // Nothing was sent, whatever became of the question.
    if (answer.status >= 500 || answer.body === undefined)
      throw new ProviderError('not_sent', `the homeserver does not tell the state of the room (${answer.status})`, {
        phase: 'response',
      });
    // A room without this state has never been encrypted.
    if (answer.status !== 404 || matrix.code?.(answer) !== 'M_NOT_FOUND') throw refusal(matrix, answer);
    if (plainUntil.size >= mostRooms) plainUntil.clear();
    plainUntil.set(room, now + plainForMs);
    return false;
  };
}

// A room that the account is not in fails its own calls, not the provider.
function unlessRejected(error: unknown): false {
  if (error instanceof ProviderError && error.outcome === 'rejected') return false;
  throw error;
}
