import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { lateClock, startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const clock = lateClock();
const body = '{"a":1}';

describe('a delivery that does not authenticate', () => {
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const seconds = (ahead: number): string => String(Math.floor(clock.now() / 1000) + ahead);
  const timed = { scheme: 'signature', timestamp_header: 'X-Time', header: 'X-Proof', prefix: 'v1=' };
  const mac = (secret: string, time: string): string =>
    `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
  const old = (secret: string) => ({ 'x-time': seconds(-301), 'x-proof': mac(secret, seconds(-301)) });
  const future = (secret: string) => ({ 'x-time': seconds(90), 'x-proof': mac(secret, seconds(90)) });
  type Headers = Record<string, string> | ((secret: string) => Record<string, string>);
  const basic = `Basic ${Buffer.from('orb:guess').toString('base64')}`;

  const rows: readonly (readonly [name: string, source: object, headers: Headers, said: RegExp])[] = [
    [
      'no signature',
      { vendor: 'github' },
      {},
      /expects a signature in the header `x-hub-signature-256`.*no such header.*`sha256=` and the HMAC-SHA256 of the raw body in hex/,
    ],
    [
      'a signature of another form',
      { vendor: 'github' },
      { 'x-hub-signature-256': 'abc' },
      /`x-hub-signature-256`.*form.*`sha256=` and hexadecimal digits/,
    ],
    [
      'another signature',
      { vendor: 'github' },
      { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` },
      /in the header `x-hub-signature-256` does not match.*secret/,
    ],
    [
      'no time',
      { vendor: 'generic', auth: timed },
      { 'x-proof': 'v1=ab' },
      /time.*in the header `x-time`.*no such header/,
    ],
    [
      'a time that is no number',
      { vendor: 'generic', auth: timed },
      { 'x-proof': 'v1=ab', 'x-time': 'now' },
      /`x-time` must hold the seconds since 1970 in digits, e\.g\. \d{10}/,
    ],
    [
      'an old time',
      { vendor: 'generic', auth: timed },
      old,
      /too old: the header `x-time` says 2026-\S+Z, the clock of this server 2026-\S+Z.*the limit is 300 s/,
    ],
    ['a time to come', { vendor: 'generic', auth: timed }, future, /from the future: the header `x-time` says 2026-/],
    [
      'no Standard Webhooks signature',
      { vendor: 'standard-webhooks' },
      {},
      /`webhook-signature`.*no such header; its value is `v1,` and the HMAC-SHA256 of the text of `webhook-id` \(any id of the message\), a dot, .*in base64.*`whsec_`/,
    ],
    [
      'no signature with a time',
      { vendor: 'generic', auth: timed },
      {},
      /its value is `v1=` and the HMAC-SHA256 of the text of the header `x-time` \(seconds since 1970\), a dot and the raw body in hex/,
    ],
    [
      'a Standard Webhooks delivery without id',
      { vendor: 'standard-webhooks' },
      { 'webhook-signature': 'v1,abcd' },
      /`webhook-id`/,
    ],
    ['no signature of Segment', { vendor: 'segment' }, {}, /`x-signature`.*HMAC-SHA1 of the raw body/],
    ['no bearer', { vendor: 'alertmanager' }, {}, /`Authorization: Bearer <secret>`.*no header `authorization`/],
    [
      'another bearer',
      { vendor: 'alertmanager' },
      { authorization: 'Bearer guess' },
      /secret in the header `authorization`/,
    ],
    [
      'Basic for Bearer',
      { vendor: 'alertmanager' },
      { authorization: basic },
      /`Authorization: Bearer <secret>`.*another form/,
    ],
    [
      'no secret in its header',
      { vendor: 'generic', auth: { scheme: 'header', header: 'X-Token' } },
      {},
      /secret in the header `x-token`.*no such header/,
    ],
    [
      'another secret in its header',
      { vendor: 'generic', auth: { scheme: 'header', header: 'X-Token' } },
      { 'x-token': 'guess' },
      /`x-token` is not a secret/,
    ],
    [
      'no Basic',
      { vendor: 'grafana', auth: { scheme: 'basic' } },
      {},
      /`Authorization: Basic <user:secret in base64>`/,
    ],
    [
      'another Basic',
      { vendor: 'grafana', auth: { scheme: 'basic' } },
      { authorization: basic },
      /the user or the secret/,
    ],
  ];

  const sources = new Map<string, MadeSource>();
  async function sourceOf(settings: object): Promise<MadeSource> {
    const name = JSON.stringify(settings);
    const made = sources.get(name) ?? (await home.source({ name: `s${sources.size}`, ...settings }));
    sources.set(name, made);
    return made;
  }

  for (const [name, settings, headers, said] of rows)
    it(`is told what its source expects: ${name}`, async () => {
      const source = await sourceOf(settings);
      const sent = typeof headers === 'function' ? headers(source.secret) : headers;
      const answer = await home.hook(source.path, { body, headers: { 'content-type': 'application/json', ...sent } });
      expect([answer.status, answer.body.code]).to.deep.equal([401, 'unauthenticated']);
      expect(answer.body.detail).to.match(said);
      const correct = createHmac('sha256', source.secret).update(body).digest('hex');
      for (const hidden of [source.secret, correct, 'guess']) expect(answer.body.detail).not.to.contain(hidden);
    });
});
