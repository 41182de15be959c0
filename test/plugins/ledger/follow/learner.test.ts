import { expect } from 'chai';
import { createLearner } from '../../../../plugins/ledger/follow/learner.ts';

/** A learner of a node whose refreshes wait until they are released. */
function create(isCurrent = false) {
  const waiting: PromiseWithResolvers<void>[] = [];
  const begins: (() => void)[] = [];
  const learner = createLearner(
    () => isCurrent,
    (began) => {
      const done = Promise.withResolvers<void>();
      waiting.push(done);
      begins.push(began);
      return done.promise;
    },
  );
  return { learner, waiting, begins };
}
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('learning what other nodes have committed', () => {
  it('does not wait where the state is current', async () => {
    const { learner, waiting } = create(true);
    await learner.learn();
    expect(waiting).to.have.length(0);
  });

  it('waits for a refresh', async () => {
    const { learner, waiting } = create();
    const learned = learner.learn();
    waiting[0]?.resolve();
    await learned;
    expect(learner.missed).to.equal(false);
  });

  it('rejects with a refresh that fails', async () => {
    const { learner, waiting } = create();
    const learned = learner.learn().catch((error: Error) => error.message);
    waiting[0]?.reject(new Error('the store is away'));
    expect(await learned).to.equal('the store is away');
    expect(learner.missed).to.equal(true);
  });

  it('returns before the node falls silent; a refresh that fails later is missed until one succeeds', async () => {
    const { begins, learner, waiting } = create();
    const began = performance.now();
    await learner.learn();
    expect(performance.now() - began).to.be.within(1000, 2000);
    begins[0]?.();
    waiting[0]?.reject(new Error('the store is away'));
    await tick();
    expect(learner.missed).to.equal(true);
    const again = learner.learn();
    waiting[1]?.resolve();
    await again;
    expect(learner.missed).to.equal(false);
  });

  it('shares a refresh that has not begun', async () => {
    const { begins, learner, waiting } = create();
    const both = [learner.learn(), learner.learn()];
    expect(waiting).to.have.length(1);
    begins[0]?.();
    const third = learner.learn();
    expect(waiting).to.have.length(2);
    for (const { resolve } of waiting) resolve();
    await Promise.all([...both, third]);
  });
});
