import { expect } from 'chai';
import { metaKeys } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type McpClient } from '../client.ts';
import { wireRows } from './wire-rows.ts';

describe('the wire of MCP', () => {
  let platform: TestPlatform;
  let client: McpClient;
  before(async () => {
    platform = await startPlatform({
      platform: {
        providers: { echo: { adapter: 'echo/local' }, outbox: { adapter: 'email/outbox' } },
        plugins: { mcp: { config: { allowed_origins: ['https://agent.example'] } } },
      },
    });
    client = mcpClient(platform);
  });
  after(() => platform.stop());

  for (const { name, method = '', params = {}, more = {}, body, status, code, says } of wireRows)
    it(`answers ${name} with ${status}${code === undefined ? '' : ` and ${code}`}`, async () => {
      const answer: Answer =
        body === undefined ? await client.ask(method, params, more) : await client.post(body, more);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      expect(answer.body.error?.code).to.equal(code);
      if (code === undefined) return;
      expect(answer.headers.get('content-type')).to.equal('application/json');
      expect(answer.body.jsonrpc).to.equal('2.0');
      if (says !== undefined) expect(answer.body.error.message).to.match(says);
    });

  it('answers an unknown version with the versions of server/discover', async () => {
    const headers = { 'mcp-protocol-version': '2031-01-01' };
    const refused = await client.ask('tools/list', {}, { meta: { [metaKeys.version]: '2031-01-01' }, headers });
    const { result } = (await client.ask('server/discover')).body;
    expect(refused.body.error.data).to.deep.equal({ supported: result.supportedVersions, requested: '2031-01-01' });
    expect(result).to.include({ resultType: 'complete', cacheScope: 'private', ttlMs: 30_000 });
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    expect(result.capabilities).to.deep.equal({ tools: { listChanged: true }, resources: {}, extensions });
  });

  for (const [asked, answered] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-09-01', '2025-06-18'],
    ['2031-01-01', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
  ])
    it(`initialize with ${asked} is answered with ${answered}, without a session`, async () => {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const answer = await client.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect(answer.body.result).to.include({ protocolVersion: answered });
      expect(answer.headers.get('mcp-session-id')).to.equal(null);
    });

  it('lets a browser show a page of an allowed origin the answers, and no other', async () => {
    const at = `${platform.url}/orbisets/default/mcp`;
    for (const [origin, told] of [
      ['https://agent.example', 'https://agent.example'],
      ['https://other.example', null],
    ] as const) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const before = await fetch(at, { method: 'OPTIONS', headers });
      expect([before.status, before.headers.get('access-control-allow-origin')]).to.deep.equal([200, told]);
      if (told !== null) expect(before.headers.get('access-control-allow-headers')).to.match(/\bMcp-Method\b/);
      const answer = await client.ask('tools/list', {}, { headers: { origin } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([
        told ? 200 : 403,
        told,
      ]);
    }
  });

  it('lets a page of an allowed origin read why it is refused, whatever refuses it', async () => {
    const from = { headers: { origin: 'https://agent.example' } };
    const reader = await platform.key({ name: 'page', scopes: ['orbs:read'] });
    const large = { text: 'x'.repeat(2_000_000) };
    const answers = [
      [401, await client.ask('ping', {}, { ...from, key: null })],
      [401, await client.ask('ping', {}, { ...from, key: 'orb_test_none' })],
      [403, await client.ask('ping', {}, { ...from, key: reader })],
      [404, await client.ask('ping', {}, { ...from, orbiset: 'none' })],
      [400, await client.post('{', from)],
      [413, await client.post(large, from)],
      [415, await client.post('{}', { headers: { ...from.headers, 'content-type': 'text/plain' } })],
      [400, await client.post([], from)],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      expect(answer.headers.get('access-control-allow-origin'), `${status}`).to.equal('https://agent.example');
      expect(answer.headers.get('access-control-expose-headers'), `${status}`).to.contain('WWW-Authenticate');
    }
    const foreign = await client.ask('ping', {}, { headers: { origin: 'https://other.example' }, key: null });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).to.deep.equal([401, null]);
  });

  it('names no metadata of an authorization server, since there is none, and the scope that is missing', async () => {
    const none = await client.ask('ping', {}, { key: null });
    expect([none.status, none.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
    const bad = await client.ask('ping', {}, { key: 'orb_test_none' });
    expect([bad.status, bad.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer error="invalid_token"']);
    expect(bad.headers.get('x-should-retry')).to.equal('false');
    const reader = await platform.key({ name: 'reader', scopes: ['orbs:read'] });
    const refused = await client.ask('ping', {}, { key: reader });
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 403]);
    expect(refused.headers.get('www-authenticate')).to.contain('error="insufficient_scope", scope="orbs:execute"');
  });

  for (const method of ['GET', 'DELETE'])
    it(`${method} is 405 with Allow`, async () => {
      const answer = await platform.call(method, '/orbisets/default/mcp');
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.contain('POST');
    });

  for (const host of ['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example'])
    it(`refuses the Host ${host} at a loopback listener`, async () => {
      const { sendRaw } = await import('../../../helpers/http.ts');
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const head = `POST /orbisets/default/mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${platform.adminKey}\r\n`;
      const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
      expect(await sendRaw(platform.url, head + rest)).to.match(/^HTTP\/1.1 403 /);
    });
});
