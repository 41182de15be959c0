import { curlFor, type Call } from './api-call.ts';
import { learnTime } from './clock.ts';
import { declined, problemOf, unreachable } from './problem.ts';

export type { Call };

/** What the frame does when a call needs more than a session. */
export interface SessionNeeds {
  /** The session is over; `why`: what the server says, empty if nothing. */
  ended(why: string): void;
  /** Another caller may be signed in in this browser now, or none. */
  differs(): void;
  /** Asks the user for a key, for this one call; undefined: the user declined. */
  askKey(): Promise<string | undefined>;
}

let needs: SessionNeeds = {
  ended: () => undefined,
  differs: () => undefined,
  askKey: () => Promise.resolve(undefined),
};

/** Sets what is done when a call needs more than the session; the frame calls it once. */
export function onSessionNeeds(given: SessionNeeds): void {
  needs = given;
}

/** Makes the frame read the session again, because the server answers a caller other than that of this window. */
export const sessionMayDiffer = (): void => needs.differs();

/**
 * Calls the API and answers its JSON. Throws an ApiProblem. If the call needs the key itself, the user enters it; it is
 * used for this call only and not kept.
 */
export async function api<T>(call: Call): Promise<T> {
  return read<T>(await answered(call));
}

/** Calls the API as `api` does, and answers the ETag too, which a change of the same thing names in If-Match. */
export async function apiWithTag<T>(call: Call): Promise<{ readonly value: T; readonly tag: string | undefined }> {
  const answer = await answered(call);
  // The coding of the answer is no part of the state that the tag names.
  const tag = answer.headers.get('etag')?.replace(/~\w+(?="$)/, '');
  return { value: await read<T>(answer), tag };
}

/** Calls the API as `api` does, and answers the response itself, whose body may be a stream. */
export async function answered(call: Call): Promise<Response> {
  const answer = call.key === true ? await withKey(call) : await send(call);
  learnTime(answer);
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  // The server knows more than this page, which may be older.
  if (problem.code === 'key_required') return answered({ ...call, key: true });
  if (problem.status === 401 && call.key !== true) needs.ended(problem.detail);
  throw problem;
}

async function withKey(call: Call): Promise<Response> {
  const key = await needs.askKey();
  if (key === undefined) throw declined();
  return send(call, key);
}

/** Gets JSON from a path. */
export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  api<T>({ path, ...(signal === undefined ? {} : { signal }) });

async function send({ method = 'GET', path, body, headers = {}, signal }: Call, key?: string): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        'orb-console': '1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: key === undefined ? 'same-origin' : 'omit',
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw unreachable();
  }
}

async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  const json = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
  return (json ? JSON.parse(text) : text === '' ? undefined : text) as T;
}

/** Picks the texts that are not blank, without the spaces around them. */
export function filled(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const trimmed = Object.entries(texts).map(([name, text = '']) => [name, text.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''));
}

/** Writes a path with a query; members without a value are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/** Writes a call of this server as a command of a shell; the key is taken from `$ORB_KEY`. */
export const curlOf = (call: Call): string => curlFor(location.origin, call);
