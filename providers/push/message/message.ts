import { given, ProviderError } from '../../../kernel/adapter.ts';
import { parseTarget } from '../../../kernel/outbound.ts';
import { hostOf } from '../../vendor/http/link.ts';

/** How soon a device that saves power gets a message (RFC 8030 §5.3). */
export type Urgency = (typeof urgencies)[number];

const urgencies = ['very-low', 'low', 'normal', 'high'] as const;
const kinds = ['subscription', 'token', 'topic', 'user'] as const;

/** Address and keys of a browser, decoded. */
export interface Subscription {
  readonly endpoint: string;
  /** Public key of the browser: a point of P-256, not compressed. */
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** The one recipient of a message. */
export type Recipient =
  | ({ readonly kind: 'subscription' } & Subscription)
  | { readonly kind: Exclude<(typeof kinds)[number], 'subscription'>; readonly name: string };

/** A checked push message; what the caller left out has its default. */
export interface PushMessage {
  readonly to: Recipient;
  readonly title: string;
  readonly body: string;
  readonly url?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly urgency: Urgency;
  readonly ttl_s: number;
  readonly collapse?: string;
  readonly overflow: 'reject' | 'truncate';
}

type Inputs = Readonly<Record<string, unknown>>;

const members = ['to', 'title', 'body', 'url', 'data', 'urgency', 'ttl_s', 'collapse', 'overflow'];
const line = /^[^\u0000-\u001f\u007f]{1,200}$/u;
const lines = /^[^\u0000-\u0008\u000b-\u001f\u007f]{1,2000}$/u;
const mostData = 2048;
const longestTtl = 2419200;

/**
 * Turns inputs into a checked message. Throws ProviderError `rejected`, which names the input but never its value. It
 * checks again what the schema of notify.push checks: other Orbs of the capability may have another schema.
 */
export function pushMessage(inputs: Inputs): PushMessage {
  const unknown = Object.keys(inputs).find((name) => !members.includes(name));
  if (unknown !== undefined) throw refused('inputs', 'contain a member that this capability does not know');
  const { ttl_s = 86400 } = inputs;
  if (!Number.isInteger(ttl_s) || (ttl_s as number) < 0 || (ttl_s as number) > longestTtl)
    throw refused('ttl_s', `must be a whole number from 0 to ${longestTtl}`);
  return {
    to: recipientOf(inputs['to']),
    title: textOf(inputs, 'title', line),
    body: textOf(inputs, 'body', lines),
    ...given({
      url: 'url' in inputs ? linkOf(inputs) : undefined,
      data: 'data' in inputs ? dataOf(inputs['data']) : undefined,
      collapse: 'collapse' in inputs ? textOf(inputs, 'collapse', /^[A-Za-z0-9_-]{1,32}$/u) : undefined,
    }),
    urgency: oneOf(urgencies, inputs['urgency'] ?? 'normal', 'urgency'),
    ttl_s: ttl_s as number,
    overflow: oneOf(['reject', 'truncate'] as const, inputs['overflow'] ?? 'reject', 'overflow'),
  };
}

/** What policies see of a message in addition to its inputs. The endpoint of a subscription is a secret: only its host. */
export interface ParsedPush {
  readonly to: { readonly kind: Recipient['kind']; readonly host?: string };
  /** The page that the message opens. */
  readonly url?: { readonly host: string };
}

/** Parses the inputs as `pushMessage` does, for policies. Throws ProviderError `rejected`. */
export function parsedPush(inputs: Inputs): ParsedPush {
  const { to, url = '' } = pushMessage(inputs);
  const host = hostOf(url);
  return {
    to: { kind: to.kind, ...('endpoint' in to && { host: parseTarget(to.endpoint).host }) },
    ...(host === undefined ? {} : { url: { host } }),
  };
}

/** Makes the refusal of a recipient that a vendor cannot serve; `served` names the forms that it can. */
export function unserved(title: string, served: string): ProviderError {
  return new ProviderError('rejected', `to is no recipient of ${title}, which serves ${served}`, {
    phase: 'inputs',
    reason: 'recipient_unknown',
  });
}

/** Makes the refusal of a message that is too long for a vendor. */
export function tooLong(title: string, most: number): ProviderError {
  return new ProviderError('rejected', `the message is longer than ${most} bytes, the most that ${title} takes`, {
    phase: 'inputs',
    reason: 'content_too_long',
  });
}

function recipientOf(value: unknown): Recipient {
  const to = objectOf(value, 'to');
  const [kind, ...others] = Object.keys(to);
  const known = kinds.find((one) => one === kind);
  if (known === undefined || others.length > 0) throw refused('to', `must have exactly one of ${kinds.join(', ')}`);
  if (known !== 'subscription') return { kind: known, name: textOf(to, known, /^[!-~]{1,4096}$/u, 'to.') };
  const subscription = objectOf(to[known], 'to.subscription');
  const keys = objectOf(subscription['keys'], 'to.subscription.keys');
  const endpoint = textOf(subscription, 'endpoint', /^\S{1,4096}$/u, 'to.subscription.');
  parseTarget(endpoint);
  const key = (name: string, length: number): Buffer => {
    // Node.js reads both alphabets of base64, and some pages write the one with `+` and `/`.
    const bytes = Buffer.from(textOf(keys, name, /^[A-Za-z0-9+/_-]+={0,2}$/u, 'to.subscription.keys.'), 'base64url');
    if (bytes.length === length) return bytes;
    throw refused(`to.subscription.keys.${name}`, `must be ${length} bytes in base64url`);
  };
  return { kind: known, endpoint, p256dh: key('p256dh', 65), auth: key('auth', 16) };
}

function linkOf(inputs: Inputs): string {
  const url = textOf(inputs, 'url', /^https:\/\/\S{1,2040}$/u);
  if (URL.canParse(url)) return url;
  throw refused('url', 'must be a URL with https');
}

function dataOf(value: unknown): Readonly<Record<string, string>> {
  const data = objectOf(value, 'data');
  const texts = Object.values(data).every((text) => typeof text === 'string' && text.isWellFormed());
  if (!texts) throw refused('data', 'must have well-formed texts as values');
  if (Buffer.byteLength(JSON.stringify(data)) > mostData) throw refused('data', `has more than ${mostData} bytes`);
  return data as Readonly<Record<string, string>>;
}

function objectOf(value: unknown, at: string): Inputs {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw refused(at, 'must be an object');
}

function textOf(inputs: Inputs, name: string, form: RegExp, below = ''): string {
  const value = inputs[name];
  if (typeof value === 'string' && value.isWellFormed() && form.test(value)) return value;
  throw refused(`${below}${name}`, 'is missing, too long, or has a character that is not allowed there');
}

function oneOf<const T extends string>(allowed: readonly T[], value: unknown, at: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw refused(at, `must be one of ${allowed.join(', ')}`);
  return found;
}

function refused(at: string, reason: string): ProviderError {
  return new ProviderError('rejected', `${at} ${reason}`, { phase: 'inputs' });
}
