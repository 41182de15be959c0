import { mock } from 'node:test';
import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Batch } from '../../../../kernel/store/message.ts';
import { Pipeline } from '../../../../kernel/store/serving/pipeline.ts';
import { Crowd } from '../../../../plugins/postgres/peers/gathering.ts';

const clock = { now: () => 0, monotonic: () => 0 };

describe('the writes to a database', () => {
  let posted: Batch[];
  let answered: number;
  let pipeline: Pipeline;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [posted, answered] = [[], 0];
    const post = (batch: Batch): void => void posted.push(batch);
    const gathering = (send: () => void) => new Crowd(send);
    pipeline = new Pipeline({ operations: [['notes', ['add']]], clock, log: silentLog, gathering, post });
  });

  afterEach(() => mock.timers.reset());

  const write = () => pipeline.write([{ store: 'notes', name: 'add', args: 0 }]);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets the time pass that writes wait for each other. */
  const moment = () => mock.timers.tick(2);
  const sizes = () => posted.map(({ sizes: each }) => each.length);
  const answer = (): void => {
    const batch = posted[answered++];
    pipeline.answer({ kind: 'answer', results: [...(batch?.args ?? [])], failures: [] });
  };
  /** Lets eight callers write at once. */
  const crowd = async (): Promise<void> => {
    const all = Array.from({ length: 8 }, write);
    await turn();
    answer();
    await Promise.all(all);
  };

  it('of a lone caller go at once', async () => {
    for (let round = 1; round < 4; round += 1) {
      const written = write();
      await turn();
      expect(sizes()).to.deep.equal(Array.from({ length: round }, () => 1));
      answer();
      await written;
    }
  });

  it('of few callers wait for the batch under way, and for most of them', async () => {
    await crowd();
    const all = Array.from({ length: 5 }, write);
    await turn();
    expect(sizes(), 'five of eight').to.deep.equal([8]);
    all.push(write());
    await turn();
    expect(sizes(), 'most of them').to.deep.equal([8, 6]);
    all.push(write(), write());
    await turn();
    expect(sizes(), 'a batch is under way').to.deep.equal([8, 6]);
    answer();
    await turn();
    moment();
    expect(sizes(), 'the two that were late').to.deep.equal([8, 6, 2]);
    answer();
    await Promise.all(all);
  });

  it('go after a moment when the others do not come', async () => {
    await crowd();
    const written = write();
    await turn();
    expect(sizes()).to.deep.equal([8]);
    moment();
    expect(sizes()).to.deep.equal([8, 1]);
    answer();
    await written;
  });

  it('of a caller that is alone again go at once', async () => {
    await crowd();
    for (let round = 0; round < 20; round += 1) {
      const written = write();
      await turn();
      moment();
      answer();
      await written;
    }
    const { length } = posted;
    const written = write();
    await turn();
    expect(posted.length).to.equal(length + 1);
    answer();
    await written;
  });

  it('of many callers go as they come', async () => {
    const all = Array.from({ length: 60 }, write);
    await turn();
    answer();
    const next = Array.from({ length: 2 }, write);
    await turn();
    expect(sizes()).to.deep.equal([60, 2]);
    answer();
    await Promise.all([...all, ...next]);
  });
});
