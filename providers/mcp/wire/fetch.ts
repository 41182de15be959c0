import { Readable } from 'node:stream';
import {
  createAllowList,
  joinedHeaders,
  openOutbound,
  parseTarget,
  retryAfterOf,
  type Resolve,
  type RetryHeaders,
} from '../../../kernel/outbound.ts';
import { given } from '../../../kernel/adapter.ts';
import { moments, type Moment } from './moment.ts';

/** Settings of the connections to one server; times in ms. */
export interface FetchSettings {
  readonly url: string;
  /** Sent with each request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The host may have a private or local address. */
  readonly private: boolean;
  /** The host may be reached without TLS. */
  readonly plain: boolean;
  readonly max_connections: number;
  readonly connect_timeout_ms: number;
}

/** The requests of one server. */
export type GuardedFetch = Awaited<ReturnType<typeof guardedFetch>>;

/** Most bytes of one answer: a longer one ends the call. */
export const longestAnswer = 32 * 1024 * 1024;
// The library may still read what came before the end of a stream.
const graceMs = 500;
// An answer that can be resumed begins with an event that has an id.
const headBytes = 65_536;
// Progress and logging of an honest call stay far below.
const mostEvents = 10_000;

/** Makes the fetch of one server: to checked addresses only, without redirects. */
export async function guardedFetch(settings: FetchSettings, resolve: Resolve) {
  const target = parseTarget(settings.url);
  const { host, port, origin, path } = target;
  const allow = createAllowList([{ host, port, private: settings.private, plain: settings.plain }]);
  allow.admit(target, 'POST');
  const { connect_timeout_ms } = settings;
  // One more for the stream of the server's own messages.
  const max_connections = settings.max_connections + 1;
  const outbound = await openOutbound({ max_connections, connect_timeout_ms, allow, resolve });
  const send = async (init: RequestInit, moment: Moment | undefined): Promise<Response> => {
    const method = init.method === 'POST' || init.method === 'DELETE' ? init.method : 'GET';
    const sent = typeof init.body === 'string' ? Buffer.from(init.body) : undefined;
    const headers = headersOf(init, settings.headers, { moment, length: sent?.length });
    const { signal } = init;
    const answer = await outbound.request({
      ...{ origin, path, method, headers },
      body: sent === undefined ? null : outgoing(sent, moment),
      ...given({ signal: signal ?? undefined }),
    });
    const { statusCode, body } = answer;
    const plain = joinedHeaders(answer.headers);
    if (moment !== undefined) noteAnswer(moment, statusCode, plain);
    const isStream = (plain['content-type'] ?? '').startsWith('text/event-stream');
    const stream = limited(body, isStream ? moment : undefined);
    const empty = statusCode === 204 || statusCode === 205 || statusCode === 304;
    return new Response(empty ? null : stream, { status: statusCode, headers: plain });
  };
  return {
    /** A fetch that reaches this server alone; `streams`: it may hold a stream of the server's own messages open. */
    of({ streams }: { readonly streams: boolean }): typeof fetch {
      return async (_, init = {}) => {
        // A stream of its own for each session would use up the connections; a resumed answer is none.
        if (!streams && (init.method ?? 'GET') === 'GET' && !new Headers(init.headers).has('last-event-id'))
          return new Response(null, { status: 405 });
        return send(init, claimed(init));
      };
    },
    close: () => outbound.close(),
  };
}

/** The moment of a call belongs to its first request: what follows it, such as a cancellation, is another one. */
function claimed({ method }: RequestInit): Moment | undefined {
  const moment = moments.getStore();
  return moment === undefined || method !== 'POST' || moment.written ? undefined : moment;
}

function headersOf(
  init: RequestInit,
  fixed: FetchSettings['headers'],
  { moment, length }: { readonly moment: Moment | undefined; readonly length: number | undefined },
) {
  return {
    ...Object.fromEntries(new Headers(init.headers)),
    'user-agent': 'agent-orb',
    // What is compressed could be a thousand times as long as it seems.
    'accept-encoding': 'identity',
    ...given({ 'content-length': length?.toString(), 'idempotency-key': moment?.key }),
    ...fixed,
  };
}

/** Makes the body a stream, which the library reads when connected, right before it writes the first byte. */
function outgoing(bytes: Buffer, moment: Moment | undefined): Readable {
  return new Readable({
    read() {
      if (moment !== undefined) moment.written = true;
      this.push(bytes);
      this.push(null);
    },
  });
}

function noteAnswer(moment: Moment, status: number, headers: RetryHeaders): void {
  moment.status = status;
  const wait = retryAfterOf(headers, Date.now());
  if (wait !== undefined) moment.retryAfter = Math.min(86_400, Math.max(1, wait));
}

/** Makes the body of an answer; it fails beyond the limit, and tells the end of a stream that cannot be resumed. */
function limited(body: AsyncIterable<Buffer>, moment: Moment | undefined): ReadableStream<Uint8Array> {
  let length = 0;
  let events = 0;
  let resumable = false;
  const over = (): void => {
    if (moment !== undefined && !resumable) setTimeout(() => moment.onEnd?.(), graceMs).unref();
  };
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        length += chunk.length;
        if (length > longestAnswer) throw new Error('the response is too long');
        events += blankLinesIn(chunk);
        if (events > mostEvents) throw new Error('the server sends too many events');
        resumable ||= moment !== undefined && length < headBytes && /^id:/mu.test(chunk.toString('latin1'));
        yield chunk;
      }
    } finally {
      over();
    }
  };
  return ReadableStream.from(chunks());
}

/** Counts the ends of events. */
function blankLinesIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf('\n\n'); at >= 0; at = chunk.indexOf('\n\n', at + 2)) count += 1;
  return count;
}
