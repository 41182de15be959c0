import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { eventsOf } from '../../../helpers/sent-data.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { mcpClient, type McpClient } from '../client.ts';

const orb = 'test.record@1.0.0';
const name = 'test_record';

describe('a call of a tool that takes its time', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  let client: McpClient;
  const start = async (mcp: object = {}): Promise<void> => {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: {
        providers: {
          a: { adapter: 'record/local', config: { name: 'a' } },
          b: { adapter: 'record/local', config: { name: 'b' } },
        },
        plugins: { mcp: { config: mcp } },
      },
      data: { [`orbs/${orb}.json`]: recordOrb() },
      adapters: [recorder.adapter],
    });
    client = mcpClient(platform);
  };
  beforeEach(() => start());
  afterEach(() => platform.stop());

  const called = (count: number): Promise<number> =>
    until(
      () => recorder.calls.length,
      (calls) => calls === count,
    );
  const receipts = async (): Promise<readonly { status: string }[]> => (await platform.call('GET', '/runs')).body.runs;

  it('tells its progress: accepted, then each provider that is asked, named to those who may know', async () => {
    recorder.behaviour['a'] = {
      execute: () => {
        throw new ProviderError('provider_fault', 'no');
      },
    };
    const plain = await platform.key({ name: 'plain', scopes: ['orbs:execute'] });
    for (const [key, says] of [
      [platform.adminKey, 'asking provider 1 of 2: a'],
      [plain, 'asking provider 1 of 2'],
    ] as const) {
      const response = await client.open(
        'tools/call',
        { name, arguments: { token: `x${says.length}` } },
        { key, meta: { progressToken: 'p' } },
      );
      expect(response.headers.get('content-type')).to.equal('text/event-stream');
      expect(response.headers.get('x-accel-buffering')).to.equal('no');
      const messages: Answer['body'][] = [];
      for await (const data of eventsOf(response.body as AsyncIterable<Uint8Array>)) messages.push(JSON.parse(data));
      const progress = messages.slice(0, -1).map(({ params }) => params);
      expect(progress.map((one) => one.progress)).to.deep.equal([0, 1, 2]);
      expect(progress.every((one) => one.progressToken === 'p')).to.equal(true);
      expect(progress[1].message).to.equal(says);
      expect(messages.at(-1).result.structuredContent.status).to.equal('completed');
    }
  });

  it('is answered in time that it is still under way; orb_run_status then tells its end', async () => {
    await platform.stop();
    await start({ answer_within_ms: 200 });
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    // A repeat joins the run; on a slow machine the first call may end before the run has an id.
    const result = await until(
      async () => (await client.ask('tools/call', { name, arguments: { token: 'slow' } })).body.result,
      ({ content }) => !content[0].text.startsWith('Still waiting for its turn'),
    );
    expect(result.isError).to.equal(true);
    const run = /^Still under way, run (run_\w+)\./.exec(result.content[0].text)?.[1];
    const status = async (): Promise<string> =>
      (await client.ask('tools/call', { name: 'orb_run_status', arguments: { run_id: run } })).body.result
        .structuredContent.status;
    expect(await status()).to.equal('running');
    finish();
    expect(await until(status, (found) => found !== 'running')).to.equal('completed');
    const other = await platform.key({ name: 'other', scopes: ['runs:read', 'orbs:execute'] });
    const hidden = await client.ask(
      'tools/call',
      { name: 'orb_run_status', arguments: { run_id: run } },
      { key: other },
    );
    expect(hidden.body.result.isError).to.equal(true);
  });

  it('is followed by orb_run_status too when it waits for its turn', async () => {
    const run_at = new Date(Date.now() + 600_000).toISOString();
    const asked = { orb_id: orb, inputs: { token: 'later' }, mode: 'async', run_at };
    const { run_id } = (await platform.call('POST', '/orbisets/default/execute', asked)).body;
    const ask = async (key?: string) =>
      (
        await client.ask(
          'tools/call',
          { name: 'orb_run_status', arguments: { run_id } },
          key === undefined ? {} : { key },
        )
      ).body.result;
    expect((await ask()).structuredContent).to.deep.equal({ run_id, status: 'queued' });
    const other = await platform.key({ name: 'other', scopes: ['runs:read', 'orbs:execute'] });
    expect((await ask(other)).isError).to.equal(true);
  });

  it('goes on when the client closes the connection after the dispatch, and has its receipt', async () => {
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    recorder.behaviour['a'] = { execute: () => held };
    const abort = new AbortController();
    const gone = client
      .open('tools/call', { name, arguments: { token: 'x' } }, { signal: abort.signal })
      .catch(() => 'gone');
    await called(1);
    abort.abort();
    expect(await gone).to.equal('gone');
    finish();
    const [run] = await until(receipts, (runs) => runs.length === 1);
    expect(run?.status).to.equal('completed');
  });
});
