import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import threads from 'node:worker_threads';
import { expect } from 'chai';
import { createPool, type Pool } from '../../../../plugins/policy/evaluator/pool.ts';

/** A thread that answers when it is told to. */
class Thread extends EventEmitter {
  readonly asked: { readonly id: number; readonly input: string }[] = [];
  postMessage(message: { readonly id: number; readonly input: string }): void {
    this.asked.push(message);
  }
  unref(): void {}
  async terminate(): Promise<void> {}
  /** Answers what it was asked last. */
  answer(): void {
    this.emit('message', { id: this.asked.at(-1)?.id, took_ms: 1, outcome: { answer: [] } });
  }
}

describe('a pool of two evaluating threads', () => {
  const started: Thread[] = [];
  let pool: Pool;
  beforeEach(() => {
    started.length = 0;
    mock.method(threads, 'Worker', function () {
      started.push(new Thread());
      return started.at(-1);
    });
    syncBuiltinESMExports();
    pool = createPool({ threads: 2, deadlineMs: 60_000, queue: { all: 9, each: 9 } });
  });
  afterEach(async () => {
    await pool.stop();
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  const ask = (input: string): void =>
    void pool.evaluate({ revision: 'r', entrypoint: 'e', input, time_ns: '1', principal: 'a' });
  const asked = () => started.map((thread) => thread.asked.map(({ input }) => input).join(' '));

  it('lets no question wait for the second while it starts, and starts it only when the first is busy', () => {
    for (const input of ['1', '2']) {
      ask(input);
      expect(asked()).to.deep.equal([input === '1' ? '1' : '1 2']);
      started[0]?.answer();
    }
    ask('3');
    ask('4');
    expect(asked()).to.deep.equal(['1 2 3', '']);
    started[0]?.answer();
    expect(asked(), 'the first is free before the second runs').to.deep.equal(['1 2 3 4', '']);
    ask('5');
    started[1]?.emit('message', { running: true });
    expect(asked()).to.deep.equal(['1 2 3 4', '5']);
  });

  it('asks the other one, when one has ended, while that one starts again', () => {
    ask('1');
    ask('2');
    started[1]?.emit('message', { running: true });
    started[0]?.emit('exit');
    ask('3');
    expect(asked()).to.deep.equal(['1', '2', '']);
    started[1]?.answer();
    expect(asked()).to.deep.equal(['1', '2 3', '']);
  });
});

describe('the queue before the evaluating threads', () => {
  let thread: Thread;
  let pool: Pool;
  beforeEach(() => {
    thread = new Thread();
    mock.method(threads, 'Worker', function () {
      return thread;
    });
    syncBuiltinESMExports();
    pool = createPool({ threads: 1, deadlineMs: 60_000, queue: { all: 4, each: 2 } });
  });
  afterEach(async () => {
    await pool.stop();
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  const ask = (principal: string, input: string) =>
    pool
      .evaluate({ revision: 'r', entrypoint: 'e', input, time_ns: '1', principal })
      .then((answer) => ('fault' in answer ? answer.fault : 'answered'));
  const order = () => thread.asked.map(({ input }) => input).join(' ');

  it('holds so many of one principal, and of all together; beyond, it says so at once', async () => {
    const waiting = [ask('a', 'a0'), ask('a', 'a1'), ask('a', 'a2')];
    expect(await ask('a', 'a3')).to.equal('policy_overloaded');
    waiting.push(ask('b', 'b1'), ask('c', 'c1'));
    expect(pool.queued()).to.equal(4);
    expect(await ask('d', 'd1')).to.equal('policy_overloaded');
    // A place is free again when one was taken.
    thread.answer();
    waiting.push(ask('d', 'd2'));
    for (let left = 5; left > 0; left--) thread.answer();
    expect(await Promise.all(waiting)).to.deep.equal(Array(6).fill('answered'));
    expect(pool.queued()).to.equal(0);
  });

  it('tells its thread of a revision that came or went, and one that starts of those that are there', async () => {
    const loadable = (revision: string) => ({ revision, data: '{}' }) as unknown as Parameters<Pool['load']>[0];
    pool.load(loadable('r1'));
    pool.load(loadable('r2'));
    pool.unload('r1');
    expect(thread.asked, 'it has not started').to.deep.equal([]);
    pool.warm();
    pool.load(loadable('r3'));
    pool.unload('r2');
    expect(thread.asked).to.deep.equal([{ load: loadable('r2') }, { load: loadable('r3') }, { unload: 'r2' }]);
  });

  it('asks no thread what is refused when its turn comes', async () => {
    const refusal = { fault: 'policy_timeout', detail: 'x' } as const;
    const question = { revision: 'r', entrypoint: 'e', input: 'b0', time_ns: '1', principal: 'b' };
    const waiting = ask('a', 'a0');
    const refused = pool.evaluate({ ...question, refused: () => refusal });
    const passed = pool.evaluate({ ...question, input: 'b1', refused: () => undefined });
    thread.answer();
    expect(await refused).to.equal(refusal);
    thread.answer();
    await Promise.all([waiting, passed]);
    expect(order()).to.equal('a0 b1');
  });

  it('answers all that wait, and what comes after, when it stops', async () => {
    const waiting = [ask('a', 'a0'), ask('b', 'b0'), ask('c', 'c0')];
    await pool.stop();
    expect(await Promise.all(waiting)).to.deep.equal(Array(3).fill('policy_overloaded'));
    expect(await ask('a', 'a1')).to.equal('policy_overloaded');
    expect(pool.queued()).to.equal(0);
  });

  it('takes one of each principal in turn', async () => {
    const waiting = [ask('a', 'a0'), ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('b', 'b2')];
    for (let left = 5; left > 0; left--) thread.answer();
    await Promise.all(waiting);
    expect(order()).to.equal('a0 a1 b1 a2 b2');
  });
});
