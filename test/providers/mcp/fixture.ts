import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** A tool of the fixture: its definition as listed, and what it does. */
export interface FixtureTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
  readonly run?: (given: Readonly<Record<string, unknown>>, tell: (progress: number) => Promise<void>) => unknown;
}

/** One request as it came. */
export interface Seen {
  readonly method: string;
  /** The method of the protocol. */
  readonly asked: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly id?: unknown; readonly params?: Readonly<Record<string, unknown>> };
}

/** Answers a request in the place of the server; false leaves it to the server. */
export type Fault = (asked: string, response: ServerResponse, id: unknown) => boolean;

/** A server of tools, on loopback. */
export interface Fixture {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Replaced as a whole by tests: the next list has them. */
  tools: readonly FixtureTool[];
  fault: Fault | undefined;
  /** How often a method was asked for. */
  count(asked: string): number;
  /** Tells clients that the tools changed. */
  changed(): void;
  /** Forgets the sessions, as a server that was restarted. */
  forget(): void;
  close(): Promise<void>;
}

const pastTense = 'repeats what it is given';

/** The tool of most tests. */
export const echo: FixtureTool = {
  name: 'echo_text',
  title: 'Echo',
  description: pastTense,
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
  run: ({ text: given }) => ({ content: [{ type: 'text', text: `echo: ${String(given)}` }] }),
};

/** How the fixture speaks: both eras without sessions, or 2025 with sessions. */
export type Speaking = 'stateless' | 'sessions';

/** Starts the fixture; its tools answer a result of the protocol, or throw. */
export async function startFixture(
  tools: readonly FixtureTool[] = [echo],
  speaking: Speaking = 'stateless',
): Promise<Fixture> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const handler = createMcpHandler(() => serverOf(fixture));
  const stateless = toNodeHandler(handler);
  const http = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const body = (raw === '' ? {} : JSON.parse(raw)) as Seen['body'] & { method?: string };
    const asked = body.method ?? request.method ?? '';
    seen.push({ method: request.method ?? '', asked, headers: request.headers, body });
    if (fixture.fault?.(asked, response, body.id) === true) return;
    if (speaking === 'stateless') return stateless(request as never, response, body);
    const id = String(request.headers['mcp-session-id'] ?? '');
    const known = sessions.get(id);
    if (id !== '' && known === undefined) return void response.writeHead(404).end();
    await (known ?? (await begin())).handleRequest(request, response, body);
  }
  async function begin(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await serverOf(fixture).connect(transport);
    return transport;
  }
  http.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const fixture: Fixture = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    tools,
    fault: undefined,
    count: (asked) => seen.filter((one) => one.asked === asked).length,
    changed: () => handler.notify.toolsChanged(),
    forget: () => sessions.clear(),
    async close() {
      await handler.close();
      for (const socket of sockets) socket.destroy();
      http.close();
      await once(http, 'close');
    },
  };
  return fixture;
}

function serverOf(fixture: Fixture): Server {
  const server = new Server({ name: 'fixture', version: '7.1' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({
    tools: fixture.tools.map(({ run: _, ...definition }) => definition) as never,
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken;
    const tell = async (progress: number): Promise<void> => {
      if (progressToken === undefined) return;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    };
    const tool = fixture.tools.find(({ name }) => name === params.name);
    return ((await tool?.run?.(params.arguments ?? {}, tell)) ?? { content: [] }) as never;
  });
  return server;
}
