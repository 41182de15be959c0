import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type Era, type McpClient } from '../client.ts';

const eras: readonly Era[] = ['2026-07-28', '2025-11-25', '2025-06-18'];

describe('receipts as resources', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let client: McpClient;
  let agent: string;
  let neighbour: string;
  const own: string[] = [];
  const runOf = async (key: string): Promise<string> => {
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const answer = await platform.call('POST', '/orbisets/default/execute', body, key);
    expect(answer.status).to.equal(200);
    return answer.body.receipt.receipt_id;
  };
  before(async () => {
    platform = await startPlatform();
    client = mcpClient(platform);
    const scopes = ['orbs:execute', 'receipts:read'];
    agent = await platform.key({ name: 'agent', scopes });
    neighbour = await platform.key({ name: 'neighbour', scopes });
    for (let at = 0; at < 3; at += 1) own.unshift(await runOf(agent));
    await runOf(neighbour);
  });
  after(() => platform.stop());

  const result = async (method: string, params: object, more: { era: Era; key: string }) =>
    (await client.ask(method, params, more)).body.result;

  for (const era of eras) {
    it(`of ${era} are offered, and listed newest first: those of the caller's own runs`, async () => {
      const opening = era === eras[0] ? 'server/discover' : 'initialize';
      const { capabilities } = await result(opening, { protocolVersion: era }, { era, key: agent });
      expect(capabilities.resources).to.deep.equal({});
      const { resources, ...rest } = await result('resources/list', {}, { era, key: agent });
      expect(resources.map(({ uri }: { uri: string }) => uri)).to.deep.equal(own.map((id) => `orb://receipts/${id}`));
      expect(resources[0]).to.include({
        ...{ name: own[0], mimeType: 'application/json', title: 'Receipt: demo.echo@1.0.0 completed' },
      });
      const hints = era === eras[0] ? { resultType: 'complete', cacheScope: 'private', ttlMs: 30_000 } : {};
      expect(rest).to.deep.equal(hints);
      const { resourceTemplates } = await result('resources/templates/list', {}, { era, key: agent });
      expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).to.deep.equal([
        'orb://receipts/{receipt_id}',
      ]);
    });

    it(`of ${era} are read as the HTTP API answers them`, async () => {
      const uri = `orb://receipts/${own[0]}`;
      const { contents } = await result('resources/read', { uri }, { era, key: agent });
      expect(contents).to.have.length(1);
      expect(contents[0]).to.include({ uri, mimeType: 'application/json' });
      const { body } = await platform.call('GET', `/receipts/${own[0]}`, undefined, agent);
      expect(JSON.parse(contents[0].text).statement).to.deep.equal(body.statement);
      expect(JSON.parse(contents[0].text).signature_valid).to.equal(true);
    });

    for (const uri of ['orb://receipts/rec_none', 'orb://receipts/', 'file:///etc/passwd', 'orb://runs/run_x'])
      it(`of ${era} that are not there are told so, with the uri: ${uri}`, async () => {
        const { error } = (await client.ask('resources/read', { uri }, { era, key: agent })).body;
        expect([error.code, error.data]).to.deep.equal([era === eras[0] ? -32602 : -32002, { uri }]);
      });
  }

  it('are none to a key that may not read receipts, or of another tenant', async () => {
    const plain = await platform.key({ name: 'plain', scopes: ['orbs:execute'] });
    const foreign = await platform.key({ name: 'far', scopes: ['orbs:execute', 'receipts:read'], tenant: 'acme' });
    await runOf(plain);
    const ask = async (method: string) => (await client.ask(method, {}, { key: plain })).body.result;
    expect((await ask('resources/list')).resources).to.deep.equal([]);
    expect((await ask('resources/templates/list')).resourceTemplates).to.deep.equal([]);
    const uri = `orb://receipts/${own[0]}`;
    expect((await client.ask('resources/read', { uri }, { key: plain })).body.error.code).to.equal(-32602);
    expect((await platform.call('GET', `/receipts/${own[0]}`, undefined, foreign)).status).to.equal(404);
  });

  it('need a uri that is a string, which the header repeats', async () => {
    expect((await client.ask('resources/read', { uri: 1 }, { era: '2025-11-25' })).body.error.code).to.equal(-32602);
    const other = { headers: { 'mcp-name': 'orb://receipts/other' } };
    const { body } = await client.ask('resources/read', { uri: `orb://receipts/${own[0]}` }, other);
    expect(body.error.code).to.equal(-32020);
  });
});
