import { metaKeys } from '../../../../plugins/mcp/wire/wire.ts';
import type { Asking } from '../client.ts';

/** One request, and how it is answered. */
export interface Row {
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

/** The rules of the wire. */
export const wireRows: readonly Row[] = [
  { name: 'a body that is not JSON', body: '{', status: 400, code: -32700 },
  { name: 'an empty body', body: '', status: 400, code: -32700 },
  { name: 'a batch', body: [{ jsonrpc: '2.0', id: 1, method: 'ping' }], status: 400, code: -32600, says: /batches/ },
  { name: 'an id that is null', body: { jsonrpc: '2.0', id: null, method: 'ping' }, status: 400, code: -32600 },
  { name: 'an id that is an object', body: { jsonrpc: '2.0', id: {}, method: 'ping' }, status: 400, code: -32600 },
  {
    name: 'an id beyond 2^53',
    body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    status: 400,
    code: -32600,
    says: /2\^53/,
  },
  {
    name: 'a notification of 2026-07-28 without _meta',
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    more: { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/cancelled' } },
    status: 202,
  },
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
  { name: 'a method that is not served', method: 'prompts/list', status: 404, code: -32601 },
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
  {
    name: 'an allowed Origin',
    method: 'tools/list',
    more: { headers: { origin: 'https://agent.example' } },
    status: 200,
  },
  { name: 'no key', method: 'ping', more: { key: null }, status: 401, code: 401 },
  { name: 'a wrong key', method: 'ping', more: { key: 'orb_live_wrong' }, status: 401, code: 401 },
  {
    name: 'Accept that excludes JSON',
    method: 'ping',
    more: { headers: { accept: 'text/event-stream' } },
    status: 406,
    code: 406,
  },
  { name: 'Accept of anything', method: 'tools/list', more: { headers: { accept: '*/*' } }, status: 200 },
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
  { name: 'ping, which 2026 has no more', method: 'ping', status: 404, code: -32601 },
  { name: 'ping, 2025', method: 'ping', more: { era: '2025-06-18' }, status: 200 },
];
