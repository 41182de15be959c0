import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { Followers } from '../../../../plugins/runtime/queue/followers.ts';

describe('those who wait for the end of a run', () => {
  const process = new AbortController();
  const listening = (): number => getEventListeners(process.signal, 'abort').length;

  for (const [how, wait] of [
    ['was told', (followers: Followers) => followers.tell('run_1')],
    ['is there already', () => undefined],
    ['takes too long', () => undefined],
  ] as const)
    it(`leave nothing at a signal that lives on, when the end ${how}`, async () => {
      const followers = new Followers(() => how === 'is there already');
      const waits = Array.from({ length: 20 }, () =>
        followers.wait('run_1', how === 'takes too long' ? 20 : 60_000, [process.signal]),
      );
      expect(listening()).to.be.greaterThan(0);
      wait(followers);
      await Promise.all(waits);
      expect(listening()).to.equal(0);
    });

  it('end when the server drains', async () => {
    const drain = new AbortController();
    const followers = new Followers(() => false);
    const waits = followers.wait('run_1', 60_000, [drain.signal]);
    drain.abort();
    await waits;
  });
});
