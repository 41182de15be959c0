import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { metaKeys, tasksExtension } from '../../../../plugins/mcp/wire/wire.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { ask, startApproving, type Approving } from '../../approvals/started.ts';
import { mcpClient, type Asking } from '../client.ts';

const tasks = { extensions: { [tasksExtension]: {} } };
const url = { elicitation: { url: {} } };
const identity = { name: 'stranger', version: '1.0.0' };

describe('a call that people must approve', function () {
  this.timeout(60_000);
  const recorder = createRecorder();
  let office: Approving;
  before(async () => {
    office = await startApproving(
      {},
      {
        settings: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
        data: { 'orbs/test.record@1.0.0.json': recordOrb({ timeout_ms: 60_000 }) },
        adapters: [recorder.adapter],
      },
    );
    office.asking.asks = [ask({ of: 1 })];
  });
  after(() => office.stop());

  const sent = (token: string): number => recorder.calls.filter((one) => one.token === token).length;
  const send = async (method: string, params: object, capabilities: object = {}, more: Asking = {}) => {
    const { platform, keys } = office;
    const meta = { ...more.meta, [metaKeys.capabilities]: capabilities };
    const { body } = await mcpClient(platform()).ask(method, params, { key: keys.agent, ...more, meta });
    return body.result ?? body;
  };
  const call = (token: string, capabilities: object = {}, more: Asking = {}) =>
    send('tools/call', { name: 'test_record', arguments: { token } }, capabilities, more);
  const openOne = async (): Promise<{ approval_id: string; run_id: string }> =>
    (await office.call('GET', '/approvals?state=open&limit=1')).body.approvals[0];
  const approve = async (id: string): Promise<void> => {
    const { status, body } = await office.decide(id, 'ada');
    expect(status, JSON.stringify(body)).to.equal(200);
  };

  for (const era of ['2026-07-28', '2025-11-25'] as const)
    it(`is answered in words by ${era}: who was asked, until when, how to follow; its repetition gets the same run`, async () => {
      const token = `words ${era}`;
      const more = era === '2026-07-28' ? {} : { era, meta: {} };
      const first = await call(token, {}, more);
      const { approval_id, run_id } = await openOne();
      expect(first.isError).to.equal(true);
      const { text } = first.content[0];
      expect(text).to.contain('A member of office must approve it first; it waits until 2026-11-23T11:');
      expect(text).to.contain('orb_run_status').and.contain(`/approvals/${approval_id}`).and.contain(`run ${run_id}`);
      const state = first._meta['agent-orb/run'];
      expect(state).to.deep.include({ run_id, status: 'held' });
      expect(state.approval).to.deep.include({ id: approval_id, asked: ['office'] });
      expect((await call(token, {}, more))._meta['agent-orb/run']).to.deep.equal(state);
      const status = () => send('tools/call', { name: 'orb_run_status', arguments: { run_id } }, {}, more);
      const waits = await status();
      expect(waits.structuredContent).to.deep.equal(state);
      expect(waits.content[1].text).to.match(/^A member of office must approve it first; .* Nothing was done yet\./);
      expect(sent(token)).to.equal(0);
      await approve(approval_id);
      await until(status, ({ structuredContent }) => structuredContent.status === 'completed');
      const last = await call(token, {}, more);
      expect(last.structuredContent.run_id).to.equal(run_id);
      expect(sent(token)).to.equal(1);
    });

  it('is the same run for a repetition with its key', async () => {
    const meta = { 'agent-orb/idempotency-key': 'held-1' };
    const first = await call('keyed', {}, { meta });
    const again = await call('keyed', {}, { meta });
    expect(again._meta['agent-orb/run']).to.deep.equal(first._meta['agent-orb/run']);
    const { approval_id, run_id } = await openOne();
    await approve(approval_id);
    const done = await until(
      () => call('keyed', {}, { meta }),
      (result) => result.structuredContent !== undefined,
    );
    expect(done.structuredContent.run_id).to.equal(run_id);
    expect(sent('keyed')).to.equal(1);
  });

  it('is a task that requires input, at once, and says what to show to its user', async () => {
    const task = await call('task', { ...tasks, ...url });
    const { approval_id, run_id } = await openOne();
    expect(task).to.include({ resultType: 'task', taskId: run_id, status: 'input_required' });
    expect(task.statusMessage).to.match(/^A member of office must approve it first/);
    expect(task).not.to.have.any.keys('inputRequests', 'requestState');
    expect((await call('task', { ...tasks, ...url })).taskId).to.equal(run_id);
    const get = (capabilities: object) => send('tasks/get', { taskId: run_id }, capabilities);
    const shown = await get({ ...tasks, ...url });
    expect(shown).to.include({ resultType: 'complete', status: 'input_required' });
    expect(Object.keys(shown.inputRequests)).to.deep.equal([approval_id]);
    const { method, params } = shown.inputRequests[approval_id];
    expect([method, params.mode, params.elicitationId]).to.deep.equal(['elicitation/create', 'url', approval_id]);
    expect(params.url).to.match(new RegExp(`^http://.*/approvals/${approval_id}/page$`));
    // A client that cannot open a page is asked for nothing.
    expect(await get(tasks)).to.deep.include({ status: 'input_required', inputRequests: {} });
    const inputResponses = { [approval_id]: { action: 'accept' } };
    expect(await send('tasks/update', { taskId: run_id, inputResponses }, { ...tasks, ...url })).to.deep.equal({
      resultType: 'complete',
    });
    expect((await get(tasks)).status).to.equal('input_required');
    expect(sent('task')).to.equal(0);
    await approve(approval_id);
    const done = await until(
      () => get(tasks),
      ({ status }) => status === 'completed',
    );
    expect(done.result.structuredContent.run_id).to.equal(run_id);
    expect(sent('task')).to.equal(1);
  });

  it('is a task that completes with the refusal, or is cancelled', async () => {
    const refused = await call('refused', tasks);
    await office.decide((await openOne()).approval_id, 'bob', 'refuse');
    const ended = await until(
      () => send('tasks/get', { taskId: refused.taskId }, tasks),
      ({ status }) => status === 'completed',
    );
    expect(ended.result._meta['agent-orb/problem'].code).to.equal('approval_refused');
    const { taskId } = await call('cancelled', tasks);
    await send('tasks/cancel', { taskId }, tasks);
    expect((await send('tasks/get', { taskId }, tasks)).status).to.equal('cancelled');
    expect((await office.call('GET', '/approvals?state=open')).body.approvals).to.deep.equal([]);
  });

  it('becomes a task that works again once it is approved, and asks again for another reason', async () => {
    const { taskId } = await call('twice', { ...tasks, ...url });
    const first = await openOne();
    office.asking.asks = [ask({ code: 'large_sum' })];
    try {
      await approve(first.approval_id);
      const again = await until(
        () => send('tasks/get', { taskId }, { ...tasks, ...url }),
        ({ inputRequests = {} }) => !(first.approval_id in inputRequests) && Object.keys(inputRequests).length === 1,
      );
      expect(again.status).to.equal('input_required');
      await approve((await openOne()).approval_id);
      await until(
        () => send('tasks/get', { taskId }, tasks),
        ({ status }) => status === 'completed',
      );
    } finally {
      office.asking.asks = [ask({ of: 1 })];
    }
  });

  it('is not begun again by those who waited for it when it was refused', async () => {
    for (const _ of [1, 2, 3]) await call('refused once');
    const { approval_id, run_id } = await openOne();
    await office.decide(approval_id, 'ada', 'refuse');
    await until(
      async () => (await office.call('GET', `/runs/${run_id}`)).body.status,
      (status) => status === 'denied',
    );
    // Longer than a repetition waits before it looks for the run of the first call.
    await pause(1000);
    expect((await office.call('GET', '/approvals?state=open')).body.approvals).to.deep.equal([]);
    expect(sent('refused once')).to.equal(0);
  });

  const connected = async (mode: 'auto' | 'legacy', capabilities: object): Promise<Client> => {
    const client = new Client(identity, { versionNegotiation: { mode }, capabilities });
    const requestInit = { headers: { Authorization: `Bearer ${office.keys.agent}` } };
    const at = new URL(`${office.url()}/orbisets/default/mcp`);
    await client.connect(new StreamableHTTPClientTransport(at, { requestInit }));
    return client;
  };

  it('asks the official client to open its page, and answers its result once people have approved it', async () => {
    const client = await connected('auto', url);
    const opened: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      opened.push(params);
      const { approval_id } = await openOne();
      setTimeout(() => void approve(approval_id), 300);
      return { action: 'accept' as const };
    });
    try {
      const done = await client.callTool({ name: 'test_record', arguments: { token: 'official' } });
      expect(done.isError, JSON.stringify(done)).not.to.equal(true);
      expect(opened).to.have.length(1);
      expect(opened[0]).to.include({ mode: 'url' });
      expect(sent('official')).to.equal(1);
    } finally {
      await client.close();
    }
  });

  it('tells the official client in words when its user does not open the page', async () => {
    const client = await connected('auto', url);
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
    try {
      const done = await client.callTool({ name: 'test_record', arguments: { token: 'declined' } });
      expect(JSON.stringify(done)).to.contain('must approve it first');
      const { approval_id } = await openOne();
      await office.decide(approval_id, 'ada', 'refuse');
    } finally {
      await client.close();
    }
  });

  for (const [title, open] of Object.entries({
    'the official client as it opens by default': () => connected('legacy', url),
    'the SDK of before (1.x)': async () => {
      const client = new Client1(identity, { capabilities: url });
      const requestInit = { headers: { Authorization: `Bearer ${office.keys.agent}` } };
      // Its declarations are not made for exactOptionalPropertyTypes.
      await client.connect(new Transport1(new URL(`${office.url()}/orbisets/default/mcp`), { requestInit }));
      return client;
    },
  }))
    it(`is told in words to ${title}`, async () => {
      const client = await open();
      try {
        const done = await client.callTool({ name: 'test_record', arguments: { token: title } });
        expect(JSON.stringify(done)).to.contain('must approve it first');
        await office.decide((await openOne()).approval_id, 'ada', 'refuse');
      } finally {
        await client.close();
      }
    });
});
