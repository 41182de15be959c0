import { expect } from 'chai';
import type { Store } from '../../../../kernel/index.ts';
import { reloading } from '../../../helpers/reloading.ts';
import { openLedger, type OpenedLedger } from '../opened.ts';
import { runPredicate, syntheticLog } from '../synthetic-log.ts';

type Learn = ReturnType<typeof reloading>;

describe('a ledger that is busy', () => {
  let ledger: OpenedLedger;
  afterEach(() => ledger.close());

  /** Opens the ledger of a node among several; `learn` tells it of a change of another node. */
  async function open(held: boolean, reading = (): Promise<void> | undefined => undefined) {
    const log = syntheticLog();
    const learners: Learn[] = [];
    const peers = (real: Store['peers']): Store['peers'] => ({
      ...real,
      whenHeld: () => ({ now: held, begun: undefined, stop: () => undefined }),
      follow: (_, ...how) => void learners.push(reloading(...how)),
    });
    ledger = await openLedger(log, {
      peers,
      reading: (reads) => ({ ...reads, state: async () => (await reading(), reads.state()) }),
    });
    const learn = async (): Promise<void> => {
      for (const one of learners) await one(['advance']);
    };
    return { log, learn };
  }

  it('learns at once on the node that folds the log, while that catches up', async () => {
    const { log, learn } = await open(true);
    const gate = Promise.withResolvers<void>();
    const { entriesAfter } = log;
    Object.assign(log, {
      entriesAfter: async (...args: Parameters<typeof entriesAfter>) => (await gate.promise, entriesAfter(...args)),
    });
    log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }));
    let caughtUp = false;
    const folded = ledger.catchUp().then(() => (caughtUp = true));
    const began = performance.now();
    await learn();
    expect([caughtUp, performance.now() - began < 1000]).to.deep.equal([false, true]);
    gate.resolve();
    await folded;
  });

  it('does not wait for a long task elsewhere, and reads what it was told of after it', async () => {
    const gate: { closed?: PromiseWithResolvers<void> } = {};
    let read = 0;
    const { learn } = await open(false, () => ((read += 1), gate.closed?.promise));
    gate.closed = Promise.withResolvers();
    const already = read;
    const began = performance.now();
    await learn();
    expect(performance.now() - began).to.be.within(1000, 2000);
    const second = learn();
    gate.closed.resolve();
    await second;
    expect(read - already, 'each read what was committed before it').to.equal(2);
  });
});
