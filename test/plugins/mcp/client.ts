import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { modern, metaKeys, namedBy } from '../../../plugins/mcp/wire/wire.ts';
import type { Answer, TestPlatform } from '../../helpers/platform.ts';

/** A revision of the protocol. */
export type Era = '2026-07-28' | '2025-11-25' | '2025-06-18';

/** What differs from a plain request. */
export interface Asking {
  readonly era?: Era;
  readonly key?: string | null;
  readonly orbiset?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Members of `_meta` beside those of the revision. */
  readonly meta?: object;
  readonly signal?: AbortSignal;
}

/** Speaks the protocol by hand. */
export interface McpClient {
  /** Sends a request and reads its answer. */
  ask(method: string, params?: object, more?: Asking): Promise<Answer>;
  /** Sends a body as it is. */
  post(body: string | object, more?: Asking): Promise<Answer>;
  /** Sends a request and answers the response itself. */
  open(method: string, params?: object, more?: Asking): Promise<Response>;
}

/** Makes a client of a platform with its admin's key; it sends each request by `fetch` unless given. */
export function mcpClient(platform: Pick<TestPlatform, 'url' | 'adminKey'>, sending: typeof fetch = fetch): McpClient {
  let last = 0;
  const send = async (body: string | object, more: Asking, headers: Asking['headers'] = {}): Promise<Response> => {
    const { key = platform.adminKey, orbiset = 'default', signal } = more;
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
      ...more.headers,
    };
    return sending(`${platform.url}/orbisets/${orbiset}/mcp`, {
      method: 'POST',
      headers: Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const open: McpClient['open'] = (method, params = {}, more = {}) => {
    const { era = modern, meta = {} } = more;
    const id = (last += 1);
    if (era !== modern) {
      const asked = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
      return send({ jsonrpc: '2.0', id, method, params: asked }, more, { 'mcp-protocol-version': era });
    }
    const member = namedBy.get(method);
    const given = Object.entries(params).find(([name]) => name === member)?.[1] as string | undefined;
    const _meta = { [metaKeys.version]: modern, [metaKeys.capabilities]: {}, ...meta };
    return send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, more, {
      'mcp-protocol-version': modern,
      'mcp-method': method,
      'mcp-name': given,
    });
  };
  const read = async (response: Response): Promise<Answer> => {
    const said = await response.text();
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '') && said !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(said) : said };
  };
  return {
    open,
    ask: async (method, params, more) => read(await open(method, params, more)),
    post: async (body, more = {}) => read(await send(body, more)),
  };
}

/** Makes what sends all requests on one connection, one after the other: each proves that the answer before it came. */
export function oneLine(): typeof fetch {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async (url, { method, headers, body } = {}) => {
    const asked = request(url as string, { method, headers: Object.fromEntries(new Headers(headers)), agent });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { statusCode, headers: given } = answer;
    const named = Object.entries(given).flatMap(([name, value]): [string, string][] => [[name, String(value)]]);
    return new Response(await text(answer), { status: statusCode ?? 0, headers: named });
  };
}
