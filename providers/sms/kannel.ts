import { defineProvider, exactly, given, optional, ProviderError } from '../../kernel/adapter.ts';
import { isLoopbackHost } from '../../kernel/outbound.ts';
import { openClient, readText, type Answer, type Call } from '../vendor/http/client.ts';
import { refusal, type Vendor } from '../vendor/http/refusal.ts';
import { secretText, transportSettings } from '../vendor/http/settings.ts';
import { sms } from './contract.ts';
import { message, type Message } from './message/message.ts';
import { expectRejection } from './vendor/rejection.ts';
import { senderOf, senders } from './vendor/senders.ts';
import { kannelSentences } from './vendor/tables.ts';

const config = exactly({
  base_url: {
    type: 'string',
    title: 'Address of the smsbox',
    description:
      'Scheme, host and port (`sendsms-port`, usually 13013); https, or http to a loopback address or with `plain`.',
    pattern: '^https?://(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?$',
    maxLength: 512,
    examples: ['http://127.0.0.1:13013'],
  },
  path: optional({
    type: 'string',
    title: 'Path of sendsms',
    description: '`sendsms-url` of the smsbox.',
    pattern: '^/[A-Za-z0-9._/-]*$',
    maxLength: 256,
    default: '/cgi-bin/sendsms',
  }),
  username: {
    type: 'string',
    title: 'User name',
    description: 'Of a group `sendsms-user`.',
    pattern: '^[!-~]{1,256}$',
  },
  password: secretText('Password'),
  senders,
  plain: optional({
    type: 'boolean',
    title: 'May be called without TLS',
    description: 'The password and the messages are then sent unencrypted.',
    default: false,
  }),
  ...transportSettings,
});

const kannel: Vendor = {
  title: 'Kannel',
  credentials: '`username` and `password`',
  outcome: ({ body }) =>
    typeof body === 'string' && Object.hasOwn(kannelSentences, body) ? kannelSentences[body] : undefined,
};

// kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, SMSPush reply codes. With `immediate-sendsms-reply` the
// smsbox answers "Sent." before the bearerbox has the message, which proves nothing.
const acceptances = [
  { word: '0: Accepted for delivery', status: 'accepted' },
  { word: '3: Queued for later delivery', status: 'queued' },
];

/**
 * Sends text messages through a Kannel gateway. Kannel has neither idempotency keys nor ids of messages: a call whose
 * answer is lost stays unknown, and the id is our key.
 */
export default defineProvider({
  name: 'kannel',
  capability: sms,
  about: 'Sends text messages through a Kannel gateway.',
  config,
  warningsOf: ({ base_url }) =>
    isUnencrypted(base_url)
      ? ['base_url is http, and its host is another machine: the password is sent unencrypted']
      : [],
  async open({ config: { base_url, path, username, password, senders: configured, plain, ...settings } }) {
    if (isUnencrypted(base_url) && !plain)
      throw new ProviderError('provider_fault', '`base_url` is http, and its host is another machine', {
        phase: 'open',
        remedy: 'use https, or set `plain`',
      });
    const client = await openClient({ ...settings, base_url });
    const post = async (headers: Call['headers'], body: string, signal: AbortSignal): Promise<Answer> => {
      const login = { 'x-kannel-username': username, 'x-kannel-password': password };
      const call = { headers: { 'content-type': 'text/plain; charset=UTF-8', ...login, ...headers } };
      const answer = await client.open({ method: 'POST', path, body: Buffer.from(body), ...call }, signal);
      return { ...answer, body: (await readText(answer.body))?.trim() };
    };
    return {
      async execute(inputs, { signal, idempotency_key, report_url }) {
        const text = message(inputs);
        const answer = await post(headersOf(text, senderOf(configured, text.from), report_url), text.text, signal);
        const found = acceptances.find(({ word }) => answer.status === 202 && answer.body === word);
        if (found === undefined) throw refusal(kannel, answer);
        const { segments, encoding } = text;
        return { message_id: idempotency_key, status: found.status, segments, encoding };
      },
      // A message without a recipient.
      async probe(signal) {
        expectRejection(kannel, await post({}, 'probe', signal));
      },
      close: () => client.close(),
    };
  },
});

// Userguide, "X-Kannel Headers": with POST no part of the message or the login is in the address, which Kannel logs.
function headersOf({ to, encoding, valid_for_s }: Message, from: string, report_url?: string): Record<string, string> {
  return given({
    ...{ 'x-kannel-to': to, 'x-kannel-from': from, 'x-kannel-coding': encoding === 'gsm7' ? '0' : '2' },
    // Minutes.
    'x-kannel-validity': valid_for_s === undefined ? undefined : String(Math.floor(valid_for_s / 60)),
    ...(report_url === undefined ? {} : { 'x-kannel-dlr-mask': '31', 'x-kannel-dlr-url': reportAddress(report_url) }),
  });
}

// Userguide, "Parameters (Escape Codes)": `%d` becomes the state of the delivery, `%T` its time in seconds since 1970.
function reportAddress(report_url: string): string {
  return `${report_url.replaceAll('%', '%%')}${report_url.includes('?') ? '&' : '?'}status=%d&at=%T`;
}

function isUnencrypted(url: string): boolean {
  const { hostname, protocol } = URL.parse(url) ?? {};
  return protocol === 'http:' && !isLoopbackHost(hostname ?? '');
}
