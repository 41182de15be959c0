import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { BodyOf, Section } from './presentation.ts';
import { isReply, type RequestInfo, type Route } from './route.ts';
import { problemType, type Problem } from './problem.ts';

/** An answer as it is written to the socket. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly type?: string | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Sent part by part in place of a body. */
  readonly stream?: AsyncIterable<string | Uint8Array> | undefined;
}

/** Turns a handler's result into an answer: a plain value is JSON, nothing is 204, a page gets its sections. */
export function toAnswer(
  route: Pick<Route, 'method' | 'path' | 'status'>,
  value: unknown,
  sections: readonly Section[] = [],
): Answer {
  if (value === undefined) return { status: 204 };
  if (!isReply(value)) return { status: route.status ?? 200, type: 'application/json', body: json(value) };
  const { status = route.status ?? 200, headers, type, body, stream } = value;
  if (stream !== undefined) return { status, headers, type, stream };
  if (body === undefined) return { status, headers };
  if (type === undefined) return { status, headers, type: 'application/json', body: json(body) };
  if (typeof body === 'function') {
    const made = (body as BodyOf)(sections);
    return { status, headers: { ...headers, ...made.headers }, type, body: made.body };
  }
  if (typeof body === 'string' || body instanceof Uint8Array) return { status, headers, type, body };
  throw new TypeError(`${route.method} ${route.path}: a body of the type ${type} must be text or bytes`);
}

function json(value: unknown): string {
  // Against its type, JSON.stringify returns undefined for a value that JSON cannot hold.
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError('the answer cannot be written as JSON');
  return text;
}

/** Turns a problem into the answer that is written. */
export function problemAnswer({ status, headers, body }: Problem): Answer {
  return { status, headers, type: problemType, body: JSON.stringify(body) };
}

/** Writes an answer in one go; does nothing when the client has gone. `close` ends the connection with it. */
export function write(
  res: ServerResponse,
  answer: Answer,
  { request_id, traceparent }: Pick<RequestInfo, 'request_id' | 'traceparent'>,
  { close }: { close: boolean },
): void {
  if (res.destroyed || res.headersSent) return;
  const { status, type, body, stream } = answer;
  // A flat list is what node writes fastest.
  const headers: string[] = ['X-Request-Id', request_id, 'traceparent', traceparent];
  let cached = false;
  for (const name in answer.headers) {
    headers.push(name, answer.headers[name] ?? '');
    if (name.toLowerCase() === 'cache-control') cached = true;
  }
  headers.push('X-Content-Type-Options', 'nosniff');
  if (!cached) headers.push('Cache-Control', 'no-store');
  if (type !== undefined) headers.push('Content-Type', type);
  if (status !== 204 && status !== 304 && stream === undefined)
    headers.push('Content-Length', String(Buffer.byteLength(body ?? '')));
  if (close) headers.push('Connection', 'close');
  res.writeHead(status, headers);
  if (stream === undefined) res.end(body);
  else sendParts(res, stream);
}

// The head has been sent: only a cut connection can show the client a failure.
function sendParts(res: ServerResponse, stream: AsyncIterable<string | Uint8Array>): void {
  pipeline(stream, res).catch(() => res.destroy());
}
