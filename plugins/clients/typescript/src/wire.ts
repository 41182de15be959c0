import type { Auth, Json, LogEntry } from './surface.ts';
import { OrbError } from './error.ts';
import { defined } from './verify/object.ts';

/** The clock of a client; tests give another. */
export interface Time {
  now(): number;
  /** Calls back after a while; the result stops it. */
  after(ms: number, callback: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

/** What requests are sent with. */
export interface Wire {
  readonly url: string;
  readonly auth: Auth;
  readonly fetch: typeof fetch;
  readonly time: Time;
  readonly agent: string | undefined;
  readonly checkToken: (token: string) => void;
  readonly log: (entry: LogEntry) => void;
  /** How much later than here it is at the server, ms. */
  skew: number;
  token?: Promise<string> | undefined;
}

/** One request. */
export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly query?: Json | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time at which it must have been answered. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Hands the body of a 2xx over unread. */
  readonly stream?: boolean;
}

/** An answer that came whole. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: not JSON. */
  readonly json: unknown;
  readonly body?: ReadableStream<Uint8Array>;
  /** Ends the connection of a body. */
  readonly close?: () => void;
}

/** A request without a whole answer. */
export interface Broken {
  readonly kind: 'broken';
  /** False: no byte of it can have reached the server. */
  readonly sent: boolean;
  readonly why: 'abort' | 'error' | 'time';
}

/** What came of one request. */
export type Heard = Answered | Broken;

const skewMs = 30_000;

// A connection that was not made: Node, Bun, Deno. A browser does not say.
const unsent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** Sends one request; rejects only if the token cannot be had or may not be used. */
export async function send(wire: Wire, sending: Sending): Promise<Heard> {
  const first = await sendOnce(wire, sending);
  if (first.kind === 'broken' || first.status !== 401 || typeof wire.auth === 'string') return first;
  wire.token = undefined;
  return sendOnce(wire, sending);
}

async function sendOnce(wire: Wire, sending: Sending): Promise<Heard> {
  const { deadline, signal } = sending;
  const { now, after } = wire.time;
  const stop = new AbortController();
  let why: Broken['why'] = 'error';
  const end = (reason: Broken['why']) => (): void => {
    why = reason;
    stop.abort();
  };
  const [late, left] = [end('time'), end('abort')];
  if (signal?.aborted === true || deadline <= now())
    return { kind: 'broken', sent: false, why: signal?.aborted === true ? 'abort' : 'time' };
  const token = await tokenOf(wire);
  const begun = now();
  const cancel = after(deadline - begun, late);
  signal?.addEventListener('abort', left);
  const done = (): void => {
    cancel();
    signal?.removeEventListener('abort', left);
  };
  let streaming = false;
  try {
    const response = await wire.fetch(urlOf(wire.url, sending), requestOf(sending, { token, agent: wire.agent, stop }));
    noteSkew(wire, response.headers.get('date'));
    const { status, headers, ok } = response;
    wire.log({ event: 'try', method: sending.method, path: sending.path, status, ms: now() - begun });
    if (sending.stream === true && ok && response.body !== null) {
      streaming = true;
      const close = (): void => {
        done();
        stop.abort();
      };
      // The deadline is that of the first byte.
      cancel();
      return { kind: 'answered', status, headers, text: '', json: undefined, body: response.body, close };
    }
    const text = await response.text();
    return { kind: 'answered', status, headers, text, json: parse(text) };
  } catch (error) {
    wire.log({ event: 'try', method: sending.method, path: sending.path, ms: now() - begun });
    return { kind: 'broken', sent: why !== 'error' || !isUnsent(error), why };
  } finally {
    if (!streaming) done();
  }
}

function requestOf(
  { body, headers, method }: Sending,
  { token, agent, stop }: { token: string; agent: string | undefined; stop: AbortController },
): RequestInit {
  const isJson = body === undefined ? undefined : 'application/json';
  return defined({
    method,
    headers: defined({
      ...{ accept: 'application/json', authorization: `Bearer ${token}`, 'x-orb-sdk': agent, 'content-type': isJson },
      ...headers,
    }),
    body: isJson && JSON.stringify(body),
    signal: stop.signal,
    // A redirect could lead the key elsewhere; not every runtime has `error`.
    redirect: 'manual' as const,
  });
}

function urlOf(base: string, { path, query = {} }: Sending): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const words = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value as string)]));
  return `${base}${path}${given.length === 0 ? '' : `?${words.toString()}`}`;
}

async function tokenOf(wire: Wire): Promise<string> {
  const { auth } = wire;
  if (typeof auth === 'string') return auth;
  const token = await (wire.token ??= Promise.resolve(auth()).catch((error: unknown) => {
    wire.token = undefined;
    throw new OrbError('auth', 'the function that gets the token failed', { cause: error });
  }));
  wire.checkToken(token);
  return token;
}

function isUnsent(error: unknown): boolean {
  const { cause, code, message } = error as { cause?: { code?: unknown }; code?: unknown; message?: unknown };
  return unsent.test(String(cause?.code ?? code)) || String(message).includes('client error (Connect)');
}

function noteSkew(wire: Wire, date: string | null): void {
  const skew = date === null ? 0 : Date.parse(date) - wire.time.now();
  const known = Math.abs(skew) > skewMs ? skew : 0;
  if (known !== 0 && wire.skew === 0) wire.log({ event: 'clock_skew', ms: known });
  wire.skew = known;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
