import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { compile, type JsonSchema } from '../../kernel/index.ts';

/** A request as the vendor reads it. */
export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What the vendor answers; an object body is JSON. */
export interface VendorReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** What a vendor documents: refuses every request that breaks it. */
export type VendorContract = (request: VendorRequest) => VendorReply | Promise<VendorReply>;

/**
 * What goes wrong; a reply is what the contract says. `reset`: the connection is reset before the request
 * was read; `lost`: after it was taken; `hang`: no answer; `stall`: half an answer; `drop`: half an answer and a reset.
 */
export type VendorFault = VendorReply | 'reset' | 'lost' | 'hang' | 'stall' | 'drop';

/** A running vendor on loopback. */
export interface VendorServer {
  readonly url: string;
  /** Requests that may send, in order. */
  readonly posts: readonly VendorRequest[];
  /** Messages taken: those whose request fulfilled the contract and was not refused by a fault. */
  readonly taken: number;
  /** Connections accepted since the start. */
  readonly accepted: number;
  /** Connections open now. */
  readonly open: number;
  fault: VendorFault | undefined;
  /** Whom the fault meets; absent: every request. */
  meets: ((headers: IncomingMessage['headers']) => boolean) | undefined;
  /** Resolves when the next request was read whole. */
  reached(): Promise<void>;
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  /** Cuts all connections. */
  drop(): void;
  close(): Promise<void>;
}

/** Starts a vendor on 127.0.0.1; `tls` with a certificate nobody trusts. */
export async function startVendor(contract: VendorContract, { tls = false } = {}): Promise<VendorServer> {
  const posts: VendorRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: { point: 'request' | 'quiet'; done: () => void }[] = [];
  const count = { accepted: 0, taken: 0 };
  const reach = (point: string): void => {
    for (const entry of waiting.splice(0)) (entry.point === point ? entry.done : () => waiting.push(entry))();
  };
  const when = async (point: 'request' | 'quiet'): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    waiting.push({ point, done: () => resolve(undefined) });
    await promise;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fault = vendor.meets?.(incoming.headers) === false ? undefined : vendor.fault;
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    const request = await readRequest(incoming);
    if (request.method !== 'GET') posts.push(request);
    const documented = await contract(request);
    const refused = typeof fault === 'object' && fault.status >= 300;
    if (request.method !== 'GET' && documented.status < 300 && !refused) count.taken += 1;
    reach('request');
    if (fault === 'lost') incoming.socket.resetAndDestroy();
    else if (fault !== 'hang') answer(response, typeof fault === 'object' ? fault : documented, fault);
  };
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
    handle(incoming, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
  const server = tls ? createSecureServer(certificate(), onRequest) : createServer(onRequest);
  server.on('connection', (socket: Socket) => {
    count.accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) reach('quiet');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const vendor: VendorServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    posts,
    fault: undefined,
    meets: undefined,
    get taken() {
      return count.taken;
    },
    get accepted() {
      return count.accepted;
    },
    get open() {
      return sockets.size;
    },
    reached: async () => when('request'),
    quiet: async () => (sockets.size === 0 ? undefined : when('quiet')),
    drop: () => sockets.forEach((socket) => socket.destroy()),
    async close() {
      const closed = once(server, 'close');
      server.close();
      vendor.drop();
      await closed;
    },
  };
  return vendor;
}

function answer(response: ServerResponse, { status, headers = {}, body = '' }: VendorReply, fault: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(text), ...headers });
  if (fault !== 'stall' && fault !== 'drop') return void response.end(text);
  response.write(text.slice(0, Math.ceil(text.length / 2)), () => {
    if (fault === 'drop') response.socket?.resetAndDestroy();
  });
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(headers) as VendorRequest['headers'],
    body: await buffer(incoming),
  };
}

function certificate(): { key: string; cert: string } {
  const read = (name: string): string => readFileSync(new URL(`tls/test-only.${name}.pem`, import.meta.url), 'utf8');
  return { key: read('key'), cert: read('cert') };
}

/** Compiles a check of a JSON body: answers what is wrong with it, or nothing. */
export function jsonCheck(schema: JsonSchema): (request: VendorRequest) => string | undefined {
  const check = compile(schema);
  return ({ headers, body }) => {
    if (headers['content-type'] !== 'application/json') return 'the content type is not application/json';
    if (headers['content-length'] !== String(body.length)) return 'the length is missing';
    const faults = check(JSON.parse(body.toString('utf8')));
    return faults.length === 0 ? undefined : JSON.stringify(faults);
  };
}

/** A port of 127.0.0.1 where nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
