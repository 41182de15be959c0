import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../kernel/error.ts';
import { createThread, type Thread } from '../../kernel/thread.ts';
import type { TestJob } from './thread-jobs.ts';

interface Job {
  readonly what: TestJob;
  readonly n: number;
}

const ofJob = (what: TestJob, n = 0): Job => ({ what, n });

describe('a thread beside the one that serves', function () {
  this.timeout(60_000);
  let thread: Thread<Job, number>;
  let starts: number;
  const open = (limitMs = 50_000): void => {
    starts = 0;
    thread = createThread({
      start: () => {
        starts += 1;
        return new Worker(new URL('./thread-jobs.ts', import.meta.url));
      },
      waiting: 2,
      limitMs,
    });
  };
  afterEach(() => thread.stop());

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (result) => result,
      (error: unknown) => (error instanceof PlatformError ? error.code : (error as Error).message),
    );

  it('is started by the first job alone and answers in order', async () => {
    open();
    expect(starts).to.equal(0);
    expect(await Promise.all([1, 2, 3].map((n) => thread.run(ofJob('double', n))))).to.deep.equal([2, 4, 6]);
    expect(starts).to.equal(1);
  });

  it('refuses what its bounded queue does not hold', async () => {
    open();
    const all = await Promise.all([1, 2, 3, 4, 5].map((n) => codeOf(thread.run(ofJob('double', n)))));
    expect(all).to.deep.equal([2, 4, 6, 'overloaded', 'overloaded']);
    expect(await thread.run(ofJob('double', 6))).to.equal(12);
  });

  it('hands over what is sent ahead of a result, in order, to the job that it belongs to', async () => {
    open();
    const parts: number[] = [];
    const first = thread.run(ofJob('parts', 3), (part: number) => parts.push(part));
    expect(await Promise.all([first, thread.run(ofJob('parts', 2))])).to.deep.equal([6, 4]);
    expect(parts).to.deep.equal([0, 1, 2]);
  });

  it('passes a refusal on as it was made, and any other failure as one', async () => {
    open();
    const refused: unknown = await thread.run(ofJob('refuse')).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(PlatformError);
    expect(refused).to.deep.include({ code: 'malformed_json', message: 'position 7', extensions: { retry_after: 3 } });
    expect(await codeOf(thread.run(ofJob('fail')))).to.equal('a defect');
    expect(await thread.run(ofJob('double', 2))).to.equal(4);
    expect(starts).to.equal(1);
  });

  it('gives up what takes too long, with its worker, and goes on with what waits', async () => {
    open(1000);
    const [hung, next] = [codeOf(thread.run(ofJob('hang'))), codeOf(thread.run(ofJob('double', 4)))];
    expect(await Promise.all([hung, next])).to.deep.equal(['overloaded', 8]);
    expect(starts).to.equal(2);
  });

  it('fails the job at hand when the worker ends, and starts another for the next', async () => {
    open();
    const [ended, next] = [codeOf(thread.run(ofJob('end'))), codeOf(thread.run(ofJob('double', 5)))];
    expect(await Promise.all([ended, next])).to.deep.equal(['the thread ended', 10]);
    expect(starts).to.equal(2);
  });

  it('rejects what is at hand and what waits when it is stopped', async () => {
    open();
    const all = [ofJob('hang'), ofJob('double', 1)].map((job) => codeOf(thread.run(job)));
    await thread.stop();
    expect(await Promise.all(all)).to.deep.equal(['overloaded', 'overloaded']);
  });
});
