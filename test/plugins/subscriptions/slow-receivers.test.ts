import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { silentLog } from '../../../kernel/tools/log.ts';
import { createMetrics } from '../../../kernel/tools/metrics.ts';
import { Deliverer, type DelivererOptions } from '../../../plugins/subscriptions/deliverer.ts';
import type { Subscription } from '../../../plugins/subscriptions/subscription.ts';
import { until } from '../../helpers/until.ts';

const { privateKey: key } = generateKeyPairSync('ed25519');
const slow = 40;
const concurrency = 4;

/** Subscriptions of one tenant with receivers that answer when they are let, and one of another tenant, each with much due. */
function slowReceivers() {
  const subscriptionOf = (number: number, tenant: string) =>
    ({
      ...{ subscription_id: `sub_${number}`, state: 'active', host: `${number}.test`, url: `https://${number}.test/` },
      ...{ secret: 'whsec_AAAA', wish: { types: ['run.*'], format: 'standard' }, tenant, created_by: `prn_${tenant}` },
    }) as unknown as Subscription;
  const all = Array.from({ length: slow + 1 }, (_, at) => subscriptionOf(at, at === slow ? 'small' : 'big'));
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let made = 0;
  const options = {
    store: { sealer: { open: () => Buffer.from('{}') }, write: async () => [undefined] },
    reads: {
      due: (subscription_id: string) =>
        Array.from({ length: 2 }, () => ({
          ...{ callback_id: `evt_${(made += 1)}`, subscription_id, run_id: 'run_1', type: 'run.failed' },
          ...{ state: 'waiting', tries: 0, made_at: 0, due_at: 0, body: new Uint8Array(1) },
        })),
      nextDue: () => undefined,
      lastFailed: () => undefined,
    },
    directory: {
      all: () => all,
      find: (id: string) => all.find(({ subscription_id }) => subscription_id === id),
      note: async () => undefined,
    },
    outbound: {
      request: async ({ origin }: { readonly origin: string }) => {
        asked.push(origin);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { statusCode: 204, headers: {}, body: (async function* () {})() };
      },
    },
    targets: { admit: (url: string) => ({ origin: new URL(url).host, path: '/' }) },
    ...{ clock: { now: () => 1 }, log: silentLog, metrics: createMetrics() },
    ...{ key, timeout_ms: 10_000, concurrency, per_host: 2, random: () => 0.5 },
  } as unknown as DelivererOptions;
  const deliverer = new Deliverer(options);
  return {
    deliverer,
    asked,
    answerOne: () => waiting.shift()?.(),
    release: () => waiting.splice(0).forEach((go) => go()),
  };
}

describe('slow receivers of callbacks', () => {
  it('of one tenant leave each second place that gets free to another tenant', async () => {
    const { deliverer, asked, answerOne, release } = slowReceivers();
    deliverer.start();
    try {
      for (let answered = 0; answered < 8; answered += 1) {
        await until(
          () => asked.length,
          (count) => count >= concurrency + answered,
          'tries',
        );
        answerOne();
      }
      const small = asked.filter((host) => host === `${slow}.test`).length;
      expect(small, asked.join()).to.be.at.least(3);
    } finally {
      const ending = setInterval(release, 5);
      await deliverer.stop();
      clearInterval(ending);
    }
  });
});
