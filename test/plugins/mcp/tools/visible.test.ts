import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type McpClient } from '../client.ts';

const echo = 'demo.echo@1.0.0';
const manifest = {
  ...{ manifest_version: 1, title: 'T', description: 'D.', capability: 'echo', effect: 'none', action_class: 'read' },
  ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' }, timeout_ms: 1000 },
};

describe('the tools that a key sees', () => {
  let platform: TestPlatform;
  let client: McpClient;
  before(async () => {
    platform = await startPlatform({
      platform: {
        providers: {
          echo: { adapter: 'echo/local' },
          second: { adapter: 'echo/local' },
          outbox: { adapter: 'email/outbox' },
        },
      },
      data: {
        'orbisets/small.json': { id: 'small', tenant: 'default', orbs: ['notify.*'] },
        'orbisets/theirs.json': { id: 'theirs', tenant: 'theirs', orbs: ['*'] },
      },
    });
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  const names = async (key = platform.adminKey, orbiset = 'default'): Promise<readonly string[]> => {
    const { body } = await client.ask('tools/list', {}, { key, orbiset });
    return (body.result?.tools ?? []).map(({ name }: { name: string }) => name);
  };

  it('are those of its scopes', async () => {
    const mail = await platform.key({ name: 'mail', scopes: ['orbs:execute:notify.*'] });
    const all = await platform.key({ name: 'all', scopes: ['orbs:execute', 'runs:read'] });
    expect(await names(mail)).to.deep.equal(['notify_email']);
    expect(await names(all)).to.deep.equal(['demo_echo', 'notify_email', 'orb_run_status']);
    const refused = await client.ask('tools/call', { name: 'demo_echo', arguments: { text: 'x' } }, { key: mail });
    const unknown = await client.ask('tools/call', { name: 'demo_nothing', arguments: { text: 'x' } }, { key: mail });
    expect(refused.body.error.message).to.equal(unknown.body.error.message.replace('demo_nothing', 'demo_echo'));
    expect(refused.body.error.code).to.equal(unknown.body.error.code);
  });

  it('are those of the Orbiset', async () => {
    expect(await names(platform.adminKey, 'small')).to.deep.equal(['notify_email', 'orb_run_status']);
    const own = await platform.key({ name: 'own', scopes: ['orbs:execute'] });
    expect((await client.ask('tools/list', {}, { key: own, orbiset: 'theirs' })).status).to.equal(404);
  });

  it('have the schema of the inputs, with the words of the capability, and the result of the HTTP API', async () => {
    const { body } = await client.ask('tools/list');
    const tool = body.result.tools.find(({ name }: { name: string }) => name === 'demo_echo');
    const shown = await platform.call('GET', `/orbs/${echo}`);
    const { inputs_schema } = shown.body.manifest;
    const text = { ...inputs_schema.properties.text, description: 'The text that comes back' };
    expect(tool.inputSchema).to.deep.equal({ ...inputs_schema, properties: { text } });
    expect(tool.outputSchema.required).to.include.members(['run_id', 'status', 'outputs', 'receipt', 'execution_ms']);
    expect(tool._meta).to.include({ 'agent-orb/orb_id': echo, 'agent-orb/effect': 'none' });
  });

  it('do not change with a swap', async () => {
    const before = (await client.ask('tools/list')).body.result.tools;
    const swapped = await platform.call('POST', `/providers/${echo}/swap`, { provider: 'second' });
    expect(swapped.status, JSON.stringify(swapped.body)).to.equal(200);
    expect((await client.ask('tools/list')).body.result.tools).to.deep.equal(before);
  });

  it('do not change, and no call of them fails, with swaps under load', async () => {
    const listed = async (): Promise<string> => {
      const text = await (await client.open('tools/list')).text();
      return text.replace(/"id":\d+/, '');
    };
    const before = await listed();
    let swapped = false;
    const calling = async (): Promise<readonly string[]> => {
      const wrong: string[] = [];
      for (let at = 0; !swapped; at += 1) {
        const { body, status } = await client.ask('tools/call', { name: 'demo_echo', arguments: { text: `${at}` } });
        if (status !== 200 || body.result?.structuredContent?.outputs?.text !== `${at}`)
          wrong.push(JSON.stringify(body));
      }
      return wrong;
    };
    const calls = Array.from({ length: 32 }, calling);
    const lists: string[] = [];
    for (const provider of ['echo', 'second', 'echo', 'second', 'echo', 'second']) {
      const { status, body } = await platform.call('POST', `/providers/${echo}/swap`, { provider });
      expect(status, JSON.stringify(body)).to.equal(200);
      lists.push(await listed());
    }
    swapped = true;
    expect((await Promise.all(calls)).flat()).to.deep.equal([]);
    expect(new Set([before, ...lists]).size).to.equal(1);
  });

  it('change at once when an Orb is put, and come in pages of 100', async () => {
    for (let at = 0; at < 105; at += 1) {
      const orb_id = `many.n${at}@1.0.0`;
      const put = await platform.call('PUT', `/orbs/${orb_id}`, { ...manifest, orb_id });
      expect(put.status, JSON.stringify(put.body)).to.equal(201);
    }
    const first = (await client.ask('tools/list')).body.result;
    expect(first.tools).to.have.length(100);
    const second = (await client.ask('tools/list', { cursor: first.nextCursor })).body.result;
    expect([second.tools.length, second.nextCursor]).to.deep.equal([8, undefined]);
    const all = [...first.tools, ...second.tools].map(({ name }: { name: string }) => name);
    expect(all).to.deep.equal([...new Set(all)].sort());
  });

  it('lose a version that was yanked, at once', async () => {
    expect((await platform.call('POST', '/marketplace/orbs/publish', { orb_id: echo })).status).to.equal(201);
    expect(await names()).to.include('demo_echo');
    const yank = { status: 'yanked', reason: 'wrong' };
    expect((await platform.call('PATCH', `/marketplace/orbs/${echo}/status`, yank)).status).to.equal(200);
    expect(await names()).not.to.include('demo_echo');
  });
});
