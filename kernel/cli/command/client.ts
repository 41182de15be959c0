import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A client of a running server: ORB_URL (default `http://127.0.0.1:8080`) with the key ORB_KEY. */
export interface Client {
  /** Sends a request; resolves to the parsed JSON of a 2xx answer, throws a ClientError for any other. */
  request<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  /** Sends a request as it is and answers the response itself, whatever its status. */
  open(method: string, path: string, options: OpenOptions): Promise<Response>;
  /** Streams a 2xx answer, however long it is; throws a ClientError for any other. */
  download(path: string): Promise<AsyncIterable<Uint8Array>>;
}

interface OpenOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The server answered with a problem (`status` > 0) or could not be reached (`status` 0). */
export class ClientError extends Error {
  readonly status: number;
  readonly problem: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, status: number, problem?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'ClientError';
    this.status = status;
    this.problem = problem;
  }
}

const timeoutMs = 120_000;

/** Returns the URL of the server that commands call: ORB_URL, without a slash at the end. */
export function serverUrl(env: Readonly<Record<string, string | undefined>>): string {
  return (env['ORB_URL'] ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
}

/** How a command is run in the home that kernel/binary/orb.service gives the server. */
export const besideSystemd = 'sudo orb … --home /var/lib/orb';

/** Creates a client from ORB_URL and ORB_KEY, else the key in `admin.key` of the state dir, else without a key. */
export function createClient(env: Readonly<Record<string, string | undefined>>, stateDir: string): Client {
  const base = serverUrl(env);
  const key = env['ORB_KEY'] ?? adminKey(stateDir);
  const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const reach = async (path: string, options: RequestInit): Promise<Response> => {
    const response = await fetch(base + path, options).catch((error: unknown) => {
      throw new ClientError(unreachable(base, error), 0);
    });
    if (response.status === 401 && key === undefined) throw new ClientError(noKey(stateDir), 401);
    return response;
  };
  return {
    async request<T>(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) {
      const headers = {
        ...more,
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const options = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
      const response = await reach(path, body === undefined ? options : { ...options, body: JSON.stringify(body) });
      const answer = parsed(await response.text());
      if (response.ok) return answer as T;
      throw refusal(answer, response.status);
    },
    open: (method, path, { headers, ...options }) =>
      fetch(base + path, { method, ...options, headers: { ...headers, ...authorization } }),
    async download(path) {
      const response = await reach(path, { headers: authorization });
      if (!response.ok || response.body === null) throw refusal(parsed(await response.text()), response.status);
      return response.body;
    },
  };
}

function refusal(answer: unknown, status: number): ClientError {
  const problem =
    typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : undefined;
  const detail = problem?.['detail'];
  return new ClientError(
    typeof detail === 'string' ? detail : `the server responded with status ${status}`,
    status,
    problem,
  );
}

function adminKey(stateDir: string): string | undefined {
  try {
    return readFileSync(join(stateDir, 'admin.key'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function noKey(stateDir: string): string {
  return (
    `no key: set ORB_KEY, or set the home of the server with --home or ORB_HOME (there is no readable admin.key in ${stateDir}); ` +
    `with systemd: ${besideSystemd}`
  );
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unreachable(base: string, error: unknown): string {
  const { code } = (error instanceof Error ? (error.cause ?? error) : {}) as NodeJS.ErrnoException;
  if (code !== undefined && /CERT|SIGNATURE/.test(code))
    return `the certificate of ${base} is not trusted (${code}); name its CA with --ca FILE`;
  return `cannot reach ${base} (${reasonOf(error)}); is the server running? Set ORB_URL`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
