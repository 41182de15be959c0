import { Agent, createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A relay before a server: it has taken an answer whole before it passes on any of it. */
export interface Relay {
  readonly url: string;
  /** Passes so many bytes of the next answer on, and closes the connection of the client. */
  cutNext(at: number): void;
  /** Counts the requests with this text that a tunnel has passed to the server. */
  passed(text: string): number;
  close(): void;
}

/**
 * `tunnel`: each connection of a client is one to the server, byte for byte. `proxy`: all clients share one connection,
 * and each request bears the address of its client. `silent proxy`: as `proxy`, without any header of its own.
 */
export type RelayKind = 'tunnel' | 'proxy' | 'silent proxy';

/** Starts a relay on loopback. */
export async function startRelay(kind: RelayKind, upstream: string): Promise<Relay> {
  let cut: number | undefined;
  const sockets = new Set<Socket>();
  const pass = (answer: Buffer, client: Socket): void => {
    const at = cut;
    cut = undefined;
    if (at === undefined) return void client.write(answer);
    client.end(answer.subarray(0, at));
  };
  const keep = (socket: Socket): Socket => sockets.add(socket) && socket.on('error', () => undefined);
  const parts: string[] = [];
  const { server, end } =
    kind === 'tunnel'
      ? tunnel(upstream, { pass, keep, passed: (part) => parts.push(part.toString()) })
      : proxy(upstream, pass, kind === 'proxy');
  server.on('connection', keep);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNext: (at) => (cut = at),
    passed: (text) => parts.filter((part) => part.includes(text)).length,
    close() {
      end();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface Relaying {
  readonly server: Server;
  readonly end: () => void;
}

type Pass = (answer: Buffer, client: Socket) => void;

interface Tunneling {
  readonly pass: Pass;
  readonly keep: (socket: Socket) => Socket;
  readonly passed: (part: Buffer) => void;
}

// The connection to the server stays open when that of the client has gone.
function tunnel(upstream: string, { pass, keep, passed }: Tunneling): Relaying {
  const { hostname, port } = new URL(upstream);
  const server = createTcpServer((client) => {
    const own = keep(connect(Number(port), hostname));
    client.on('data', (chunk: Buffer) => {
      own.write(chunk);
      passed(chunk);
    });
    let received = Buffer.alloc(0);
    let streams = false;
    own.on('data', (chunk: Buffer) => {
      if (streams) return void client.write(chunk);
      received = Buffer.concat([received, chunk]);
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received.subarray(0, Math.max(0, head)).toString())?.[1]);
      if (head < 0 || received.length < head + 4 + length) return;
      // A stream has no length: it is passed on as it comes.
      streams = Number.isNaN(length);
      if (streams) client.write(received);
      else pass(received, client);
      received = Buffer.alloc(0);
    });
  });
  return { server, end: () => undefined };
}

function proxy(upstream: string, pass: Pass, tells: boolean): Relaying {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const server = createHttpServer((request) => {
    const { headers, method, socket, url } = request;
    const forwarded = { ...headers, ...(tells ? { 'x-forwarded-for': '203.0.113.9' } : {}) };
    // A stream keeps its connection to itself: it is passed on as it comes, until the client closes its own.
    const isStream = method === 'GET';
    const given = { agent: isStream ? false : agent, method, headers: forwarded };
    const own = httpRequest(`${upstream}${String(url)}`, given, (response) => {
      const { rawHeaders, statusCode } = response;
      const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
      const head = Buffer.from(`HTTP/1.1 ${statusCode} OK\r\n${lines}\r\n`);
      if (isStream) {
        socket.write(head);
        response.on('data', (part: Buffer) => socket.write(part)).once('close', () => socket.end());
      } else void buffer(response).then((body) => pass(Buffer.concat([head, body]), socket));
    });
    own.on('error', () => socket.destroy());
    if (isStream) socket.once('close', () => own.destroy());
    request.pipe(own);
  });
  return { server, end: () => agent.destroy() };
}
