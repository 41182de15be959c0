import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import { ProviderError, type ProviderHandle } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import client from '../../../providers/http/client.ts';
import { openHandle } from '../../../providers/http/exchange/handle.ts';
import type { Settings } from '../../../providers/http/exchange/settings.ts';
import type { Resolve } from '../../../kernel/net/lookup.ts';
import { testKey } from '../../helpers/conformance.ts';

/** A request as its bytes say it: header names as written. */
export interface RawRequest {
  /** First line and header lines. */
  readonly lines: readonly string[];
  readonly body: string;
}

/** What the target does with a request; it holds the bare socket. */
export type Behaviour = (socket: Socket, request: RawRequest) => void;

/** A bare TCP server that speaks as much HTTP as a behaviour does. */
export interface RawTarget {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Connections accepted since the start. */
  readonly accepted: number;
  behaviour: Behaviour;
  /** Resets every connection with its first byte, before the request was read. */
  resetOnFirstByte: boolean;
  /** Resolves when the next request was read whole. */
  reached(): Promise<void>;
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  /** Connects once itself and answers how many had been accepted before: none can be on its way any more. */
  acceptedBefore(): Promise<number>;
  close(): Promise<void>;
}

/** Writes an answer; a body is counted unless the headers say how long it is. */
export function says(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Buffer = '',
): Behaviour {
  const bytes = Buffer.from(body);
  const all = { 'content-length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return (socket) =>
    socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Any\r\n${lines.join('')}\r\n`, 'latin1'), bytes]));
}

/** Starts a target; on all interfaces if `everywhere`, so that no spelling of this machine misses it. */
export async function startTarget(behaviour: Behaviour = says(200, {}, 'ok'), everywhere = false): Promise<RawTarget> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: { point: string; done: () => void }[] = [];
  let accepted = 0;
  const reach = (point: string): void => {
    for (const entry of waiting.splice(0)) (entry.point === point ? entry.done : () => waiting.push(entry))();
  };
  const when = async (point: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    waiting.push({ point, done: () => resolve(undefined) });
    await promise;
  };
  const server = createServer((socket) => {
    accepted += 1;
    reach('accepted');
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        if (sockets.size === 0) reach('quiet');
      });
    if (target.resetOnFirstByte) return void socket.once('data', () => socket.resetAndDestroy());
    readRequests(socket, (request) => {
      requests.push(request);
      target.behaviour(socket, request);
      reach('request');
    });
  });
  server.listen(0, everywhere ? undefined : '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target: RawTarget = {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    behaviour,
    resetOnFirstByte: false,
    get accepted() {
      return accepted;
    },
    reached: async () => when('request'),
    quiet: async () => (sockets.size === 0 ? undefined : when('quiet')),
    async acceptedBefore() {
      const arrived = when('accepted');
      const own = connect(port, '127.0.0.1');
      await Promise.all([once(own, 'connect'), arrived]);
      own.destroy();
      return accepted - 1;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return target;
}

function readRequests(socket: Socket, take: (request: RawRequest) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const request = { lines: text.slice(0, end).split('\r\n'), body: text.slice(end + 4, end + 4 + length) };
      text = text.slice(end + 4 + length);
      take(request);
    }
  });
}

/** Targets and opened adapters of one suite; all are closed after each test. */
export interface Bed {
  target(behaviour?: Behaviour, everywhere?: boolean): Promise<RawTarget>;
  /** Opens the adapter; with a `resolve` of its own, only what the adapter opens. */
  open(config: object, resolve?: Resolve): Promise<ProviderHandle>;
}

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createBed(): Bed {
  const targets: RawTarget[] = [];
  const handles: ProviderHandle[] = [];
  afterEach(async () => {
    for (const handle of handles.splice(0)) await handle.close?.();
    for (const target of targets.splice(0)) await target.close();
  });
  return {
    async target(behaviour, everywhere) {
      const target = await startTarget(behaviour, everywhere);
      targets.push(target);
      return target;
    },
    async open(config, resolve) {
      const filled = structuredClone(config);
      expect(compile(client.config)(filled)).to.deep.equal([]);
      const scope = { config: filled as never, signal: noSignal(), stateDir: '/nowhere', log: silentLog };
      const handle = await (resolve === undefined ? client.open(scope) : openHandle(filled as Settings, resolve));
      handles.push(handle);
      return handle;
    },
  };
}

/** A configuration that allows exactly one target on loopback. */
export function allowing({ port }: { readonly port: number }, entry: object = {}): { allow: object[] } {
  return { allow: [{ host: '127.0.0.1', port, private: true, ...entry }] };
}

/** Makes one call. */
export async function call(
  handle: ProviderHandle,
  inputs: object,
  signal: AbortSignal = noSignal(),
): Promise<Record<string, unknown>> {
  return handle.execute(inputs as Record<string, unknown>, { signal, idempotency_key: testKey('h'), log: silentLog });
}

/** Awaits a call that must fail with a ProviderError. */
export async function failure(work: Promise<unknown>): Promise<ProviderError> {
  const result = await work.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)} instead of failing`),
    (error: unknown) => error,
  );
  if (!(result instanceof ProviderError)) throw result;
  return result;
}

// A signal that never aborts.
function noSignal(): AbortSignal {
  return new AbortController().signal;
}
