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
