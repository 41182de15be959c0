import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { compile, type JsonSchema } from '../../../../kernel/index.ts';
import { push } from '../../../../providers/push/contract.ts';
import { pushMessage } from '../../../../providers/push/message/message.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { full, text } from '../vendors/bed.ts';
import { keys, subscriptionAt } from '../vendors/service.ts';

const manifest = JSON.parse(readFileSync(join(packageDir, 'data/orbs/notify.push@1.0.0.json'), 'utf8')) as {
  inputs_schema: JsonSchema;
};
const subscription = subscriptionAt('https://fcm.googleapis.com');
const to = { subscription };

describe('the inputs of push messages', () => {
  const check = compile(manifest.inputs_schema);
  const fits = (inputs: object): boolean => check(structuredClone(inputs)).length === 0;
  const parses = (inputs: object): boolean => {
    try {
      pushMessage(inputs as Record<string, unknown>);
      return true;
    } catch (error) {
      expect(error).to.be.instanceOf(ProviderError).and.include({ outcome: 'rejected' });
      return false;
    }
  };

  const good: readonly [string, object][] = [
    ['a subscription', { ...text, to }],
    ['every input', { ...full, to }],
    ['a token', { ...text, to: { token: 'f'.repeat(64) } }],
    ['a topic', { ...text, to: { topic: 'alerts' } }],
    ['a user', { ...text, to: { user: 'ada' } }],
    ['right-to-left and zero-width text', { ...text, to, body: '\u202eabc\u200b\u200d\ufeff' }],
    ['200 and 2,000 characters of emoji', { to, title: '😀'.repeat(200), body: '😀'.repeat(2000) }],
    ['keys in the other alphabet', { ...text, to: { subscription: { ...subscription, keys: padded() } } }],
    ['no expiration', { ...text, to: { subscription: { endpoint: 'https://a.push.apple.com/Q', keys } } }],
    ['28 days', { ...text, to, ttl_s: 2419200 }],
  ];
  for (const [name, inputs] of good)
    it(`allow ${name}`, () => expect([fits(inputs), parses(inputs)]).to.deep.equal([true, true]));

  const bad: readonly [string, object][] = [
    ['no recipient', { ...text }],
    ['an empty recipient', { ...text, to: {} }],
    ['two recipients', { ...text, to: { topic: 'a', user: 'b' } }],
    ['another form of recipient', { ...text, to: { email: 'ada@example.org' } }],
    ['a recipient with a blank', { ...text, to: { topic: 'a b' } }],
    ['no endpoint', { ...text, to: { subscription: { keys } } }],
    ['no keys', { ...text, to: { subscription: { endpoint: 'https://a.test' } } }],
    ['a short key', { ...text, to: { subscription: { ...subscription, keys: { ...keys, p256dh: 'BAAA' } } } }],
    ['a long secret', { ...text, to: { subscription: { ...subscription, keys: { ...keys, auth: 'A'.repeat(23) } } } }],
    ['no title', { to, body: 'b' }],
    ['an empty body', { to, title: 't', body: '' }],
    ['a title of two lines', { to, body: 'b', title: 'a\nb' }],
    ['a carriage return', { to, title: 't', body: 'a\r\nb' }],
    ['NUL', { to, title: 't', body: 'a\u0000b' }],
    ['an escape', { to, title: 't\u001b[2J', body: 'b' }],
    ['201 characters of title', { to, body: 'b', title: 'ü'.repeat(201) }],
    ['2,001 characters of body', { to, title: 't', body: '😀'.repeat(2001) }],
    ['a page without TLS', { ...text, to, url: 'http://example.com' }],
    ['data in data', { ...text, to, data: { a: { b: 'c' } } }],
    ['an unknown urgency', { ...text, to, urgency: 'urgent' }],
    ['29 days', { ...text, to, ttl_s: 2419201 }],
    ['half a second', { ...text, to, ttl_s: 0.5 }],
    ['a topic of 33 characters', { ...text, to, collapse: 'c'.repeat(33) }],
    ['another overflow', { ...text, to, overflow: 'split' }],
    ['another input', { ...text, to, sound: 'ping' }],
  ];
  for (const [name, inputs] of bad)
    it(`refuse ${name}`, () => expect([fits(inputs), parses(inputs)]).to.deep.equal([false, false]));

  // What a schema cannot say.
  for (const [name, inputs] of [
    ['half a character', { ...text, to, body: 'a\ud83d' }],
    ['half a character in data', { ...text, to, data: { a: '\udc00' } }],
    ['data of more than 2 KiB', { ...text, to, data: { a: 'x'.repeat(1100), b: 'x'.repeat(1100) } }],
    [
      'an endpoint with a password',
      { ...text, to: { subscription: { ...subscription, endpoint: 'https://a@b.test/' } } },
    ],
    ['a page that is no URL', { ...text, to, url: 'https://[' }],
  ] as const)
    it(`refuse ${name} before a policy sees them`, () =>
      expect([fits(inputs), parses(inputs)]).to.deep.equal([true, false]));

  it('are shown to policies by the form of the recipient and the host of its service, never the endpoint', () => {
    const parsed = (inputs: object) => push.parse?.({ ...text, ...inputs });
    expect(parsed({ to })).to.deep.equal({ to: { kind: 'subscription', host: 'fcm.googleapis.com' } });
    expect(parsed({ to: { topic: 'alerts' } })).to.deep.equal({ to: { kind: 'topic' } });
    expect(parsed({ to: { topic: 'alerts' }, url: 'https://a@Example.com./x' })).to.deep.equal({
      ...{ to: { kind: 'topic' }, url: { host: 'example.com' } },
    });
  });

  it('are all described', () => {
    const names = (schema: JsonSchema, at = ''): string[] =>
      Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, one]) => [
        `${at}${name}`,
        ...names(one, `${at}${name}.`),
      ]);
    expect(Object.keys(push.inputs ?? {})).to.have.members(names(manifest.inputs_schema));
  });
});

function padded(): object {
  const base64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
  return { p256dh: base64(keys.p256dh), auth: base64(keys.auth) };
}
