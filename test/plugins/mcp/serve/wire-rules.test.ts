import { expect } from 'chai';
import { metaKeys } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type Asking, type McpClient } from '../client.ts';

interface Row {
  readonly name: string;
  readonly method?: string;
  readonly params?: object;
  readonly more?: Asking;
  /** Sent in place of a request. */
  readonly body?: string | object;
  readonly status: number;
  readonly code?: number;
  readonly says?: RegExp;
}

const meta2026 = { [metaKeys.version]: '2026-07-28', [metaKeys.capabilities]: {} };
const listHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
const echo = { name: 'demo_echo', arguments: { text: 'x' } };

const rows: readonly Row[] = [
  { name: 'a body that is not JSON', body: '{', status: 400, code: -32700 },
  { name: 'an empty body', body: '', status: 400, code: -32700 },
  { name: 'a batch', body: [{ jsonrpc: '2.0', id: 1, method: 'ping' }], status: 400, code: -32600, says: /batches/ },
  { name: 'an id that is null', body: { jsonrpc: '2.0', id: null, method: 'ping' }, status: 400, code: -32600 },
  { name: 'an id that is an object', body: { jsonrpc: '2.0', id: {}, method: 'ping' }, status: 400, code: -32600 },
  { name: 'JSON-RPC 1.0', body: { jsonrpc: '1.0', id: 1, method: 'ping' }, status: 400, code: -32600 },
  { name: 'an answer of a client', body: { jsonrpc: '2.0', id: 1, result: {} }, status: 400, code: -32600 },
  {
    name: 'params that are a list',
    body: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    status: 400,
    code: -32600,
  },
  { name: 'a notification', body: { jsonrpc: '2.0', method: 'notifications/initialized' }, status: 202 },
  {
    name: 'a body above 1 MiB',
    body: { jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: 'x'.repeat(1024 * 1024) } },
    status: 413,
    code: 413,
  },
  {
    name: 'a body that is no JSON by its type',
    method: 'ping',
    more: { headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 415,
  },
  {
    name: 'Mcp-Method that differs',
    method: 'tools/list',
    more: { headers: { 'mcp-method': 'tools/call' } },
    status: 400,
    code: -32020,
    says: /Mcp-Method says "tools\/call", the body "tools\/list"/,
  },
  {
    name: 'Mcp-Method that is missing',
    method: 'tools/list',
    more: { headers: { 'mcp-method': undefined } },
    status: 400,
    code: -32020,
    says: /Mcp-Method is missing/,
  },
  {
    name: 'Mcp-Name that differs',
    method: 'tools/call',
    params: echo,
    more: { headers: { 'mcp-name': 'notify_email' } },
    status: 400,
    code: -32020,
  },
  {
    name: 'Mcp-Name that is missing',
    method: 'tools/call',
    params: echo,
    more: { headers: { 'mcp-name': undefined } },
    status: 400,
    code: -32020,
  },
  {
    name: 'Mcp-Name in base64',
    method: 'tools/call',
    params: echo,
    more: { headers: { 'mcp-name': '=?base64?ZGVtb19lY2hv?=' } },
    status: 200,
  },
  {
    name: 'Mcp-Name in base64 that is none',
    method: 'tools/call',
    params: echo,
    more: { headers: { 'mcp-name': '=?base64?%%%?=' } },
    status: 400,
    code: -32020,
  },
  {
    name: 'a version in the header alone',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    more: { headers: listHeaders },
    status: 400,
    code: -32602,
    says: /protocolVersion/,
  },
  {
    name: 'a version in the body alone',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta2026 } },
    status: 400,
    code: -32020,
  },
  {
    name: 'a version that nobody speaks',
    method: 'tools/list',
    more: { meta: { [metaKeys.version]: '2031-01-01' }, headers: { 'mcp-protocol-version': '2031-01-01' } },
    status: 400,
    code: -32022,
  },
  {
    name: 'a version of before that nobody speaks',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    more: { headers: { 'mcp-protocol-version': '2024-11-05' } },
    status: 400,
    code: -32022,
  },
  {
    name: 'capabilities that are missing',
    method: 'tools/list',
    more: { meta: { [metaKeys.capabilities]: undefined } },
    status: 400,
    code: -32602,
    says: /clientCapabilities/,
  },
  { name: 'a method that is not served', method: 'resources/list', status: 404, code: -32601 },
  {
    name: 'a method that is not served, 2025',
    method: 'prompts/list',
    more: { era: '2025-11-25' },
    status: 200,
    code: -32601,
  },
  { name: 'a method named like a member of every object', method: 'constructor', status: 404, code: -32601 },
  { name: 'initialize in 2026', method: 'initialize', status: 404, code: -32601 },
  {
    name: 'server/discover in 2025',
    method: 'server/discover',
    more: { era: '2025-11-25' },
    status: 200,
    code: -32601,
  },
  {
    name: 'a foreign Origin',
    method: 'ping',
    more: { headers: { origin: 'https://elsewhere.example' } },
    status: 403,
    code: 403,
  },
  { name: 'the Origin null', method: 'ping', more: { headers: { origin: 'null' } }, status: 403, code: 403 },
  { name: 'an allowed Origin', method: 'ping', more: { headers: { origin: 'https://agent.example' } }, status: 200 },
  { name: 'no key', method: 'ping', more: { key: null }, status: 401, code: 401 },
  { name: 'a wrong key', method: 'ping', more: { key: 'orb_live_wrong' }, status: 401, code: 401 },
  {
    name: 'Accept that excludes JSON',
    method: 'ping',
    more: { headers: { accept: 'text/event-stream' } },
    status: 406,
    code: 406,
  },
  { name: 'Accept of anything', method: 'ping', more: { headers: { accept: '*/*' } }, status: 200 },
  { name: 'an Orbiset that is not there', method: 'ping', more: { orbiset: 'nothing' }, status: 404, code: 404 },
  {
    name: 'a cursor of somebody else',
    method: 'tools/list',
    params: { cursor: 'nonsense' },
    status: 200,
    code: -32602,
  },
  {
    name: 'a tool that does not exist',
    method: 'tools/call',
    params: { name: 'no_such' },
    status: 200,
    code: -32602,
    says: /^Unknown tool: no_such\. tools\/list shows what this key may use\.$/,
  },
  {
    name: 'a call without a name',
    method: 'tools/call',
    more: { headers: { 'mcp-name': undefined }, era: '2025-11-25' },
    status: 200,
    code: -32602,
  },
  {
    name: 'arguments that are a list',
    method: 'tools/call',
    params: { name: 'demo_echo', arguments: [] },
    status: 200,
    code: -32602,
  },
  {
    name: 'an unknown key of ours',
    method: 'tools/call',
    params: echo,
    more: { meta: { 'agent-orb/retries': 3 } },
    status: 200,
    code: -32602,
    says: /agent-orb\/retries/,
  },
  {
    name: 'a timeout that is no number',
    method: 'tools/call',
    params: echo,
    more: { meta: { 'agent-orb/timeout-ms': '9' } },
    status: 200,
    code: -32602,
  },
  {
    name: 'an idempotency key with a space',
    method: 'tools/call',
    params: echo,
    more: { meta: { 'agent-orb/idempotency-key': 'a b' } },
    status: 200,
    code: -32602,
  },
  { name: 'ping', method: 'ping', status: 200 },
  { name: 'ping, 2025', method: 'ping', more: { era: '2025-06-18' }, status: 200 },
];

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

  for (const { name, method = '', params = {}, more = {}, body, status, code, says } of rows)
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
    expect(result.capabilities).to.deep.equal({ tools: { listChanged: true } });
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

  it('names the metadata and the scope to who has no key, and to who has no scope', async () => {
    const none = await client.ask('ping', {}, { key: null });
    const metadata = '/.well-known/oauth-protected-resource/orbisets/default/mcp"';
    const challenge = none.headers.get('www-authenticate') ?? '';
    expect(challenge)
      .to.match(/^Bearer resource_metadata="http/)
      .and.contain(metadata);
    expect(challenge).to.match(/, scope="orbs:execute"$/);
    const reader = await platform.key({ name: 'reader', scopes: ['orbs:read'] });
    const refused = await client.ask('ping', {}, { key: reader });
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 403]);
    expect(refused.headers.get('www-authenticate')).to.contain('error="insufficient_scope"').and.contain(metadata);
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
