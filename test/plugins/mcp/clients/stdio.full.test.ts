import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import { program } from '../../../helpers/command-line.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { metaKeys, modern, tasksExtension } from '../../../../plugins/mcp/wire/wire.ts';

interface Talk {
  readonly answers: Map<unknown, Answer['body']>;
  readonly told: Answer['body'][];
  readonly refused: Answer['body'][];
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

describe('orb mcp', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => (platform = await startPlatform()));
  after(() => platform.stop());

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Child =>
    spawn(process.execPath, [program, 'mcp', ...args], {
      env: { PATH: process.env['PATH'] ?? '', ORB_URL: platform.url, ORB_KEY: platform.adminKey, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const ended = (child: Child): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve));

  /** Sends lines and collects what comes back until so many requests have their answer. */
  async function talk(messages: readonly (object | string)[], answers: number, env = {}): Promise<Talk> {
    const child = start(['stdio'], env);
    const talked: Talk = { answers: new Map(), told: [], refused: [] };
    for (const message of messages)
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}
`);
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line);
      if (said.method !== undefined) talked.told.push(said);
      else if (said.id === undefined) talked.refused.push(said);
      else talked.answers.set(said.id, said);
      if (talked.answers.size + talked.refused.length === answers) break;
    }
    const exit = ended(child);
    child.stdin.end();
    expect(await exit).to.equal(0);
    return talked;
  }

  const _meta = { [metaKeys.version]: modern, [metaKeys.capabilities]: {} };
  const call = { name: 'demo_echo', arguments: { text: 'hélló' } };

  it('stdio serves the revision 2025-11-25', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const { answers: found } = await talk(
      [
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: call },
      ],
      2,
    );
    expect(found.get(1).result.protocolVersion).to.equal('2025-11-25');
    expect(found.get('two').result.structuredContent.outputs).to.deep.equal({ text: 'hélló' });
  });

  it('stdio serves the revision 2026-07-28, progress too', async () => {
    const {
      answers: found,
      told,
      refused,
    } = await talk(
      [
        { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { ...call, _meta: { ..._meta, progressToken: 7 } } },
        '{ no JSON',
      ],
      3,
    );
    expect(found.get(1).result.supportedVersions).to.deep.equal([modern]);
    expect(found.get(2).result.structuredContent.outputs).to.deep.equal({ text: 'hélló' });
    expect(told.map(({ params }) => [params.progressToken, params.progress])).to.deep.equal([
      [7, 0],
      [7, 1],
    ]);
    expect(refused.map(({ error }) => error.code)).to.deep.equal([-32700]);
  });

  it('stdio serves tasks', async () => {
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'queued' }, mode: 'async' };
    const { body } = await platform.call('POST', '/orbisets/default/execute', asked);
    await platform.call('GET', `/runs/${body.run_id}?wait=30`);
    const params = { taskId: body.run_id, _meta: { ..._meta, [metaKeys.capabilities]: capabilities } };
    const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];
    const { answers: found } = await talk(
      methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params })),
      methods.length,
    );
    expect(found.get(0).result).to.include({ taskId: body.run_id, status: 'completed' });
    for (const id of [1, 2]) expect(found.get(id).result).to.deep.equal({ resultType: 'complete' });
  });

  it('stdio tells a client of the revision 2025-11-25 that its tools have changed', async () => {
    const child = start(['stdio']);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const write = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
    write({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const put = async (at: number): Promise<void> => {
      const orb_id = `piped.n${at}@1.0.0`;
      const manifest = {
        ...{ manifest_version: 1, orb_id, title: 'T', description: 'D.', capability: 'echo', effect: 'none' },
        ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' }, action_class: 'read' },
        timeout_ms: 1000,
      };
      expect((await platform.call('PUT', `/orbs/${orb_id}`, manifest)).status).to.equal(201);
    };
    let puts: NodeJS.Timeout | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line);
      if (said.id === 1) {
        expect(said.result.capabilities).to.deep.equal({ tools: { listChanged: true }, resources: {} });
        write({ jsonrpc: '2.0', method: 'notifications/initialized' });
        let at = 0;
        puts = setInterval(() => void put((at += 1)), 200);
      }
      if (said.method === 'notifications/tools/list_changed') break;
    }
    clearInterval(puts);
    const exit = ended(child);
    child.stdin.end();
    expect(await exit).to.equal(0);
  });

  it('stdio answers a call when the server cannot be reached', async () => {
    const { answers: found } = await talk([{ jsonrpc: '2.0', id: 1, method: 'ping' }], 1, {
      ORB_URL: 'http://127.0.0.1:1',
    });
    expect(found.get(1).error).to.include({ code: -32603 });
  });

  it('stdio answers a call that the server refuses unread', async () => {
    const messages = [undefined, 1, 'two'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const { answers: found, refused } = await talk(messages, 2, { ORB_KEY: 'orb_live_nobody' });
    expect(refused).to.deep.equal([]);
    for (const id of [1, 'two']) expect(found.get(id).error).to.include({ code: 401 });
  });

  for (const [how, type, body, says] of [
    ['a page of a proxy', 'text/html', '<h1>Bad gateway</h1>', /status 502/],
    ['a stream that ends too early', 'text/event-stream', ': nothing\n\n', /without an answer/],
  ] as const)
    it(`stdio answers a call that gets ${how}`, async () => {
      const proxy = createServer((_, answer) => answer.writeHead(502, { 'content-type': type }).end(body));
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      const { port } = proxy.address() as AddressInfo;
      const asked = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const { answers: found, refused } = await talk([notified, asked], 1, { ORB_URL: `http://127.0.0.1:${port}` });
      proxy.close();
      expect(refused).to.deep.equal([]);
      expect(found.get(1).error.code).to.equal(-32603);
      expect(found.get(1).error.message).to.match(says);
    });

  for (const [client, says] of [
    ['claude-code', '"type": "http"'],
    ['cursor', '${env:ORB_KEY}'],
    ['vscode', '"servers"'],
    ['codex', 'bearer_token_env_var = "ORB_KEY"'],
    ['desktop', '"stdio"'],
  ] as const)
    it(`config ${client} prints what the client reads, without a key`, async () => {
      const child = start(['config', client]);
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      expect(await ended(child)).to.equal(0);
      expect(text).to.contain(says).and.not.contain(platform.adminKey);
      expect(text).to.contain(client === 'desktop' ? '"default"' : '/orbisets/default/mcp');
      if (client !== 'codex') expect(() => JSON.parse(text)).not.to.throw();
    });

  it('config refuses an unknown client', async () => {
    expect(await ended(start(['config', 'emacs']))).to.equal(64);
  });

  it('the metadata names the endpoint, and is the same whether the Orbiset exists', async () => {
    const of = async (id: string) =>
      platform.call('GET', `/.well-known/oauth-protected-resource/orbisets/${id}/mcp`, undefined, null);
    const [there, absent] = [await of('default'), await of('nothing')];
    expect([there.status, absent.status]).to.deep.equal([200, 200]);
    expect(JSON.stringify(there.body).replaceAll('default', 'nothing')).to.equal(JSON.stringify(absent.body));
    expect(there.body.bearer_methods_supported).to.deep.equal(['header']);
  });
});
