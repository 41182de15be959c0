import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { send, type Sending } from '../../../plugins/subscriptions/send.ts';
import type { Subscription } from '../../../plugins/subscriptions/subscription.ts';

const now = Date.UTC(2026, 10, 21, 12);
const { privateKey: key } = generateKeyPairSync('ed25519');
const subscription = {
  ...{ subscription_id: 'sub_1', url: 'https://receiver.test/', secret: 'whsec_AAAA' },
  wish: { types: ['run.*'], format: 'standard' },
} as unknown as Subscription;

describe('a callback whose receiver asks to come again later', () => {
  for (const [what, given, seconds] of [
    ['seconds', '7', 7],
    ['a date', 'Sat, 21 Nov 2026 12:01:30 GMT', 90],
    ['more than a day', '9999999', 86_400],
    ['a date that is over', 'Sat, 21 Nov 2026 11:00:00 GMT', undefined],
    ['an exponent', '1e3', undefined],
    ['a number in hexadecimal', '0x10', undefined],
  ] as const)
    it(`by ${what}: ${seconds ?? 'as ever'}`, async () => {
      const body = (async function* () {})();
      const outbound = { request: async () => ({ statusCode: 503, headers: { 'retry-after': given }, body }) };
      const targets = { admit: () => ({ origin: 'https://receiver.test', path: '/' }) };
      const sending = { outbound, targets, key, timeout_ms: 5000 } as unknown as Sending;
      const answered = await send(subscription, { id: 'evt_1', body: '{}', now }, sending);
      expect(answered).to.include({ kind: 'failed', status: 503 });
      expect(answered.retry_after).to.equal(seconds);
    });
});
