import { plainJson } from './plain-json.ts';

/** A call of the public API. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query of this address. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The call needs the key itself, so the user must enter it before the request is sent. */
  readonly key?: boolean;
}

/** Writes a call of a server as a command of a shell; the key is taken from `$ORB_KEY`. */
export function curlFor(origin: string, { method = 'GET', path, body, headers = {} }: Call): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + path)}`,
    '-H "Authorization: Bearer $ORB_KEY"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...given,
    ...(body === undefined ? [] : [`-d ${quoted(plainJson(body))}`]),
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
