import type * as sdkTypes from '@modelcontextprotocol/client';
import type { Client, Transport } from '@modelcontextprotocol/client';
import type { UpstreamCall } from '../../../kernel/adapter.ts';
import { CallError, Reason } from './failure.ts';
import { moments, type Moment } from './moment.ts';
import { TaskEnded, TaskResults, tasksExtension, type AskTask } from './task.ts';
import { isObject, type ToolResult } from './text.ts';

/** A call of a tool. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Schema of the arguments: some of them are also sent as headers, as it says. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Hears how far the tool is. */
  readonly progress?: UpstreamCall['progress'] | undefined;
}

/** A connection to an MCP server on which a revision was agreed. */
export type Connection = ReturnType<typeof connectionOf>;

/** Lines of JSON to and from a process. */
export interface Pipe {
  /** By these two the client library knows a pipe: it takes a silent server for one of 2025. */
  readonly pid: number | null;
  readonly stderr: null;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** How a server is reached. */
export type Link =
  | { readonly kind: 'http'; readonly url: string; readonly fetch: typeof fetch }
  | { readonly kind: 'pipe'; readonly pipe: Pipe };

/** The options of a connection. */
export interface ConnectOptions {
  /** Revisions to speak: `auto` asks the server. */
  readonly era: 'auto' | '2026' | '2025';
  readonly signal: AbortSignal;
  /** Called when the server says that its tools changed; absent: it is not asked to. */
  readonly onListChanged?: (() => void) | undefined;
  readonly onClose?: () => void;
  readonly onError?: (error: Error) => void;
}

// No timer of the library ends a call: the signal does.
const noTimeout = 2 ** 31 - 1;
// A silent server on a pipe is taken for one of 2025.
const probeMs = 3000;
const revision = '2026-07-28';
const mostPages = 64;
const mostTools = 1000;

// Accepts any result: a list is read by us, tool by tool.
const anything = {
  '~standard': { version: 1, vendor: 'agent-orb', validate: (value: unknown) => ({ value }) },
} as const;

/** Connects to a server by the official client. Throws what the link throws. */
export async function connect(link: Link, options: ConnectOptions): Promise<Connection> {
  const sdk = await import('@modelcontextprotocol/client');
  const client = new sdk.Client(
    { name: 'agent-orb-platform', version: '1' },
    {
      capabilities: { extensions: { [tasksExtension]: {} } },
      versionNegotiation: {
        mode: options.era === '2025' ? 'legacy' : options.era === '2026' ? { pin: revision } : 'auto',
        ...(link.kind === 'pipe' ? { probe: { timeoutMs: probeMs } } : {}),
      },
      inputRequired: { autoFulfill: false },
      // Results are checked by the Orb's schema; patterns of a server never run on an engine that may backtrack.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      ...(options.onListChanged === undefined ? {} : { listChanged: listChanged(options.onListChanged) }),
    },
  );
  client.onclose = () => options.onClose?.();
  client.onerror = (error) => options.onError?.(error);
  const tasks = new TaskResults();
  const inner = link.kind === 'http' ? httpTransport(sdk, link) : (link.pipe as Transport);
  const { transport, taken } = takingTools(inner, tasks);
  try {
    await client.connect(transport, { signal: options.signal, timeout: noTimeout });
  } catch (error) {
    await client.close().catch(() => undefined);
    throw understood(error, sdk);
  }
  return connectionOf({ client, transport, sdk, taken, tasks });
}

type Sdk = typeof sdkTypes;

function listChanged(onChanged: () => void) {
  return { tools: { autoRefresh: false, debounceMs: 500, onChanged: () => onChanged() } };
}

function httpTransport(sdk: Sdk, { url, fetch }: Extract<Link, { kind: 'http' }>): Transport {
  return new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch,
    onInsufficientScope: 'throw',
    redirectPolicy: 'follow',
  });
}

interface Parts extends ReturnType<typeof takingTools> {
  readonly client: Client;
  readonly sdk: Sdk;
  readonly tasks: TaskResults;
}

type Receive = (message: unknown, extra?: unknown) => void;

// Each question of a server is answered with a refusal: those beyond are not answered at all.
const mostQuestions = 50;

function isTooMany(asked: { second: number; count: number }): boolean {
  const second = Math.floor(performance.now() / 1000);
  if (second !== asked.second) Object.assign(asked, { second, count: 0 });
  asked.count += 1;
  return asked.count > mostQuestions;
}

/**
 * Takes the tools out of each list before the library reads it: one tool that it cannot read would hide all others.
 * They are read by us, one by one. So are tasks and blocks of content of kinds that it does not know.
 */
