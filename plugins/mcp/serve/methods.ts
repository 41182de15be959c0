import { given, reply, type Reply } from '../../../kernel/index.ts';
import { callTool } from '../call/call.ts';
import { resourceAnswers } from '../call/resource-methods.ts';
import { answerTo, serverInfo } from '../call/result.ts';
import { taskAnswers } from '../call/task-methods.ts';
import type { McpScope, Request } from '../scope.ts';
import { listTtlMs, type Page, type ToolList } from '../tools/tool-lists.ts';
import { codes, metaKeys, modern, negotiated, RpcFault, tasksExtension, type Id } from '../wire/wire.ts';

type Answering = (request: Request & { readonly id: Id }, list: ToolList, scope: McpScope) => Promise<Reply> | Reply;

const shared: Readonly<Record<string, Answering>> = {
  'tools/call': callTool,
  'tools/list': listTools,
  ...resourceAnswers,
};

const ping: Answering = (request) => reply({ body: answerTo(request.id, {}, request.message) });

const methods: { readonly [era in 'modern' | 'handshaken']: Readonly<Record<string, Answering>> } = {
  modern: { ...shared, ...taskAnswers, 'server/discover': discover, 'subscriptions/listen': listen },
  handshaken: { ...shared, initialize, ping },
};

/** Answers one request of a client by its method. Throws an RpcFault, or the problem of the HTTP API. */
export function answerMethod(request: Request, list: ToolList, scope: McpScope): Promise<Reply> | Reply {
  const { message } = request;
  const { id, method } = message;
  // A client tells that it is ready, or that it gave a call up; closing the connection is what gives it up here.
  if (id === undefined) return reply({ status: 202 });
  const known = methods[message.modern ? 'modern' : 'handshaken'];
  const answer = Object.hasOwn(known, method) ? known[method] : undefined;
  if (answer === undefined) {
    const text = `the method ${method.slice(0, 100)} is not served here; served are ${Object.keys(known).join(', ')}`;
    throw new RpcFault(message.modern ? 404 : 200, codes.method, text, { id });
  }
  return answer({ ...request, id }, list, scope);
}

function instructions({ orbiset }: ToolList): string {
  return (
    `Tools of the Orbiset ${orbiset.id}. The operator's rules decide each call, and each run has a signed receipt. ` +
    'If an answer says that it is not known whether something was done, do not call again.'
  );
}

function capabilities({ receipts }: McpScope): object {
  return { tools: { listChanged: true }, ...(receipts === undefined ? {} : { resources: {} }) };
}

function discover({ id, message }: Request & { readonly id: Id }, list: ToolList, scope: McpScope): Reply {
  const { version } = scope;
  const result = {
    supportedVersions: [modern],
    capabilities: { ...capabilities(scope), extensions: { [tasksExtension]: {} } },
    serverInfo: serverInfo(version),
    instructions: instructions(list),
    ttlMs: listTtlMs,
    cacheScope: 'private',
    _meta: { [metaKeys.server]: serverInfo(version) },
  };
  return reply({ body: answerTo(id, result, message) });
}

function listen({ message, ...request }: Request & { readonly id: Id }, { digest }: ToolList, scope: McpScope): Reply {
  return scope.listeners.listen({ ...request, digest, params: message.params }, serverInfo(scope.version));
}

function initialize({ id, message }: Request & { readonly id: Id }, list: ToolList, scope: McpScope): Reply {
  const { version } = scope;
  const result = {
    protocolVersion: negotiated(message.params['protocolVersion']),
    capabilities: capabilities(scope),
    serverInfo: serverInfo(version),
    instructions: instructions(list),
  };
  return reply({ body: answerTo(id, result, message) });
}

// The JSON of the tools is made once for each list, not for each answer.
function listTools({ id, message }: Request & { readonly id: Id }, list: ToolList, { version }: McpScope): Reply {
  const { cursor } = message.params;
  const wanted = cursor === undefined ? undefined : (decoded(cursor) ?? '');
  const at = list.pages.findIndex((one) => one.cursor === wanted);
  const page: Page | undefined = list.pages[at];
  if (page === undefined)
    throw new RpcFault(200, codes.params, 'the cursor is unknown; start again without a cursor', { id });
  const next = list.pages[at + 1]?.cursor;
  const rest = {
    ...given({ nextCursor: next && Buffer.from(next).toString('base64url') }),
    ...(message.modern && {
      ttlMs: listTtlMs,
      cacheScope: 'private',
      _meta: { [metaKeys.server]: serverInfo(version) },
    }),
  };
  const head = message.modern ? '"resultType":"complete",' : '';
  const tail = JSON.stringify(rest).slice(1, -1);
  const result = `{${head}"tools":${page.tools}${tail === '' ? '' : `,${tail}`}}`;
  return reply({ type: 'application/json', body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` });
}

function decoded(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : undefined;
}
