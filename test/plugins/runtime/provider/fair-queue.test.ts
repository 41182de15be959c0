import { expect } from 'chai';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { FairQueue } from '../../../../plugins/runtime/provider/fair-queue.ts';

describe('the queue in front of a provider', () => {
  it('lets a quiet tenant go after one call of the loud one, however many of those wait', async () => {
    const queue = new FairQueue({ concurrency: 1, length: 1000 }, systemClock);
    const served: string[] = [];
    const call = async (tenant: string): Promise<void> => {
      if ((await queue.enter(tenant, 10_000)) !== undefined) return;
      served.push(tenant);
      queue.leave();
    };
    expect(await queue.enter('loud', 0)).to.equal(undefined);
    const calls = [...Array.from({ length: 500 }, () => call('loud')), call('quiet'), call('quiet'), call('third')];
    queue.leave();
    await Promise.all(calls);
    expect(served.slice(0, 6)).to.deep.equal(['loud', 'quiet', 'third', 'loud', 'quiet', 'loud']);
    expect(served).to.have.length(503);
  });

  it('lets no more than its concurrency through', async () => {
    const queue = new FairQueue({ concurrency: 3, length: 100 }, systemClock);
    let running = 0;
    let most = 0;
    const call = async (): Promise<void> => {
      await queue.enter('t', 10_000);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      queue.leave();
    };
    await Promise.all(Array.from({ length: 50 }, call));
    expect([most, running, queue.waiting]).to.deep.equal([3, 0, 0]);
  });

  it('refuses who fills it, and still takes another tenant', async () => {
    const queue = new FairQueue({ concurrency: 1, length: 2 }, systemClock);
    await queue.enter('loud', 0);
    const waiting = [queue.enter('loud', 1000), queue.enter('loud', 1000)];
    expect(queue.isFull('loud')).to.equal(true);
    expect(await queue.enter('loud', 1000)).to.equal('full');
    expect(queue.isFull('quiet')).to.equal(false);
    const quiet = queue.enter('quiet', 1000);
    for (let n = 0; n < 4; n++) queue.leave();
    expect(await Promise.all([...waiting, quiet])).to.deep.equal([undefined, undefined, undefined]);
  });

  it('gives up when the patience is over, and its place with it', async () => {
    const queue = new FairQueue({ concurrency: 1, length: 10 }, systemClock);
    await queue.enter('t', 0);
    expect(await queue.enter('t', 5)).to.equal('late');
    expect(queue.waiting).to.equal(0);
    queue.leave();
    expect(await queue.enter('t', 5)).to.equal(undefined);
  });

  it('lets no more through than its rate, and serves who waits by the clock', async () => {
    const queue = new FairQueue({ rate: { count: 5, window_s: 1 }, length: 100 }, systemClock);
    const begun = performance.now();
    const times = await Promise.all(
      Array.from({ length: 8 }, async () => {
        expect(await queue.enter('t', 10_000)).to.equal(undefined);
        queue.leave();
        return performance.now() - begun;
      }),
    );
    // Five at once, then one every 200 ms at most.
    expect(times[5]).to.be.at.least(190);
    expect(times[7]).to.be.at.least(590);
  });

  it('serves who waits when the rate lets it go while it is asked', async () => {
    // The clock moves on between two looks at it.
    let looks = [0];
    const clock = { monotonic: () => (looks.length > 1 ? looks.shift() : looks[0]) ?? 0 };
    const queue = new FairQueue({ rate: { count: 1, window_s: 0.02 }, length: 10 }, clock);
    expect(await queue.enter('t', 0)).to.equal(undefined);
    const waiting = queue.enter('t', 1000);
    looks = [19.9, 20.1];
    expect(await waiting).to.equal(undefined);
  });

  it('keeps to its rate and its concurrency at once, fair to tenants', async () => {
    const clock = { now: 0, monotonic: () => clock.now };
    const queue = new FairQueue({ rate: { count: 2, window_s: 1 }, concurrency: 1, length: 100 }, clock);
    const served: string[] = [];
    const call = async (tenant: string): Promise<void> => {
      if ((await queue.enter(tenant, 10_000)) === undefined) served.push(tenant);
    };
    const calls = [call('a'), call('a'), call('a'), call('b')];
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    await settle();
    expect(served).to.deep.equal(['a']);
    queue.leave();
    await settle();
    expect(served).to.deep.equal(['a', 'a']);
    queue.leave();
    await settle();
    expect(served, 'the rate is used up').to.have.length(2);
    clock.now = 1000;
    await queue.enter('c', 0);
    while (served.length < 4) {
      queue.leave();
      clock.now += 1000;
      await settle();
    }
    await Promise.all(calls);
    expect(served.slice(2).sort()).to.deep.equal(['a', 'b']);
  });

  describe('with a rate of one a second', () => {
    const clock = { now: 0, monotonic: () => clock.now };
    let queue: FairQueue;
    beforeEach(() => {
      clock.now = 0;
      queue = new FairQueue({ rate: { count: 1, window_s: 1 }, length: 10 }, clock);
    });

    it('lets nobody pass those who wait, although there is a place by now', async () => {
      await queue.enter('t', 0);
      const waiting = queue.enter('t', 10_000);
      clock.now = 1000;
      expect(await queue.enter('other', 5)).to.equal('late');
      queue.leave();
      expect(await waiting).to.equal(undefined);
    });

    it('saves no more places up than its count, however long nobody came', async () => {
      clock.now = 60_000;
      expect([await queue.enter('t', 0), await queue.enter('t', 5)]).to.deep.equal([undefined, 'late']);
    });
  });

  it('takes other tenants up to twice its length, and no more', async () => {
    const queue = new FairQueue({ concurrency: 1, length: 1 }, systemClock);
    await queue.enter('loud', 0);
    const waiting = [queue.enter('loud', 1000), queue.enter('second', 1000)];
    expect([queue.isFull('third'), await queue.enter('third', 1000)]).to.deep.equal([true, 'full']);
    queue.leave();
    queue.leave();
    expect(await Promise.all(waiting)).to.deep.equal([undefined, undefined]);
  });

  for (const tenant of ['t', 'other'])
    it(`serves the next of ${tenant === 't' ? 'the same' : 'another'} tenant when one has given up`, async () => {
      const queue = new FairQueue({ concurrency: 1, length: 10 }, systemClock);
      await queue.enter('t', 0);
      expect(await queue.enter('t', 1)).to.equal('late');
      const waiting = queue.enter(tenant, 1000);
      queue.leave();
      expect([await waiting, queue.waiting]).to.deep.equal([undefined, 0]);
      queue.leave();
      expect(await queue.enter('t', 0)).to.equal(undefined);
    });

  it('wakes who waits for the rate, though nobody leaves', async () => {
    const queue = new FairQueue({ rate: { count: 1, window_s: 0.02 }, length: 10 }, systemClock);
    expect([await queue.enter('t', 0), await queue.enter('t', 10_000)]).to.deep.equal([undefined, undefined]);
  });

  it('keeps no timer for those who were served', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const queue = new FairQueue({ concurrency: 1, length: 10 }, systemClock);
    await queue.enter('t', 0);
    // Mocha starts the timer of a test once the test waits.
    await new Promise((resolve) => setImmediate(resolve));
    const before = timers();
    const waiting = queue.enter('t', 60_000);
    expect(timers() - before).to.equal(1);
    queue.leave();
    await waiting;
    expect(timers() - before).to.equal(0);
  });
});
