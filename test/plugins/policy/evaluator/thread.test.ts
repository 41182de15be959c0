import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createPool } from '../../../../plugins/policy/evaluator/pool.ts';
import type { Question } from '../../../../plugins/policy/evaluator/question.ts';

describe('an evaluating thread that the system has no room for', () => {
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  it('answers each question with its stable reason and keeps none waiting', async () => {
    mock.method(threads, 'Worker', function () {
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
    });
    syncBuiltinESMExports();
    const pool = createPool({ threads: 2, deadlineMs: 1000, queue: { all: 100, each: 100 } });
    pool.warm();
    const question: Question = {
      revision: 'r',
      entrypoint: 'orb/system/execute',
      input: '{}',
      time_ns: '1',
      principal: 'prn_1',
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => pool.evaluate(question)));
    for (const answer of answers) expect(answer).to.include({ fault: 'policy_overloaded' });
    expect(pool.queued()).to.equal(0);
    await pool.stop();
  });
});

describe('an evaluation that waits for the processor and fails', () => {
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  it('is answered with its own fault, not with that of one that used up its time', async () => {
    mock.method(threads, 'Worker', function () {
      const worker = new EventEmitter();
      const postMessage = ({ id }: { readonly id?: number }): void => {
        const outcome = { fault: 'policy_error', detail: 'a conflict' };
        if (id !== undefined) queueMicrotask(() => worker.emit('message', { id, took_ms: 60_000, outcome }));
      };
      return Object.assign(worker, { postMessage, unref: () => undefined, terminate: () => Promise.resolve(0) });
    });
    syncBuiltinESMExports();
    const pool = createPool({ threads: 1, deadlineMs: 30_000, queue: { all: 10, each: 10 } });
    const answer = await pool.evaluate({ revision: 'r', entrypoint: 0, input: '{}', time_ns: '1', principal: 'prn_1' });
    expect(answer).to.deep.equal({ fault: 'policy_error', detail: 'a conflict' });
    await pool.stop();
  });
});
