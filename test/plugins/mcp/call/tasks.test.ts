import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { metaKeys, tasksExtension } from '../../../../plugins/mcp/wire/wire.ts';
import type { Answer } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { orb, startQueueing, type Queueing, type QueueingOptions } from '../../runtime/queue/queueing.ts';
import { mcpClient, oneLine, type Asking, type McpClient } from '../client.ts';

const declared = { [metaKeys.capabilities]: { extensions: { [tasksExtension]: {} } } };
const dayMs = 86_400_000;
const taskAfter = (task_after_ms: number): object => ({ plugins: { mcp: { config: { task_after_ms } } } });

describe('a call that its client takes a task for', () => {
  let queueing: Queueing;
  let client: McpClient;
  let shift: number;
  beforeEach(async () => {
    shift = 0;
    await begin();
  });
  afterEach(() => queueing.platform.stop());

  async function begin(options: QueueingOptions = {}): Promise<void> {
    queueing = await startQueueing({
      orbiset: { limits: { async_concurrency: 1 } },
      settings: taskAfter(300),
      clock: { ...systemClock, now: () => Date.now() + shift },
      data: { [`orbs/${orb}.json`]: recordOrb({ timeout_ms: 60_000 }) },
      ...options,
    });
    client = mcpClient(queueing.platform);
  }

  const ask = async (method: string, params: object, more: Asking = {}) =>
    (await client.ask(method, params, { orbiset: 'line', ...more, meta: { ...declared, ...more.meta } })).body;
  const call = async (token: string, more: Asking & { readonly tool?: string } = {}) =>
    (await ask('tools/call', { name: more.tool ?? 'test_record', arguments: { token } }, more)).result;
  const get = async (taskId: string, more?: Asking) => (await ask('tasks/get', { taskId }, more)).result;
  const cancel = async (taskId: string, more?: Asking) => ask('tasks/cancel', { taskId }, more);
  const ended = (taskId: string) =>
    until(
      () => get(taskId),
      ({ status }) => status !== 'working',
      `the end of ${taskId}`,
    );
  /** The result of a call, which a slow machine may have made a task. */
  const resultOf = async (answer: Answer['body']): Promise<Answer['body']> =>
    answer.resultType === 'task' ? (await ended(answer.taskId)).result : answer;
  const sent = (token: string, { calls }: Recorder = queueing.recorder): number =>
    calls.filter((one) => one.token === token).length;
  const dispatched = (token: string) => until(() => sent(token) === 1, Boolean);
  /** Keeps provider `a` from answering until it is told to. */
  const held = ({ behaviour }: Recorder = queueing.recorder): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    behaviour['a'] = { execute: () => promise };
    return () => resolve(undefined);
  };

  it('is the plain result when it is done in time', async () => {
    await queueing.platform.stop();
    await begin({ settings: taskAfter(55_000) });
    const result = await call('fast');
    expect(result).to.include({ resultType: 'complete' }).and.not.have.property('taskId');
    expect(result.structuredContent.outputs.token).to.equal('fast');
    expect(result._meta['agent-orb/replayed']).to.equal(false);
  });

  it('is a task when it takes longer, and the task has the result', async () => {
    const go = held();
    const task = await call('slow');
    expect(Object.keys(task).sort()).to.deep.equal(
      ['resultType', 'taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs', 'pollIntervalMs'].sort(),
    );
    expect(task).to.include({ resultType: 'task', status: 'working', ttlMs: dayMs, pollIntervalMs: 1000 });
    expect(Math.abs(Date.parse(task.createdAt) - Date.now())).to.be.lessThan(60_000);
    expect(await get(task.taskId)).to.deep.equal({ ...task, resultType: 'complete' });
    go();
    const { status, result, createdAt } = await ended(task.taskId);
    expect([status, createdAt, result.structuredContent.run_id]).to.deep.equal([
      'completed',
      task.createdAt,
      task.taskId,
    ]);
    expect(result.content.at(-1).text).to.match(/^Done once\./);
    expect(sent('slow')).to.equal(1);
  });

  it('tells on a stream that it began, and ends it with the task', async () => {
    const go = held();
    const params = { name: 'test_record', arguments: { token: 'told' } };
    const more = { orbiset: 'line', meta: { ...declared, progressToken: 'p' } };
    const asked = await client.open('tools/call', params, more);
    const messages = [...(await asked.text()).matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text ?? ''));
    expect(messages.map(({ method, result }) => method ?? result.resultType)).to.deep.equal([
      'notifications/progress',
      'task',
    ]);
    go();
    expect((await ended(messages[1].result.taskId)).status).to.equal('completed');
  });

  it('is waited for by a client that does not declare the extension, whose methods are refused to it', async () => {
    const go = held();
    const undeclared = { orbiset: 'line', meta: { [metaKeys.capabilities]: {} } };
    const asked = client.ask('tools/call', { name: 'test_record', arguments: { token: 'x' } }, undeclared);
    await dispatched('x');
    // It is still held when a call that declares the extension has become a task.
    expect((await call('later')).status).to.equal('working');
    go();
    const { body } = await asked;
    expect(body.result.resultType).to.equal('complete');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refused = await client.ask(method, { taskId: body.result.structuredContent.run_id }, undeclared);
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, -32021]);
      expect(refused.body.error.data.requiredCapabilities.extensions).to.have.property(tasksExtension);
    }
    // It was never in the queue: there is no task of it either.
    expect((await ask('tasks/get', { taskId: body.result.structuredContent.run_id })).error.code).to.equal(-32602);
  });

  it('is completed with an error when its work failed', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = {
      execute: () => promise.then(() => Promise.reject(new ProviderError('rejected', 'no such address'))),
    };
    const { taskId } = await call('bad');
    resolve(undefined);
    const { status, result, error } = await ended(taskId);
    expect([status, result.isError, error]).to.deep.equal(['completed', true, undefined]);
    expect(result._meta['agent-orb/problem']).to.include({ code: 'provider_rejected', run_id: taskId });
    expect(result._meta).to.not.have.property('agent-orb/replayed');
  });

  it('is failed when its provider answered by an error of the protocol in place of a result', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const refuse = (): Promise<never> =>
      Promise.reject(new ProviderError('rejected', 'the server refuses the call', { phase: 'protocol' }));
    queueing.recorder.behaviour['a'] = { execute: () => promise.then(refuse) };
    const { taskId } = await call('refused');
    resolve(undefined);
    const { status, result, error } = await ended(taskId);
    expect([status, result, error.code]).to.deep.equal(['failed', undefined, -32603]);
    expect(error.data).to.include({ code: 'provider_rejected', phase: 'protocol', run_id: taskId });
  });

  it('is joined by its repetition, until its result has arrived', async () => {
    const go = held();
    const asked = call('once');
    await dispatched('once');
    const [first, second] = await Promise.all([asked, call('once')]);
    expect(second.taskId).to.equal(first.taskId);
    expect((await call('once')).taskId).to.equal(first.taskId);
    go();
    // The next request on the connection proves that the result arrived.
    client = mcpClient(queueing.platform, oneLine());
    await ended(first.taskId);
    const again = await resultOf(await call('once'));
    expect(again._meta['agent-orb/replayed']).to.not.equal(true);
    expect(again.structuredContent.run_id).to.not.equal(first.taskId);
    expect(sent('once')).to.equal(2);
  });

  it('answers its repetition after the end while nobody has asked for its result', async () => {
    const go = held();
    const { taskId } = await call('lost');
    go();
    await queueing.ended(taskId);
    const result = await resultOf(await call('lost'));
    expect(result.structuredContent.run_id).to.equal(taskId);
    expect(result._meta['agent-orb/replayed']).to.not.equal(false);
    expect(sent('lost')).to.equal(1);
  });

  it('goes on without a client that went away, and is joined by its repetition', async () => {
    const go = held();
    const abort = new AbortController();
    const gone = call('left', { signal: abort.signal }).catch(() => 'gone');
    await dispatched('left');
    abort.abort();
    expect(await gone).to.equal('gone');
    const { taskId } = await call('left');
    go();
    expect((await ended(taskId)).status).to.equal('completed');
    expect(sent('left')).to.equal(1);
  });

  it('is joined by the same idempotency key, and answers it later', async () => {
    const meta = { 'agent-orb/idempotency-key': 'one' };
    const go = held();
    const { taskId } = await call('keyed', { meta });
    expect((await call('keyed', { meta })).taskId).to.equal(taskId);
    go();
    await ended(taskId);
    const later = await resultOf(await call('keyed', { meta }));
    expect(later.structuredContent.run_id).to.equal(taskId);
    expect(later._meta['agent-orb/replayed']).to.not.equal(false);
    expect(sent('keyed')).to.equal(1);
  });

  it('is cancelled before its dispatch, and may then be called again', async () => {
    const go = held();
    const first = await call('first');
    const { taskId } = await call('second');
    for (const _ of [1, 2]) expect((await cancel(taskId)).result).to.deep.equal({ resultType: 'complete' });
    expect(await get(taskId))
      .to.include({ status: 'cancelled' })
      .and.not.have.any.keys('result', 'error');
    go();
    await ended(first.taskId);
    expect((await resultOf(await call('second'))).structuredContent.run_id).to.not.equal(taskId);
    expect(sent('second')).to.equal(1);
  });

  it('goes on when its cancellation comes after its dispatch', async () => {
    const go = held();
    const { taskId } = await call('gone');
    await dispatched('gone');
    expect((await cancel(taskId)).result).to.deep.equal({ resultType: 'complete' });
    expect((await get(taskId)).status).to.equal('working');
    go();
    expect((await ended(taskId)).status).to.equal('completed');
    expect((await cancel(taskId)).result).to.deep.equal({ resultType: 'complete' });
  });

  it('is nobody else’s, and of its own Orbiset alone', async () => {
    const go = held();
    const { taskId } = await call('mine');
    const key = await queueing.platform.key({ name: 'other', scopes: ['orbs:execute'], mode: 'live' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      for (const more of [{ key }, { orbiset: 'default' }])
        expect((await ask(method, { taskId }, more)).error.code, method).to.equal(-32602);
    // Another key of its principal reads it only if it may run its Orb, and stops a live run only if it is live.
    const { principal } = (await queueing.platform.call('GET', `/runs/${taskId}`)).body;
    const own = (mode: string, ...scopes: readonly string[]) =>
      queueing.platform.key({ name: 'own', principal, scopes, mode });
    const narrow = await own('live', 'orbs:execute:test.look@1.0.0');
    expect((await ask('tasks/get', { taskId }, { key: narrow })).error.code).to.equal(-32602);
    expect((await get(taskId, { key: await own('live', `orbs:execute:${orb}`) })).status).to.equal('working');
    const test = await own('test', 'orbs:execute', 'runs:cancel');
    expect((await ask('tasks/cancel', { taskId }, { key: test })).error.message).to.include('is a live run');
    expect((await ask('tasks/update', { taskId })).result).to.deep.equal({ resultType: 'complete' });
    go();
    await ended(taskId);
    expect((await ask('tasks/get', { taskId }, { key })).error.code).to.equal(-32602);
  });

  it('is cancelled only with a scope that cancels runs', async () => {
    const go = held();
    await call('first');
    const { taskId } = await call('second');
    const { principal } = (await queueing.platform.call('GET', `/runs/${taskId}`)).body;
    const own = (...scopes: readonly string[]) =>
      queueing.platform.key({ name: 'own', principal, scopes: ['orbs:execute', ...scopes], mode: 'live' });
    const refused = await client.ask(
      'tasks/cancel',
      { taskId },
      { orbiset: 'line', meta: declared, key: await own('runs:read') },
    );
    expect([refused.status, refused.body.error.data.code]).to.deep.equal([403, 'insufficient_scope']);
    expect(refused.body.error.message).to.include('runs:cancel');
    expect((await get(taskId)).status).to.equal('working');
    for (const scope of ['runs:cancel', 'runs:manage']) {
      const key = await own(scope);
      expect((await cancel(taskId, { key })).result, scope).to.deep.equal({ resultType: 'complete' });
    }
    expect((await get(taskId)).status).to.equal('cancelled');
    go();
  });

  it('is there for 24 hours', async () => {
    const go = held();
    const { taskId } = await call('kept');
    go();
    const done = await ended(taskId);
    shift = dayMs - 60_000;
    expect(await get(taskId)).to.deep.equal(done);
    shift = dayMs + 60_000;
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await ask(method, { taskId })).error.code).to.equal(-32602);
  });

  it('outlives the process, and is still joined', async () => {
    const go = held();
    await call('first');
    const { taskId } = await call('waits');
    const stopping = queueing.platform.stop({ keep: true });
    go();
    await stopping;
    const recorder = createRecorder();
    const goOn = held(recorder);
    await begin({ home: queueing.platform.home, recorder });
    expect((await get(taskId)).status).to.equal('working');
    expect((await call('waits')).taskId).to.equal(taskId);
    goOn();
    expect((await ended(taskId)).result.structuredContent.run_id).to.equal(taskId);
    expect(sent('waits')).to.equal(1);
  });
});
