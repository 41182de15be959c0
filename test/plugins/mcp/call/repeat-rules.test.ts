import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { mcpClient, type Asking, type McpClient } from '../client.ts';

const orb = 'test.record@1.0.0';

describe('the guard against repeated calls', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  let client: McpClient;
  beforeEach(async () => {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
      data: {
        [`orbs/${orb}.json`]: recordOrb(),
        'orbs/test.again@1.0.0.json': recordOrb({ orb_id: 'test.again@1.0.0', effect: 'idempotent' }),
        'orbisets/open.json': { id: 'open', tenant: 'default', orbs: ['*'], repeat_guard: false },
      },
      adapters: [recorder.adapter],
    });
    client = mcpClient(platform);
  });
  afterEach(() => platform.stop());

  // A connection of its own for each call: none proves that an answer arrived.
  const call = async (token: string, more: Asking & { tool?: string } = {}) => {
    const { tool = 'test_record', ...asking } = more;
    const headers = { connection: 'close', ...asking.headers };
    const { body } = await client.ask('tools/call', { name: tool, arguments: { token } }, { ...asking, headers });
    return body.result;
  };
  const calls = (): number => recorder.calls.length;

  it('holds for what cannot be repeated, and for nothing else', async () => {
    await call('x');
    expect((await call('x'))._meta['agent-orb/replayed']).to.equal(true);
    expect(calls()).to.equal(1);
    await call('x', { tool: 'test_again' });
    await call('x', { tool: 'test_again' });
    expect(calls()).to.equal(3);
  });

  it('is off where the Orbiset says so, and yields to a key of the caller', async () => {
    await call('x', { orbiset: 'open' });
    await call('x', { orbiset: 'open' });
    expect(calls()).to.equal(2);
    await call('x', { meta: { 'agent-orb/idempotency-key': 'one' } });
    await call('x', { meta: { 'agent-orb/idempotency-key': 'two' } });
    expect(calls()).to.equal(4);
  });

  it('is asked for over HTTP', async () => {
    const body = { orb_id: orb, inputs: { token: 'x' }, repeat_guard: true };
    const send = () =>
      fetch(`${platform.url}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${platform.adminKey}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify(body),
      });
    const first = (await (await send()).json()) as { run_id: string };
    const second = await send();
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
    expect(((await second.json()) as { run_id: string }).run_id).to.equal(first.run_id);
    expect(calls()).to.equal(1);
  });

  it('the same key over HTTP and MCP is one run', async () => {
    const over = await call('x', { meta: { 'agent-orb/idempotency-key': 'same' } });
    const answer = await fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'same',
      },
      body: JSON.stringify({ orb_id: orb, inputs: { token: 'x' } }),
    });
    expect(((await answer.json()) as { run_id: string }).run_id).to.equal(over.structuredContent.run_id);
    expect(answer.headers.get('idempotent-replayed')).to.equal('true');
  });

  it('frees a call that sent nothing', async () => {
    recorder.behaviour['a'] = {
      execute: () => {
        throw new ProviderError('not_sent', 'no connection');
      },
    };
    const failed = await call('x');
    expect(failed.content[0].text).to.match(/^It could not be done now\. Nothing was done\./);
    recorder.behaviour['a'] = undefined;
    expect((await call('x'))._meta['agent-orb/replayed']).to.equal(false);
  });

  for (const [outcome, sends, says] of [
    ['sent', 1, /^Answer to your identical call.*\nIt was done by your earlier call/],
    ['not_sent', 2, /^\{/],
  ] as const)
    it(`sends nothing while the outcome is unknown; settled as ${outcome}, the repetition ${sends === 1 ? 'hears of it' : 'runs'}`, async () => {
      recorder.behaviour['a'] = {
        execute: () => {
          throw new ProviderError('unknown', 'no answer', { phase: 'response' });
        },
      };
      const unknown = await call('x');
      expect(unknown.content[0].text).to.match(/^It is not known whether this was done\. Do not call it again\./);
      const { run_id } = unknown._meta['agent-orb/problem'];
      const before = calls();
      for (let times = 0; times < 3; times += 1) {
        const again = await call('x');
        expect(again._meta['agent-orb/problem'].run_id).to.equal(run_id);
        expect(again._meta['agent-orb/replayed']).to.equal(true);
      }
      expect(calls()).to.equal(before);
      recorder.behaviour['a'] = undefined;
      expect((await platform.call('POST', `/runs/${run_id}/resolve`, { outcome })).status).to.equal(200);
      const settled = await call('x');
      expect(settled.content[0].text).to.match(says);
      expect(calls() - before).to.equal(sends - 1);
    });
});
