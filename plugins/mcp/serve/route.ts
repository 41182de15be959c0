import { noOrbiset, orbisetParams } from '../../runtime/contract.ts';
import {
  defineRoute,
  exactly,
  optional,
  PlatformError,
  reply,
  type Call,
  type Infer,
  type Principal,
  type Problem,
  type ProblemForm,
  type Reply,
  type RequestInfo,
  type Route,
} from '../../../kernel/index.ts';
import { corsHeaders } from './cors.ts';
import { refuseForeign, refuseUnreadable } from './guard.ts';
import type { McpScope, Request } from '../scope.ts';
import type { ToolList } from '../tools/tool-lists.ts';
import { codes, faultBody, handshaken, idOf, readMessage, RpcFault } from '../wire/wire.ts';

const id = { description: 'A string or a number' } as const;

/** Schema of an answer that is a failure. */
const rpcFailure = exactly('McpFailure', {
  jsonrpc: { const: '2.0', description: 'The form' },
  id: optional({ ...id, description: 'Of the request, if it could be read' }),
  error: {
    description: 'What went wrong',
    ...exactly({
      code: { type: 'integer', description: 'Of JSON-RPC or of the protocol; else the HTTP status' },
      message: { type: 'string', description: 'What happened and how to fix it' },
      data: optional({
        type: 'object',
        additionalProperties: true,
        description: 'The problem of the HTTP API, or data that the protocol requires',
      }),
    }),
  },
});

/** Schema of an answer. */
const rpcAnswer = exactly('McpAnswer', {
  jsonrpc: { const: '2.0', description: 'The form' },
  id: optional({ ...id, description: 'Of the request' }),
  result: optional({ type: 'object', additionalProperties: true, description: 'By the method' }),
  error: optional({ type: 'object', additionalProperties: true, description: 'In place of a result' }),
});

// What breaks JSON-RPC is answered in its own words, not as a problem of a body.
const rpcMessage = {
  title: 'McpMessage',
  description: 'One JSON-RPC request or notification of the Model Context Protocol',
  properties: {
    jsonrpc: { description: '`2.0`' },
    id: { description: 'A string or a number; a notification has none' },
    method: { description: '`tools/list`, `tools/call`, …' },
    params: { description: 'By the method' },
  },
} as const;

// Loaded by the first message: many servers get none.
const loadMethods = () => import('./methods.ts');
let methods: ReturnType<typeof loadMethods> | undefined;

/** Answers `POST /orbisets/{id}/mcp`: one message of the Model Context Protocol. */
export const mcpRoute = (scope: McpScope): Route =>
  defineRoute({
    method: 'POST',
    path: '/orbisets/{id}/mcp',
    operationId: 'callMcp',
    service: 'runtime',
    scope: 'orbs:execute',
    narrowed: true,
    summary: 'Use an Orbiset through the Model Context Protocol',
    params: orbisetParams,
    body: rpcMessage,
    produces: 'application/json',
    response: rpcAnswer,
    forms: { 'text/event-stream': { description: 'The answer, and notifications before it, as server-sent events' } },
    also: [202],
    problems: ['orbiset_not_found'],
    problemForm: mcpForm(scope),
    handle: (call) => answer(call.body, { orbiset_id: call.params.id, principal: call.principal, info: call }, scope),
  });

async function answer(body: unknown, request: Omit<Request, 'message'>, scope: McpScope): Promise<Reply> {
  const { info } = request;
  return guarded(info, scope, body, async () => {
    refuseUnreadable(info);
    const message = readMessage(body, info.headers);
    const { answerMethod } = await (methods ??= loadMethods());
    return answerMethod({ ...request, message }, await listOf(request, scope), scope);
  });
}

/** Answers a request that a browser may send for a page of this or an allowed origin; an RpcFault is answered as one. */
export async function guarded(
  info: RequestInfo,
  scope: McpScope,
  body: unknown,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    refuseForeign(info, scope);
    const cors = corsHeaders(info, scope);
    if (cors !== undefined) info.addHeaders(cors);
    return await work();
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return reply({
      status: error.status,
      body: faultBody({ ...error, message: error.message, id: error.id ?? idOf(body) }),
    });
  }
}

/** Finds the list of tools of a caller. Throws 404 `orbiset_not_found`. */
export async function listOf(
  { orbiset_id, principal }: Pick<Request, 'orbiset_id' | 'principal'>,
  { lists }: McpScope,
): Promise<ToolList> {
  const list = await lists.of(orbiset_id, principal);
  if (list !== undefined) return list;
  throw noOrbiset(orbiset_id);
}

/** Answers problems in the form of the protocol. */
export const mcpForm = (scope: McpScope): ProblemForm => ({
  schema: rpcFailure,
  present: (problem, sent) => present(problem, sent, scope),
});

/** Makes the failure of the protocol out of a problem of the HTTP API; a page of an allowed origin may read it. */
function present(
  { status, headers, body }: Problem,
  sent: Parameters<ProblemForm['present']>[1],
  scope: McpScope,
): Reply {
  const members = body as Readonly<Record<string, unknown>>;
  const { detail, title, request_id } = members;
  const [own, code] = faults[String(members['code'])] ?? [status, status];
  const message = status === 500 ? `a defect, request ${String(request_id)}` : String(detail ?? title);
  return reply({
    status: own,
    headers: { ...headers, ...corsHeaders(sent, scope) },
    body: faultBody({ code, message, data: body, id: idOf(sent.body) }),
  });
}

// Those that JSON-RPC has a code for; all others have their HTTP status as code.
const faults: Readonly<Record<string, readonly [status: number, code: number]>> = {
  malformed_json: [400, codes.parse],
  internal: [500, codes.internal],
};

type Following = Call<Infer<typeof orbisetParams>, unknown, unknown, Principal>;

/** Answers `GET /orbisets/{id}/mcp`: the notifications of the server, for clients of a revision with a handshake. */
export const streamRoute = (scope: McpScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/orbisets/{id}/mcp',
    operationId: 'followMcp',
    service: 'runtime',
    scope: 'orbs:execute',
    narrowed: true,
    summary: 'Follow changes of the tools of an Orbiset (MCP before 2026-07-28)',
    params: orbisetParams,
    reads: ['Last-Event-ID'],
    produces: 'text/event-stream',
    problems: ['orbiset_not_found'],
    problemForm: mcpForm(scope),
    handle: (call) => guarded(call, scope, undefined, () => follow(call, scope)),
  });

async function follow(call: Following, scope: McpScope): Promise<Reply> {
  const { headers, params, principal } = call;
  const version = handshaken.find((one) => one === headers['mcp-protocol-version']);
  // Clients of 2026-07-28 send `subscriptions/listen`; a client that names no revision takes 405 for "not offered".
  if (version === undefined)
    throw new PlatformError('method_not_allowed', `GET is for clients of ${handshaken.join(' or ')}; use POST`, {
      headers: { Allow: 'OPTIONS, POST' },
    });
  const { digest } = await listOf({ orbiset_id: params.id, principal }, scope);
  const last = headers['last-event-id'];
  const known = typeof last === 'string' && last !== '' ? last : digest;
  const watching = { orbiset_id: params.id, principal, info: call, digest: known };
  return scope.listeners.follow(watching, { primed: version === handshaken[0] });
}
