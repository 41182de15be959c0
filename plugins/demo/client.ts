/** The server refused a call. */
export class Refused extends Error {
  /** A run was made, and it did not complete. */
  readonly hasRun: boolean;

  constructor(what: string, status: number, body: string) {
    super(`${what}: ${status} ${body.slice(0, 500)}`);
    this.hasRun = body.includes('"run_id"');
  }
}

/** One request to the server of the demonstration. */
export interface Asked {
  /** Empty: the call has none. */
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the API of the server, with the administrator's key unless another is given. Throws Refused. */
export type Api = <T = unknown>(method: string, path: string, asked?: Asked) => Promise<T>;

/** Makes what calls a server. */
export function apiOf(url: string, adminKey: string): Api {
  return async <T>(method: string, path: string, { key = adminKey, body, headers = {} }: Asked = {}): Promise<T> => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Refused(`${method} ${path}`, answer.status, text);
    return (/\bjson\b/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text) as T;
  };
}
