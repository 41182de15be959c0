import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { openClient, type Answer } from '../vendor/http/client.ts';
import { jsonBody, member, textMember } from '../vendor/http/json.ts';
import { accepted, refusal, type Vendor } from '../vendor/http/refusal.ts';
import { baseUrl, secretText, transportSettings } from '../vendor/http/settings.ts';
import { chat } from './contract.ts';
import { codePoints, fitted } from './message/cut.ts';
import { idOf } from './message/id.ts';
import { prepared } from './message/message.ts';
import { targetSettings } from './message/settings.ts';
import { contentOf, writerOf } from './wire/slack-content.ts';
import { slackVerdict } from './wire/slack-errors.ts';
import { findMessage, metadataOf, outputsOf, type Place, type Read } from './wire/slack-history.ts';

const config = exactly({
  bot_token: secretText('Token of the app (xoxb-…) with the scope chat:write'),
  ...targetSettings(
    { title: 'Id of a channel', pattern: '^[CDG][A-Z0-9]{2,63}$' },
    {
      title: 'Id of a user or of a user group; here, channel or everyone',
      pattern: '^(?:[UWS][A-Z0-9]{2,63}|here|channel|everyone)$',
    },
  ),
  base_url: optional(baseUrl('https://slack.com')),
  ...transportSettings,
});

// What identifies a message in its channel.
const timestamp = { pattern: '^[0-9]{1,12}\\.[0-9]{1,9}$' } as const;

// Slack answers 200 to everything but limits of the rate; `ok` is the proof.
const slack: Vendor = {
  title: 'Slack',
  credentials: '`bot_token`',
  code: ({ body }) => textMember(body, 'error'),
  refused: ({ body }) => member(body, 'ok') === false,
  outcome: ({ status }, code) => slackVerdict(code ?? '') ?? (status < 300 ? 'unknown' : undefined),
};

// docs.slack.dev/reference/methods/chat.postMessage: Slack cuts a longer text off.
const mostCharacters = 40_000;

// Most calls with a lost answer whose channel is remembered for a look-up.
const mostPlaces = 1000;

/** Posts messages by Slack's Web API, which knows no key: a call whose answer is lost is looked up by its metadata. */
export default defineProvider({
  name: 'slack',
  capability: chat,
  about: 'Posts messages to channels of Slack, as an app.',
  config,
  idempotency: { kind: 'lookup' },
  async open({ config: { bot_token, channels, open_channels, people, ...settings } }) {
    const client = await openClient(settings);
    const headers = { accept: 'application/json', authorization: `Bearer ${bot_token}` };
    const places = new Map<string, Place>();
    const get = async (method: string, query: Readonly<Record<string, string>>, signal: AbortSignal) => {
      const path = `/api/${method}?${new URLSearchParams(query).toString()}`;
      const answer = await client.call({ method: 'GET', path, headers }, signal);
      if (member(answer.body, 'ok') === true) return answer.body;
      throw refusal(slack, answer);
    };
    return {
      async execute(inputs, { signal, idempotency_key: key }) {
        const message = prepared(inputs, { channels, open_channels, people });
        const thread = message.thread && idOf('thread', message.thread, timestamp);
        const limit = { render: writerOf(message), size: codePoints, most: mostCharacters, vendor: 'Slack' };
        const { rendered: text, ...cut } = fitted(message, limit);
        const { channel } = message;
        const metadata = metadataOf(key, cut);
        const body = jsonBody({ channel, ...contentOf(message, text), parse: 'none', link_names: false, metadata });
        const posted = { ...headers, 'content-type': 'application/json; charset=utf-8' };
        try {
          const call = { method: 'POST', path: '/api/chat.postMessage', headers: posted, body } as const;
          return posting(await client.call(call, signal), thread, cut.truncated === true);
        } catch (error) {
          if (isUnknown(error)) remember(places, key, { channel, thread, at: Date.now() });
          throw error;
        }
      },
      async probe(signal) {
        await get('auth.test', {}, signal);
      },
      async lookup(key, signal) {
        const read: Read = async (method, query) => get(method, query, signal);
        return findMessage(key, { channels: Object.values(channels), place: places.get(key), read });
      },
      close: () => client.close(),
    };
  },
});

function posting(answer: Answer, thread: string | undefined, truncated: boolean): Record<string, unknown> {
  const { body } = answer;
  const channel = member(body, 'ok') === true ? textMember(body, 'channel') : undefined;
  const ts = accepted(slack, answer, channel === undefined ? undefined : member(body, 'ts'));
  return outputsOf({ channel: channel ?? '', ts, thread }, truncated);
}

function remember(places: Map<string, Place>, key: string, place: Place): void {
  const [oldest] = places.keys();
  if (places.size >= mostPlaces && oldest !== undefined) places.delete(oldest);
  places.set(key, place);
}

const isUnknown = (error: unknown): boolean => error instanceof ProviderError && error.outcome === 'unknown';
