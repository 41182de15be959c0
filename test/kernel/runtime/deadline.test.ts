import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Patience } from '../../../kernel/runtime/deadline.ts';
import type { Outcome } from '../../../kernel/runtime/outcome.ts';

describe('the patience with one attempt', () => {
  it('is never over once the call has ended, even for those who ask for the signal later', async () => {
    const calls: readonly (() => Promise<Outcome | undefined>)[] = [
      () => Promise.resolve({ outcome: 'accepted', outputs: {} }),
      () => Promise.reject(new Error('no')),
    ];
    for (const call of calls) {
      const patience = new Patience(20, 'timeout');
      await patience.bound(call()).catch(() => undefined);
      await delay(40);
      expect([patience.ended, patience.over, patience.signal.aborted]).to.deep.equal([true, undefined, false]);
    }
  });

  it('is over after its time: the signal tells, whether it was asked for before or after', async () => {
    const [before, after] = [new Patience(20, 'timeout'), new Patience(20, 'timeout')];
    const { signal } = before;
    expect(signal.aborted).to.equal(false);
    await delay(40);
    expect([signal.aborted, after.signal.aborted, after.over, after.ended]).to.deep.equal([
      true,
      true,
      'timeout',
      false,
    ]);
  });

  it('counts from its beginning, however long the turn took in which it began', async () => {
    const patience = new Patience(60, 'timeout');
    for (const until = performance.now() + 50; performance.now() < until;);
    await delay(40);
    expect(patience.over).to.equal('timeout');
  });

  it('starts a timer for a call that outlasts the turn, and none for one that has ended by then', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    // Mocha starts the timer of a test once the test waits.
    await nextTurn();
    const before = timers();
    const lasting = new Patience(60_000, 'timeout');
    const answer = Promise.withResolvers<Outcome | undefined>();
    const bound = lasting.bound(answer.promise);
    await new Patience(60_000, 'timeout').bound(Promise.resolve(undefined));
    expect(timers() - before).to.equal(0);
    await nextTurn();
    expect(timers() - before).to.equal(1);
    answer.resolve(undefined);
    await bound;
    expect(timers() - before).to.equal(0);
  });
});
