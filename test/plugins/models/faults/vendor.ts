import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import { anthropicContract } from '../../../providers/llm/vendors/anthropic.ts';
import { openaiContract } from '../../../providers/llm/vendors/openai.ts';
import { answerOf, documentOf, eventsOfAnswer, type VendorAnswer } from './answers.ts';
import type { Api } from './gateway.ts';

/** How an answer breaks off: by a clean end, by a reset, or by silence. */
export type Cut = 'end' | 'reset' | 'silence';

/** What the vendor does with one call; by default it answers whole, at once. */
export interface Course {
  /** Where the answer breaks off, as a share of its bytes: 0 to 1. */
  readonly cut?: { readonly share: number; readonly how: Cut } | undefined;
  /** Before each event, ms. */
  readonly pause_ms?: number;
  /** Nothing more is sent after so many events, until this resolves. */
  readonly hold?: { readonly after: number; readonly until: Promise<unknown> };
  /** Answers this. */
  readonly fault?: VendorReply;
  /** After so many events of a stream this comes, and then the end. */
  readonly broken?: { readonly after: number; readonly by: string };
}

/** One call that the vendor took. */
export interface VendorCall {
  readonly model: string;
  readonly api: Api;
  readonly streamed: boolean;
  readonly answer: VendorAnswer;
  /** How many of its events have left. */
  events: number;
  /** `whole`: it was handed over, and is billed; `left`: the reader closed the connection before that. */
  ended: 'cut' | 'left' | 'open' | 'refused' | 'whole';
}

/** A vendor of models that keeps its bills. */
export interface BillingVendor {
  readonly url: string;
  /** Calls in order. */
  readonly calls: readonly VendorCall[];
  /** What it refused because it documents no such request. */
  readonly undocumented: readonly string[];
  /** Decides what becomes of the calls from now on. */
  plan: (call: VendorCall) => Course;
  /** Calls of a model. */
  of(model: string): readonly VendorCall[];
  close(): Promise<void>;
}

/** Starts a vendor that has both APIs, on a free port of loopback. */
export async function startBillingVendor(name: string): Promise<BillingVendor> {
  const calls: VendorCall[] = [];
  const undocumented: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const vendor: BillingVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ calls, undocumented, plan: () => ({}) },
    of: (model) => calls.filter((call) => call.model === model),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await requestOf(incoming);
    const api = request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
    const documented = (api === 'anthropic' ? anthropicContract : openaiContract)(request);
    if (request.method !== 'POST' || ('status' in documented && documented.status !== 200)) {
      if (request.method === 'POST') undocumented.push(JSON.stringify(documented));
      return refuse(response, documented as VendorReply);
    }
    const { model, stream } = JSON.parse(request.body.toString()) as { model: string; stream?: boolean };
    const answer = answerOf(name, model);
    const call: VendorCall = { model, api, streamed: stream === true, answer, events: 0, ended: 'open' };
    calls.push(call);
    response.once('close', () => {
      if (call.ended === 'open') call.ended = 'left';
    });
    await answered(call, response, vendor.plan(call));
  };
  return vendor;
}

async function requestOf(incoming: IncomingMessage): Promise<VendorRequest> {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]);
  return {
    ...{ method: incoming.method ?? '', path: incoming.url ?? '', body: await buffer(incoming) },
    headers: Object.fromEntries(headers) as VendorRequest['headers'],
  };
}

function refuse(response: ServerResponse, { status, headers = {}, body = {} }: VendorReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function answered(call: VendorCall, response: ServerResponse, course: Course): Promise<void> {
  const { broken, cut, fault, hold, pause_ms = 0 } = course;
  if (fault !== undefined) {
    call.ended = 'refused';
    return refuse(response, fault);
  }
  const { api, answer, streamed } = call;
  const events = streamed ? eventsOfAnswer(answer, api) : [JSON.stringify(documentOf(answer, api))];
  const bytes = events.map((event) => Buffer.from(event));
  const total = bytes.reduce((sum, { length }) => sum + length, 0);
  let left = cut === undefined ? total : Math.floor(total * cut.share);
  const type = streamed ? 'text/event-stream' : 'application/json';
  for (const [at, event] of bytes.entries()) {
    if (hold?.after === at) await hold.until;
    if (pause_ms > 0) await pause(pause_ms);
    if (call.ended !== 'open') return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': type });
    if (cut !== undefined && left < event.length) break;
    if (broken?.after === at) {
      call.ended = 'cut';
      return void response.end(broken.by);
    }
    left -= event.length;
    response.write(event);
    call.events += 1;
  }
  if (cut === undefined) return void response.end(() => void (call.ended = 'whole'));
  const [rest] = bytes.slice(call.events);
  if (rest !== undefined && left > 0) response.write(rest.subarray(0, left));
  call.ended = 'cut';
  response.flushHeaders();
  if (cut.how === 'end') response.end();
  if (cut.how === 'reset') setImmediate(() => response.socket?.resetAndDestroy());
}
