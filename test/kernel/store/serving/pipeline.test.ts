import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Batch } from '../../../../kernel/store/message.ts';
import { Pipeline } from '../../../../kernel/store/serving/pipeline.ts';
import { rejection } from '../../../helpers/stores/open.ts';

const clock = { now: () => 0, monotonic: () => 0 };

describe('the pipeline of writes', () => {
  let posted: Batch[];
  let refuses: boolean;
  let pipeline: Pipeline;
  beforeEach(() => {
    posted = [];
    refuses = false;
    const post = (batch: Batch): void => {
      if (refuses) throw new Error('the thread is gone');
      posted.push(structuredClone(batch));
    };
    pipeline = new Pipeline({ operations: [['notes', ['add']]], clock, log: silentLog, post });
  });

  const write = (args: unknown) => pipeline.write([{ store: 'notes', name: 'add', args }]);
  const writes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => write(from + index));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Answers the oldest batch under way: each write with what it was given. */
  const answer = (): void => {
    const batch = posted[answered++];
    pipeline.answer({ kind: 'answer', results: [...(batch?.args ?? [])], failures: [] });
  };
  let answered = 0;
  beforeEach(() => void (answered = 0));

  it('sends a batch that is not full only while fewer than two are under way, and a full one as the third', async () => {
    const sizes = () => posted.map(({ sizes: each }) => each.length);
    const all = [write(0)];
    await turn();
    all.push(...writes(1, 139));
    await turn();
    expect(sizes(), 'ten wait: three batches are under way').to.deep.equal([1, 64, 64]);
    answer();
    await turn();
    expect(sizes(), 'ten wait: two batches are under way').to.deep.equal([1, 64, 64]);
    all.push(...writes(139, 193));
    expect(sizes(), 'what waits is full').to.deep.equal([1, 64, 64, 64]);
    all.push(...writes(193, 200));
    answer();
    await turn();
    expect(sizes(), 'seven wait: two batches are under way').to.deep.equal([1, 64, 64, 64]);
    answer();
    expect(sizes(), 'one batch is under way').to.deep.equal([1, 64, 64, 64, 7]);
    answer();
    answer();
    await Promise.all(all);
  });

  it('gathers the writes of one turn of the event loop', async () => {
    const all = writes(0, 3);
    expect(posted).to.deep.equal([]);
    await turn();
    expect(posted.map(({ args }) => args)).to.deep.equal([[0, 1, 2]]);
    answer();
    await Promise.all(all);
  });

  it('keeps the order of writes when one among them cannot cross', async () => {
    // Three full batches are under way: what follows waits, and goes in parts.
    const good = writes(0, 200);
    const refused = rejection(write(() => undefined));
    good.push(...writes(200, 500));
    expect(posted.length).to.equal(3);
    while (answered < posted.length || pipeline.outstanding() > 0) {
      if (answered < posted.length) answer();
      else await turn();
    }
    expect(await refused)
      .to.be.instanceOf(PlatformError)
      .and.include({ code: 'internal' });
    expect((await Promise.all(good)).flat()).to.deep.equal(Array.from({ length: 500 }, (_, index) => index));
    expect(posted.flatMap(({ args }) => args)).to.deep.equal(Array.from({ length: 500 }, (_, index) => index));
  });

  it('rejects what it cannot hand over although each write could cross', async () => {
    refuses = true;
    const refused = [rejection(write(1)), rejection(write(2))];
    for (const error of await Promise.all(refused)) expect(error).to.include({ code: 'internal' });
    expect(pipeline.outstanding()).to.equal(0);
    await pipeline.empty();
  });

  it('rejects all that waits, each once, when nobody will answer', async () => {
    const waiting = writes(0, 300).map(rejection);
    expect(pipeline.outstanding()).to.equal(300);
    pipeline.fail();
    for (const error of await Promise.all(waiting)) expect(error).to.include({ code: 'storage_unavailable' });
    expect(pipeline.outstanding()).to.equal(0);
    await pipeline.empty();
  });

  it('is full beyond 4096 writes that have no answer', () => {
    const waiting = writes(0, 4096).map(rejection);
    expect(pipeline.isFull()).to.equal(false);
    waiting.push(rejection(write(4096)));
    expect(pipeline.isFull()).to.equal(true);
    pipeline.fail();
    return Promise.all(waiting);
  });
});
