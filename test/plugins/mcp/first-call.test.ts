import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { mcpClient, type McpClient } from './client.ts';

describe('an Orbiset as an MCP server', () => {
  let platform: TestPlatform;
  let client: McpClient;
  before(async () => {
    platform = await startPlatform();
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  for (const era of ['2026-07-28', '2025-11-25'] as const) {
    it(`lists and calls tools in ${era}`, async () => {
      const listed = await client.ask('tools/list', {}, { era });
      expect(listed.status).to.equal(200);
      const names = listed.body.result.tools.map(({ name }: { name: string }) => name);
      expect(names).to.deep.equal(['demo_echo', 'notify_email', 'orb_run_status']);
      const called = await client.ask('tools/call', { name: 'demo_echo', arguments: { text: 'hello' } }, { era });
      const { result } = called.body;
      expect(JSON.parse(result.content[0].text)).to.deep.equal({ text: 'hello' });
      expect(result.content[1].text).to.match(/^Done once\. Receipt rec_\w+, trust \d+\/100 \((low|medium)\)\.$/);
      expect(result.structuredContent).to.include({ status: 'completed' });
      expect(result.resultType).to.equal(era === '2026-07-28' ? 'complete' : undefined);
      const receipt = await platform.call('GET', `/receipts/${result.structuredContent.receipt.receipt_id}`);
      expect(receipt.body.signature_valid).to.equal(true);
    });
  }
});
