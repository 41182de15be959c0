import { given } from '../../../kernel/index.ts';

/** The wire of the protocol: JSON-RPC requests, its revisions and its rules on headers. Pure. */

/** Revision without a handshake; each request carries version and capabilities. */
export const modern = '2026-07-28';

/** Revisions with the handshake `initialize` that are spoken too, newest first. */
export const handshaken = ['2025-11-25', '2025-06-18'] as const;

/** Keys of `_meta` that the protocol defines. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Name of the extension by which a call that takes long answers with a task (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Members of params that the header `Mcp-Name` repeats, by method. */
export const namedBy: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['resources/read', 'uri'],
  ...['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => [method, 'taskId'] as const),
]);

/** Error codes of the protocol; others are HTTP statuses, which lie outside its range. */
export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  capability: -32021,
  internal: -32603,
  header: -32020,
  version: -32022,
} as const;

/** Id of a request. */
export type Id = string | number;

/** Members of an object that came over the wire. */
export type Members = Readonly<Record<string, unknown>>;

/** One request (with `id`) or notification of a client. */
export interface Message {
  readonly id?: Id;
  readonly method: string;
  readonly params: Members;
  /** `_meta` of the params; empty when there is none. */
  readonly meta: Members;
  /** Of the revision 2026-07-28. */
  readonly modern: boolean;
  /** The revision that the request names; undefined for one that names none. */
  readonly version: string | undefined;
}

/** A failure of the protocol, as it is answered; `id`: of the request, as far as it could be read. */
export class RpcFault extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: object | undefined;
  readonly id: Id | undefined;

  constructor(status: number, code: number, message: string, more: Partial<Pick<RpcFault, 'id' | 'data'>> = {}) {
    super(message);
    this.name = 'RpcFault';
    this.status = status;
    this.code = code;
    this.id = more.id;
    this.data = more.data;
  }
}

/** Headers of a request, lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Makes the JSON of a failure. */
export function faultBody({ code, message, data, id }: Pick<RpcFault, 'code' | 'message' | 'data' | 'id'>): object {
  const error = data === undefined ? { code, message } : { code, message, data };
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

/** Reads the id of a request out of a body that may be anything. */
export function idOf(body: unknown): Id | undefined {
  const id = isMembers(body) ? body['id'] : undefined;
  return isId(id) ? id : undefined;
}

/**
 * Says whether a value is the id of a request. A number beyond 2^53 was changed when it was read: an answer would name
 * another request.
 */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

/** Says whether a value is an object with members. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads one message out of a parsed body, and checks it against the headers of its revision. Throws an RpcFault. */
export function readMessage(body: unknown, headers: Headers): Message {
  const id = idOf(body);
  if (Array.isArray(body))
    throw new RpcFault(400, codes.request, 'send one message per request; batches are not supported');
  if (!isMembers(body) || body['jsonrpc'] !== '2.0')
    throw invalid('send a JSON-RPC message: jsonrpc must be "2.0"', id);
  if (body['id'] !== undefined && id === undefined)
    throw invalid('id must be a string, or a number up to 2^53 - 1', id);
  const { method, params = nothing } = body;
  if (typeof method !== 'string') throw invalid('method must be a string; responses of a client are not supported', id);
  if (!isMembers(params)) throw invalid('params must be an object', id);
  const meta = params['_meta'] ?? nothing;
  if (!isMembers(meta)) throw new RpcFault(400, codes.params, 'params._meta must be an object', { id });
  const named = meta[metaKeys.version];
  const isModern = named !== undefined || headers['mcp-protocol-version'] === modern;
  const version = headerOf(headers, 'mcp-protocol-version');
  const message = { ...given({ id }), method, params, meta, modern: isModern, version };
  // Clients of 2026-07-28 send notifications without `_meta`, and the server ignores notifications.
  if (isModern && id !== undefined) checkModern(message, headers);
  else if (!isModern && version !== undefined && !isHandshaken(version)) throw unknownVersion(version, id);
  return message;
}

/** Says whether the client of a request takes a task for an answer. */
export function declaresTasks(message: Pick<Message, 'modern' | 'meta'>): boolean {
  return declares(message, 'extensions', tasksExtension);
}

/** Says whether the client of a request can open a page for its user (SEP-1036). */
export function declaresUrlElicitation(message: Pick<Message, 'modern' | 'meta'>): boolean {
  return declares(message, 'elicitation', 'url');
}

// Clients of a revision with a handshake declare their capabilities once, for a session, which this server has none of.
function declares({ modern: isModern, meta }: Pick<Message, 'modern' | 'meta'>, kind: string, name: string): boolean {
  const capabilities = meta[metaKeys.capabilities];
  const declared = isMembers(capabilities) ? capabilities[kind] : undefined;
  return isModern && isMembers(declared) && isMembers(declared[name]);
}

/** Chooses the revision that `initialize` answers: the highest that is not above the asked one. */
export function negotiated(asked: unknown): string {
  const found = typeof asked === 'string' ? handshaken.find((version) => version <= asked) : undefined;
  return found ?? handshaken[0];
}

const nothing: Members = Object.freeze({});

function isHandshaken(version: string): boolean {
  return handshaken.some((one) => one === version);
}

function invalid(message: string, id: Id | undefined): RpcFault {
  return new RpcFault(400, codes.request, message, { id });
}

function unknownVersion(requested: string, id: Id | undefined): RpcFault {
  const data = { supported: [modern], requested };
  const message = `the revision ${cut(requested)} is not spoken; use ${modern}, or initialize with ${handshaken.join(' or ')}`;
  return new RpcFault(400, codes.version, message, { id, data });
}

function checkModern({ id, method, params, meta }: Message, headers: Headers): void {
  const version = meta[metaKeys.version];
  if (typeof version !== 'string') throw incomplete(metaKeys.version, 'a string', id);
  agree(headers, 'MCP-Protocol-Version', version, id);
  if (version !== modern) throw unknownVersion(version, id);
  agree(headers, 'Mcp-Method', method, id);
  const member = namedBy.get(method);
  if (member !== undefined) agree(headers, 'Mcp-Name', params[member], id);
  if (!isMembers(meta[metaKeys.capabilities])) throw incomplete(metaKeys.capabilities, 'an object', id);
}

function incomplete(key: string, what: string, id: Id | undefined): RpcFault {
  return new RpcFault(400, codes.params, `params._meta must hold "${key}", ${what}`, { id });
}

// The values that a proxy uses for routing must match the call.
function agree(headers: Headers, name: string, said: unknown, id: Id | undefined): void {
  const sent = headerOf(headers, name.toLowerCase());
  const value = sent === undefined ? undefined : decoded(sent);
  if (value !== undefined && value === said) return;
  const what =
    sent === undefined
      ? `the header ${name} is missing; the body says ${cut(said)}`
      : `the header ${name} says ${cut(sent)}, the body ${cut(said)}`;
  throw new RpcFault(400, codes.header, `${what}; both must say the same`, { id });
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value?.trim();
}

// Text that a header cannot carry is sent in base64. Undefined: it is no base64 of UTF-8.
function decoded(value: string): string | undefined {
  const coded = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (coded === undefined) return value;
  const bytes = Buffer.from(coded, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== coded.replace(/=+$/, '')) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function cut(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
