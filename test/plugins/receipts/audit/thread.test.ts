import { once } from 'node:events';
import { mock } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { startAuditThread } from '../../../../plugins/receipts/audit/thread.ts';
import { startReceipts, temporaryDir } from '../harness.ts';

describe('the thread of the auditor', () => {
  let dir: ReturnType<typeof temporaryDir>;
  before(async () => {
    dir = temporaryDir();
    await (await startReceipts(dir.path)).stop();
  });
  after(() => dir.remove());
  afterEach(() => mock.reset());

  const nothing = (): void => undefined;
  async function started() {
    const made = once(process, 'worker') as Promise<[Worker]>;
    const thread = startAuditThread(
      { facts: [], places: [], store: { stateDir: dir.path } },
      { heard: nothing, ended: nothing },
    );
    const [worker] = await made;
    return { thread, worker };
  }

  it('is not ended from outside while it loads, which would abort the process: it ends by itself, however late', async () => {
    const { thread, worker } = await started();
    const terminate = mock.method(worker, 'terminate');
    mock.timers.enable({ apis: ['setTimeout'] });
    const closed = thread.close();
    // As if loading took an hour, as it seems to on a machine that has no processor for it.
    mock.timers.tick(3_600_000);
    await closed;
    expect(terminate.mock.callCount()).to.equal(0);
  });

  it('is ended from outside when it has begun and does not end by itself within two seconds', async () => {
    const { thread, worker } = await started();
    await once(worker, 'message');
    mock.method(worker, 'postMessage', nothing);
    const terminate = mock.method(worker, 'terminate');
    mock.timers.enable({ apis: ['setTimeout'] });
    const closed = thread.close();
    for (const [ms, times] of [
      [1999, 0],
      [1, 1],
    ] as const) {
      await new Promise(setImmediate);
      mock.timers.tick(ms);
      expect(terminate.mock.callCount()).to.equal(times);
    }
    await closed;
  });
});
