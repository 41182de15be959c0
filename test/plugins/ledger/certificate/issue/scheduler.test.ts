import { expect } from 'chai';
import { repeated } from '../../../../../plugins/ledger/certificate/issue/scheduler.ts';

describe('a repeated task', () => {
  /** A task whose runs end when the test says so. */
  const held = () => {
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    const end = async (at: number): Promise<void> => {
      while (ends[at] === undefined) await new Promise(setImmediate);
      ends[at]();
    };
    return { task, end, begun: () => ends.length, most: () => most };
  };

  it('never runs twice at once, and once more for all calls during a run', async () => {
    const { task, end, begun, most } = held();
    const all = repeated(task, () => undefined);
    const first = all.run();
    while (begun() === 0) await new Promise(setImmediate);
    const later = [all.run(), all.run(), all.run()];
    await end(0);
    await first;
    await end(1);
    await Promise.all(later);
    expect([begun(), most()]).to.deep.equal([2, 1]);
  });

  it('tells of a failure, and runs again', async () => {
    const told: unknown[] = [];
    let fails = true;
    const all = repeated(
      () => (fails ? Promise.reject(new Error('once')) : Promise.resolve()),
      (error) => void told.push(error),
    );
    await all.run();
    fails = false;
    await all.run();
    expect(told).to.have.length(1);
  });

  it('tells of no failure once it stops: what it rests on ends with it', async () => {
    const told: unknown[] = [];
    const { promise, reject } = Promise.withResolvers<undefined>();
    const all = repeated(
      () => promise,
      (error) => void told.push(error),
    );
    all.wake();
    await new Promise(setImmediate);
    const stopped = all.stop();
    reject(new Error('the ledger is stopping'));
    await stopped;
    expect(told).to.deep.equal([]);
  });

  it('waits for the run under way when it stops, and begins none after', async () => {
    const { task, end, begun } = held();
    const all = repeated(task, () => undefined);
    all.wake();
    while (begun() === 0) await new Promise(setImmediate);
    all.wake();
    const stopped = all.stop();
    await end(0);
    await stopped;
    await all.run();
    expect(begun()).to.equal(1);
  });
});
