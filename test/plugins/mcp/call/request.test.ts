import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { mcpClient, type Asking, type McpClient } from '../client.ts';

interface Line {
  readonly msg: string;
  readonly route?: string;
  readonly run_id?: string;
}

describe('a request that calls a tool', () => {
  let platform: TestPlatform;
  let client: McpClient;
  const lines: string[] = [];
  before(async () => {
    platform = await startPlatform({
      data: {
        'orbisets/slow.json': {
          ...{ id: 'slow', tenant: 'default', orbs: ['*'] },
          limits: { rate: { count: 1, window_s: 60 } },
        },
        'orbisets/full.json': { id: 'full', tenant: 'default', orbs: ['*'], tools: { receipts: 'full' } },
      },
      onLog: (line) => void lines.push(line),
    });
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  const call = async (args: object = { text: 'hi' }, more: Asking = {}) =>
    client.ask('tools/call', { name: 'demo_echo', arguments: args }, more);
  const logged = (): readonly Line[] =>
    lines
      .map((line) => JSON.parse(line) as Line)
      .filter(({ msg, route }) => msg === 'request' && route === '/orbisets/{id}/mcp');

  it('bears the envelope of its receipt when the Orbiset asks for it', async () => {
    const { result } = (await call({ text: 'hi' }, { orbiset: 'full' })).body;
    const { body } = await platform.call('GET', `/receipts/${result.structuredContent.receipt.receipt_id}`);
    expect(result._meta['agent-orb/envelope']).to.deep.equal(body.envelope);
    expect((await call()).body.result._meta).not.to.have.property('agent-orb/envelope');
  });

  for (const name of ['idempotency-key', 'idempotency_key', 'agent-orb/idempotency-key'])
    it(`is made once for a key that its client calls ${name}`, async () => {
      const keyed = async () => (await call({ text: name }, { meta: { [name]: `key-${name}` } })).body.result;
      const [first, second] = [await keyed(), await keyed()];
      expect(second.structuredContent.run_id).to.equal(first.structuredContent.run_id);
      expect([first, second].map(({ structuredContent }) => structuredContent.replayed)).to.deep.equal([
        undefined,
        true,
      ]);
    });

  it('names its run in the log', async () => {
    const done = (await call()).body.result.structuredContent.run_id as string;
    const told = await (
      await client.open('tools/call', { name: 'demo_echo', arguments: { text: 'hi' } }, progress)
    ).text();
    const streamed = /"run_id":"(run_\w+)"/.exec(told)?.[1];
    await until(logged, (found) => found.some(({ run_id }) => run_id === streamed), 'the line of the stream');
    expect(logged().map(({ run_id }) => run_id)).to.include.members([done, streamed]);
  });
  const progress: Asking = { meta: { progressToken: 1 } };

  it('is refused when it comes too often, as over HTTP', async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => call({ text: 'hi' }, { orbiset: 'slow' })));
    const texts = answers.map(({ status, body }) => `${status} ${body.result.content[0].text}`);
    expect(texts.filter((text) => text.startsWith('200 Too many calls. Nothing was done.'))).to.have.length(79);
  });
});
