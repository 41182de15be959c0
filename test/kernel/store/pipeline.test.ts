import { expect } from 'chai';
import { PlatformError } from '../../../kernel/error.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { Batch } from '../../../kernel/store/message.ts';
import { Pipeline } from '../../../kernel/store/pipeline.ts';
import { rejection } from '../../helpers/stores/open.ts';

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
