import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';

/** What a vendor of models answers: JSON, or the text of a stream. */
export type ModelReply = VendorReply | { readonly stream: string };

/** How a double answers; all of it may change between calls. */
export interface Manners {
  /** Answers this whatever the request is. */
  fault?: ModelReply | undefined;
  /** Where a stream stops, and how. */
  cut?: { readonly at: number; readonly how: 'end' | 'reset' | 'silence' } | undefined;
  /** Bytes of a chunk; absent: all at once. */
  split?: number | undefined;
  /** The pause after each chunk of `split`; absent: as short as can be. */
  every_ms?: number | undefined;
  /** Before the first byte. */
  delay_ms?: number | undefined;
  /** Comments that come before the first byte, and the pause before each. */
  comments?: { readonly count: number; readonly every_ms: number } | undefined;
}

/** A running double of a vendor of models, on loopback. */
export interface ModelDouble {
  readonly url: string;
  readonly manners: Manners;
  /** Requests for answers, in order. */
  readonly posts: readonly VendorRequest[];
  /** Connections open now. */
  readonly open: number;
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a double; `contract` refuses every request that the vendor's documentation does not admit. */
export async function startDouble(contract: (request: VendorRequest) => ModelReply): Promise<ModelDouble> {
  const posts: VendorRequest[] = [];
  const sockets = new Set<Socket>();
  const manners: Manners = {};
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]);
    const request: VendorRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: Object.fromEntries(headers) as VendorRequest['headers'],
      body: await buffer(incoming),
    };
    if (request.method === 'POST') posts.push(request);
    const documented = contract(request);
    await answer(response, manners.fault ?? documented, manners);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    manners,
    posts,
    get open() {
      return sockets.size;
    },
    async quiet() {
      while (sockets.size > 0) await pause(5);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function answer(response: ServerResponse, reply: ModelReply, manners: Manners): Promise<void> {
  const { comments, cut, delay_ms, every_ms, split } = manners;
  if (delay_ms !== undefined) await pause(delay_ms);
  if (!('stream' in reply)) {
    const { body = '', headers = {}, status } = reply;
    const json = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
    response.writeHead(status, { ...json, ...headers });
    return void response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let left = comments?.count ?? 0; left > 0; left -= 1) {
    await pause(comments?.every_ms);
    response.write(': ping\n\n');
  }
  const bytes = Buffer.from(reply.stream).subarray(0, cut?.at);
  const size = split ?? Math.max(1, bytes.length);
  response.flushHeaders();
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (split !== undefined) await (every_ms === undefined ? turn() : pause(every_ms));
  }
  if (cut?.how === 'silence') return;
  if (cut?.how === 'reset') return void setImmediate(() => response.socket?.resetAndDestroy());
  response.end();
}

/** Reads the JSON of a request. */
export function bodyOf(request: VendorRequest | undefined): Record<string, unknown> {
  return JSON.parse(request?.body.toString() ?? '{}') as Record<string, unknown>;
}
