import { isRecord, parseJson } from '../../../receipts/format/strict-json.ts';
import { OrbError } from './error.ts';
import { agent, checkPlace } from './place.ts';
import type { Auth, Json, KeySet, OrbOptions, WaitOptions } from './surface.ts';
import { defined } from './verify/object.ts';

/** The clock of a client; tests give another. */
export interface Time {
  now(): number;
  /** Calls back after a while; the result stops it. */
  after(ms: number, callback: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

/** What the calls of a client share. */
export interface Scope {
  readonly url: string;
  readonly auth: Auth;
  readonly options: OrbOptions;
  readonly time: Time;
  /** How much later than here it is at the server, ms. */
  skew: number;
  token?: Promise<string> | undefined;
  /** The keys that are trusted, once they are known. */
  keys?: KeySet | undefined;
}

/** When something must have ended, and what ends it before. */
export interface Until {
  readonly end: number;
  readonly signal?: AbortSignal | undefined;
}

/** One request. */
export interface Sending extends Until {
  readonly method: string;
  readonly path: string;
  readonly query?: Json | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hands the body of a 2xx over unread. */
  readonly stream?: boolean;
}

/** What came of one request. */
export interface Heard {
  /** Of an answer that came whole; 0: none did. */
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
  /** The answer, if it is a JSON object. */
  readonly json?: Json | undefined;
  /** Why none came whole. */
  readonly broken?: 'abort' | 'error' | 'time';
  /** A byte of the request may have reached the server. */
  readonly sent: boolean;
  readonly body?: ReadableStream<Uint8Array>;
  /** Ends the connection of a body. */
  readonly close?: () => void;
}

const skewMs = 30_000;
const nothing = { status: 0, ok: false, headers: new Headers(), text: '' };

// A connection that was not made: Node, Bun, Deno. A browser does not say.
const unsent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** Makes what came of a request without a whole answer. */
export function brokenBy(broken: NonNullable<Heard['broken']>, sent: boolean): Heard {
  return { ...nothing, broken, sent };
}

/** Computes when a call must have ended. */
export function untilOf({ options, time }: Scope, { signal, timeout }: WaitOptions = {}): Until {
  return { end: time.now() + (timeout ?? options.timeout ?? 120_000), signal };
}

/** Waits for work, or answers what ended the wait before. Work that does not heed `stop` goes on without anybody. */
export async function within<T>(
  { time }: Pick<Scope, 'time'>,
  { end, signal }: Until,
  work: (stop: AbortController) => Promise<T>,
): Promise<T | 'abort' | 'time'> {
  if (signal?.aborted === true) return 'abort';
  if (end <= time.now()) return 'time';
  const stop = new AbortController();
  let done = (): void => undefined;
  const over = new Promise<'abort' | 'time'>((resolve) => {
    const finish = (why: 'abort' | 'time') => (): void => {
      resolve(why);
      stop.abort();
    };
    const left = finish('abort');
    const cancel = time.after(end - time.now(), finish('time'));
    signal?.addEventListener('abort', left);
    done = () => {
      cancel();
      signal?.removeEventListener('abort', left);
    };
  });
  return Promise.race([work(stop), over]).finally(done);
}

/** Waits, but not past the end; false: the signal ended it. */
export async function sleep(scope: Pick<Scope, 'time'>, ms: number, { end, signal }: Until): Promise<boolean> {
  const until = { end: Math.min(scope.time.now() + ms, end), signal };
  return (await within(scope, until, () => new Promise<never>(() => undefined))) === 'time';
}

/** Sends one request; rejects only if the token cannot be had or may not be used. */
export async function send(scope: Scope, sending: Sending): Promise<Heard> {
  const first = await sendOnce(scope, sending);
  if (first.status !== 401 || typeof scope.auth === 'string') return first;
  scope.token = undefined;
  return sendOnce(scope, sending);
}

async function sendOnce(scope: Scope, sending: Sending): Promise<Heard> {
  let sent = false;
  const heard = await within(scope, sending, async (stop) => {
    const token = await tokenOf(scope);
    // What was given up is not sent.
    stop.signal.throwIfAborted();
    sent = true;
    return exchange(scope, sending, token, stop);
  });
  if (typeof heard !== 'string') return heard;
  // A token that does not come is asked for again.
  if (!sent) scope.token = undefined;
  return brokenBy(heard, sent);
}

async function exchange(scope: Scope, sending: Sending, token: string, stop: AbortController): Promise<Heard> {
  const { fetch: call = fetch, log } = scope.options;
  const { body, headers: given, method, path, stream } = sending;
  const { now } = scope.time;
  const begun = now();
  const type = body === undefined ? undefined : 'application/json';
  const own = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'x-orb-sdk': agent,
    'content-type': type,
  };
  let status: number | undefined;
  try {
    const answer = await call(urlOf(scope.url, sending), {
      ...{ method, headers: defined({ ...own, ...given }), signal: stop.signal },
      ...(type && { body: JSON.stringify(body) }),
      // A redirect could lead the key elsewhere; not every runtime has `error`.
      redirect: 'manual',
    });
    const { headers, ok } = answer;
    ({ status } = answer);
    noteSkew(scope, headers.get('date'));
    const heard = { status, ok, headers, sent: true };
    if (stream === true && ok && answer.body !== null)
      return { ...heard, text: '', body: answer.body, close: () => stop.abort() };
    const text = await answer.text();
    const json = parseJson(text);
    return { ...heard, text, json: isRecord(json) ? json : undefined };
  } catch (error) {
    return brokenBy('error', !isUnsent(error));
  } finally {
    log?.(defined({ event: 'try' as const, method, path, status, ms: now() - begun }));
  }
}

function urlOf(base: string, { path, query = {} }: Sending): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const words = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value as string)]));
  return `${base}${path}${given.length === 0 ? '' : `?${words.toString()}`}`;
}

async function tokenOf(scope: Scope): Promise<string> {
  const { auth, options } = scope;
  if (typeof auth === 'string') return auth;
  const token = await (scope.token ??= (async () => auth())().catch((error: unknown) => {
    scope.token = undefined;
    throw new OrbError('auth', 'the function that gets the token failed', { cause: error });
  }));
  checkPlace(token, options);
  return token;
}

function isUnsent(error: unknown): boolean {
  const { cause, code, message } = error as { cause?: { code?: unknown }; code?: unknown; message?: unknown };
  return unsent.test(String(cause?.code ?? code)) || String(message).includes('client error (Connect)');
}

function noteSkew(scope: Scope, date: string | null): void {
  const skew = date === null ? 0 : Date.parse(date) - scope.time.now();
  const known = Math.abs(skew) > skewMs ? skew : 0;
  if (known !== 0 && scope.skew === 0) scope.options.log?.({ event: 'clock_skew', ms: known });
  scope.skew = known;
}