function takingTools(inner: Transport, tasks: TaskResults) {
  let tools: readonly unknown[] | undefined;
  let receive: Receive | undefined;
  const asked = { second: 0, count: 0 };
  const take: Receive = (message, extra) => {
    if (isObject(message) && 'id' in message && 'method' in message && isTooMany(asked)) return;
    const result = isObject(message) ? message['result'] : undefined;
    if (!isObject(message) || !isObject(result)) return receive?.(message, extra);
    if (!Array.isArray(result['tools'])) return receive?.({ ...message, result: tasks.veil(result) }, extra);
    tools = result['tools'] as readonly unknown[];
    receive?.({ ...message, result: { ...result, tools: [] } }, extra);
  };
  inner.onmessage = take;
  const transport = new Proxy(inner, {
    get(target, name) {
      if (name === 'onmessage') return receive;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && !String(name).startsWith('on') ? (value.bind(target) as unknown) : value;
    },
    set(target, name, value) {
      if (name !== 'onmessage') return Reflect.set(target, name, value, target);
      receive = value as Receive | undefined;
      return true;
    },
  });
  return { transport, taken: () => tools };
}

function connectionOf({ client, transport, sdk, taken, tasks }: Parts) {
  const { name = 'unknown', version = 'unknown' } = client.getServerVersion() ?? {};
  return {
    /** What the server says of itself. */
    server: { name, version },
    /** Revision of the protocol. */
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    /** The session that the server handed out. */
    get session() {
      return transport.sessionId;
    },
    /** Lists the tools as the server defines them. Throws CallError for a refusal over HTTP, else what the link throws. */
    async list(signal: AbortSignal) {
      try {
        return await listTools(client, taken, signal);
      } catch (error) {
        throw understood(error, sdk);
      }
    },
    /** Calls a tool, once. Throws CallError, or what the connection below throws. */
    async call(
      { name: tool, arguments: given, inputSchema, meta, progress }: ToolCall,
      moment: Moment,
      signal: AbortSignal,
    ): Promise<ToolResult> {
      try {
        const result = await moments.run(moment, () =>
          ended(moment, (stop) =>
            client.callTool(
              { name: tool, arguments: { ...given }, _meta: { ...meta } },
              {
                signal: AbortSignal.any([signal, stop]),
                timeout: noTimeout,
                ...(progress === undefined ? {} : { onprogress: progress }),
                toolDefinition: { name: tool, inputSchema: inputSchema as { type: 'object' } },
              },
            ),
          ),
        );
        return await tasks.resultOf(result, asking(client, sdk), signal);
      } catch (error) {
        throw understood(error, sdk);
      }
    },
    close: () => client.close(),
  };
}

function asking(client: Client, sdk: Sdk): AskTask {
  return async (method, taskId, signal) => {
    try {
      return await client.request({ method, params: { taskId } }, anything, { signal, timeout: noTimeout });
    } catch (error) {
      if (error instanceof sdk.ProtocolError) return { status: 'unknown' };
      throw error;
    }
  };
}

/** Ends a call whose stream has ended without its result: the library would wait for ever. */
async function ended<T>(moment: Moment, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  moment.onEnd = () => {
    reject(new CallError({ kind: 'stream' }));
    stop.abort();
  };
  try {
    return await Promise.race([work(stop.signal), promise]);
  } finally {
    delete moment.onEnd;
  }
}

async function listTools(client: Client, taken: Parts['taken'], signal: AbortSignal): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const how = { signal, timeout: noTimeout };
    const answer: unknown = await client.request({ method: 'tools/list', params }, anything, how);
    const more = taken();
    if (more === undefined) throw new Reason('the server did not return a list of tools');
    tools.push(...more);
    if (tools.length > mostTools) throw new Reason(`the server lists more than ${mostTools} tools`);
    const nextCursor = isObject(answer) ? answer['nextCursor'] : undefined;
    if (typeof nextCursor !== 'string') return tools;
    cursor = nextCursor;
  }
  throw new Reason(`the list of tools has more than ${mostPages} pages`);
}

/** Says in our words why a call brought no result. */
function understood(error: unknown, sdk: Sdk): unknown {
  if (error instanceof CallError) return error;
  if (error instanceof TaskEnded) return new CallError({ kind: 'task', status: error.status });
  if (error instanceof sdk.SdkHttpError) return new CallError({ kind: 'http', status: error.status });
  if (error instanceof sdk.InsufficientScopeError) return new CallError({ kind: 'http', status: 403 });
  if (error instanceof sdk.ProtocolError)
    return new CallError({ kind: 'error', code: error.code, message: error.message });
  if (!(error instanceof sdk.SdkError)) return error;
  switch (error.code) {
    case sdk.SdkErrorCode.UnsupportedResultType: {
      const { resultType } = isObject(error.data) ? error.data : {};
      return new CallError({ kind: 'result', type: typeof resultType === 'string' ? resultType : 'unknown' });
    }
    case sdk.SdkErrorCode.InvalidResult:
    case sdk.SdkErrorCode.ClientHttpUnexpectedContent:
      return new CallError({ kind: 'unreadable' });
    case sdk.SdkErrorCode.ConnectionClosed:
      return new CallError({ kind: 'closed' });
    default:
      return error;
  }
}
