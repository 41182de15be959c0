/** Speaks to a running server: ORB_URL (default `http://127.0.0.1:8080`) with the key ORB_KEY. */
export interface Client {
  /** Sends a request; resolves to the parsed JSON of a 2xx answer, throws a ClientError of anything else. */
  request<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Tells that the server answered with a problem (`status` > 0) or could not be reached (`status` 0). */
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
