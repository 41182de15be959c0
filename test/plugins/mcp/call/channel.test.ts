import { expect } from 'chai';
import { definePlugin, type AccessRequest } from '../../../../kernel/index.ts';
import { metaKeys } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type McpClient } from '../client.ts';

describe('the channel of a run', () => {
  let platform: TestPlatform;
  let client: McpClient;
  const asked: AccessRequest[] = [];
  before(async () => {
    const deciding = definePlugin({
      name: 'deciding',
      start({ hooks }) {
        hooks.authorize.tap('deciding', (request) => {
          asked.push(request);
          return { allow: true, policies: [], warns: 0, shadow_denies: 0 };
        });
        return {};
      },
    });
    platform = await startPlatform({
      plugins: [deciding],
      platform: { authorize: 'deciding', providers: { echo: { adapter: 'echo/local' } }, plugins: { deciding: {} } },
    });
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  const params = { name: 'demo_echo', arguments: { text: 'x' } };
  const channelOf = async (receiptId: string): Promise<unknown> => {
    const { body } = await platform.call('GET', `/receipts/${receiptId}`);
    expect(body.signature_valid, JSON.stringify(body.checks)).to.equal(true);
    return body.statement.predicate.facts.channel;
  };

  it('is in the question of the policy and in the receipt, the name of the client as claimed, cut at 64', async () => {
    const meta = { [metaKeys.client]: { name: 'n'.repeat(100), version: '7' } };
    const { result } = (await client.ask('tools/call', params, { meta })).body;
    const cut = { name: 'n'.repeat(64), version: '7' };
    const told = { kind: 'mcp', protocol: '2026-07-28', client: cut };
    expect(asked.at(-1)?.context['channel']).to.deep.equal({ ...told, tool: 'demo_echo' });
    expect(await channelOf(result.structuredContent.receipt.receipt_id)).to.deep.equal(told);
  });

  it('is http, and not in the receipt, when the HTTP API was called', async () => {
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };
    const answer = await platform.call('POST', '/orbisets/default/execute', body);
    expect(asked.at(-1)?.context['channel']).to.deep.equal({ kind: 'http' });
    expect(await channelOf(answer.body.receipt.receipt_id)).to.equal(undefined);
  });

  it('does not believe a name that is no text', async () => {
    const { body } = await client.ask('tools/call', params, { meta: { [metaKeys.client]: { name: 7 } } });
    expect(body.result.isError).to.equal(undefined);
    expect(asked.at(-1)?.context['channel']).not.to.have.property('client');
  });
});
