import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** An answer of the fault server; an object body is JSON. */
export interface ServerReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** What the server answers to the requests whose path begins with `path`, such as a look-up. */
export interface PathReply extends ServerReply {
  /** Default: any method. */
  readonly method?: string;
  readonly path: string;
  /**
   * The answer to a request without the key of an accepted call; `{key}` in a body is the key of the request,
   * `{accepted_key}` that of the last accepted call.
   */
  readonly unknown_key?: ServerReply;
}

/**
 * The fault: another answer, or one of these. `cut`: the connection is reset after the request was read. `hang`: no
 * answer. `half`: half an answer and a reset. `shut`: the connection is reset when it is made. `silent`: nothing is
 * ever sent.
 */
export type ServerFault = ServerReply | 'cut' | 'hang' | 'half' | 'shut' | 'silent';

/** A server on loopback that answers as configured. */
export interface FaultServer {
  readonly port: number;
  /** `METHOD path` of each request, in order. */
  readonly requests: readonly string[];
  /** Requests that could have an effect and got the success answer. */
  readonly effects: number;
  fault: ServerFault | undefined;
  /** Resolves when the next request was read completely or, for `silent`, when the next connection was made. */
  reached(): Promise<void>;
  /** Resolves when no connection is open; throws after 10 s. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

const quietMs = 10_000;

// The keys of the suite, wherever a request has them.
const keyPattern = /[a-z]+a{20,}/g;

/** Starts the server on a free port; `success` is its answer when there is no fault, and no other one for the path. */
export async function startFaultServer(success: ServerReply, replies: readonly PathReply[] = []): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const requests: string[] = [];
  const accepted = new Set<string>();
  let effects = 0;
  const reach = (): void => waiting.splice(0).forEach((done) => done());
  const server = createServer((incoming, response) => {
    void read(incoming).then((body) => {
      if (body === undefined) return;
      const { headers, method = '', url = '' } = incoming;
      requests.push(`${method} ${url}`);
      const keys = [url, JSON.stringify(headers), body].join('\n').match(keyPattern) ?? [];
      const reply = replies.find((one) => url.startsWith(one.path) && (one.method ?? method) === method);
      if (started.fault === undefined && reply === undefined && !['GET', 'HEAD'].includes(method)) {
        effects += 1;
        for (const key of keys) accepted.add(key);
      }
      const known = reply?.unknown_key === undefined || keys.some((key) => accepted.has(key));
      const right = withKeys(known ? (reply ?? success) : reply.unknown_key, keys[0], [...accepted].at(-1));
      answer(response, started.fault ?? right, right);
      reach();
    });
  });
  // The server must not close a connection that the adapter leaves open, so that the leak is seen.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    if (started.fault === 'shut') socket.resetAndDestroy();
    if (started.fault === 'silent') reach();
  });
  const port = await listening(server);
  const started: FaultServer = {
    port,
    requests,
    fault: undefined,
    get effects() {
      return effects;
    },
    reached: () => new Promise((resolve) => waiting.push(resolve)),
    quiet: () => quiet(sockets),
    async close() {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

/** Finds a port of loopback on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  // Some systems take a moment until they refuse.
  await once(connect(port, '127.0.0.1'), 'error').catch(() => undefined);
  return port;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function read(incoming: IncomingMessage): Promise<string | undefined> {
  try {
    let body = '';
    for await (const part of incoming.setEncoding('utf8')) body += String(part);
    return body;
  } catch {
    return undefined;
  }
}

function withKeys(reply: ServerReply, key = '', last = ''): ServerReply {
  const { body } = reply;
  if (body === undefined) return reply;
  const text = JSON.stringify(body).replaceAll('{key}', key).replaceAll('{accepted_key}', last);
  return { ...reply, body: JSON.parse(text) as object | string };
}

function answer(response: ServerResponse, fault: ServerFault, success: ServerReply): void {
  if (fault === 'hang' || fault === 'silent') return;
  if (fault === 'cut' || fault === 'shut') return void response.socket?.resetAndDestroy();
  const { status, headers = {}, body = '' } = fault === 'half' ? success : fault;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  // The length promises one byte too many, so that half an answer is incomplete even without a body.
  const length = Buffer.byteLength(text) + (fault === 'half' ? 1 : 0);
  response.writeHead(status, { ...type, 'content-length': length, ...headers });
  if (fault !== 'half') return void response.end(text);
  response.write(text.slice(0, Math.ceil(text.length / 2)) || ' ', () => response.socket?.resetAndDestroy());
}

async function quiet(sockets: ReadonlySet<Socket>): Promise<void> {
  const started = performance.now();
  while (sockets.size > 0) {
    if (performance.now() - started > quietMs)
      throw new Error(`${sockets.size} connection(s) still open ${quietMs / 1000} s after close`);
    await wait(10);
  }
}
