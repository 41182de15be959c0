import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential, Principal } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import { readBytes } from '../body/body.ts';
import { requestId, traceparent } from '../connection/head.ts';
import type { Call, RequestInfo, UploadedFile } from '../route/route.ts';
import type { Section } from '../route/presentation.ts';
import { cookieName, refuseCaller, refusePlain, tokenOf, writeCookie } from './caller.ts';
import type { Door, Site } from './site.ts';

/** Koa's state of a request: all data that passes from its arrival to the endpoint of its route. */
export interface RequestState {
  request: RequestCall;
  path: PathValues;
}

/** Decoded path parameters in order, with the names the route gives them. */
export interface PathValues {
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/** The Call of one request; the steps from authenticate to handle fill it. */
export class RequestCall implements Call<unknown, unknown, unknown, Principal | undefined> {
  readonly request_id: string;
  readonly traceparent: string;
  readonly client_ip: string;
  readonly headers: RequestInfo['headers'];
  /** Milliseconds of the monotonic clock when the head had arrived. */
  readonly begun: number;
  params: unknown = undefined;
  query: unknown = undefined;
  body: unknown = undefined;
  /** The bytes of a large body, in place of `body`, for a route that takes them. */
  large: Uint8Array | undefined = undefined;
  principal: Principal | undefined = undefined;
  /** The principal whose requests under way this one is counted among. */
  counted: string | undefined = undefined;
  files?: readonly UploadedFile[];
  /** The run that the answer reports. */
  run_id: string | undefined = undefined;
  sessionToken: string | undefined = undefined;
  /** The route answers a page. */
  isPage = false;
  /** Headers that the handler added to a successful answer. */
  added: Readonly<Record<string, string>> | undefined = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #door: Door;
  readonly #site: Site;
  #abort: AbortController | undefined;

  constructor(door: Door, request: IncomingMessage, response: ServerResponse) {
    const { options, proxies } = door.site;
    const { headers, socket } = request;
    this.begun = options.clock.monotonic();
    this.request_id = requestId(headers['x-request-id'], options.ids);
    this.traceparent = traceparent(headers['traceparent']);
    this.client_ip = proxies.clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString());
    this.headers = headers;
    this.#request = request;
    this.#response = response;
    this.#door = door;
    this.#site = door.site;
  }

  get loopback(): boolean {
    return this.#door.loopback;
  }

  /** The sections that pages of this address lead to. */
  get sections(): readonly Section[] {
    return this.#door.sections;
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }

  /** The target of the request line: path and query. */
  get target(): string {
    return this.#request.url ?? '/';
  }

  get addHeaders(): RequestInfo['addHeaders'] {
    return (headers) => void (this.added = { ...this.added, ...headers });
  }

  get noteRun(): RequestInfo['noteRun'] {
    return (runId) => void (this.run_id = runId);
  }

  get refused(): RequestInfo['refused'] {
    return () => {
      const { connections, pace } = this.#site;
      const delay = pace(this.principal?.key_id ?? this.client_ip);
      if (delay === 0 || connections.rest(this.#request, delay)) return undefined;
      connections.refuse(this.#response);
      return new Promise((resolve) => setTimeout(resolve, delay));
    };
  }

  get hold(): RequestInfo['hold'] {
    return (kind) => {
      const { connections, held } = this.#site;
      const response = this.#response;
      const { id, tenant } = this.principal ?? { id: this.client_ip, tenant: '' };
      const ended = new AbortController();
      const end = (): void => {
        ended.abort();
        if (kind.cut === true) response.destroy();
      };
      const release = held.take({ id, tenant }, kind, end);
      if (release === undefined) return undefined;
      whenClosed(response, release);
      connections.hold(response, { brief: kind.brief === true, end });
      return ended.signal;
    };
  }

  get readBody(): RequestInfo['readBody'] {
    return (limit) => readBytes(this.#request, limit);
  }

  get rawQuery(): string {
    const mark = this.target.indexOf('?');
    return mark < 0 ? '' : this.target.slice(mark + 1);
  }

  get draining(): AbortSignal {
    return this.#site.drain.signal;
  }

  get callerNow(): RequestInfo['callerNow'] {
    return async () => {
      const credential = this.#credential;
      return credential && this.#site.options.hooks.authenticate({ ...credential, watching: true });
    };
  }

  get identify(): RequestInfo['identify'] {
    return async (key) => {
      if (!this.#door.secure) refusePlain(this.#site, this.#request);
      const token = tokenOf(`Bearer ${key}`);
      const found = token === undefined ? undefined : await this.#site.options.hooks.authenticate({ token });
      return found ?? refuseCaller(this.#site, this.client_ip, token === undefined ? keyFault(key) : { token });
    };
  }

  get refuseCaller(): RequestInfo['refuseCaller'] {
    return (fault) => refuseCaller(this.#site, this.client_ip, fault);
  }

  /** Refuses a caller whose credential ended while its request was read. Throws 401 or 429. */
  refuseEnded(): Promise<never> {
    return refuseCaller(this.#site, this.client_ip, this.#credential);
  }

  get #credential(): Credential | undefined {
    if (this.sessionToken !== undefined) return { token: this.sessionToken, cookie: true };
    const token = tokenOf(this.#request.headers.authorization ?? '');
    return token === undefined ? undefined : { token };
  }

  get setSession(): RequestInfo['setSession'] {
    return (token) => {
      const name = cookieName(this.#door, this.#request);
      if (name === undefined)
        throw new PlatformError('tls_required', 'sign in over https, or on the machine of the server');
      this.addHeaders({ 'Set-Cookie': writeCookie(name, token) });
    };
  }

  get onDelivered(): RequestInfo['onDelivered'] {
    return (callback) =>
      whenClosed(this.#response, () => {
        const whole = this.#response.writableFinished;
        callback({ whole, renewed: whole ? this.#site.connections.follow(this.#request) : () => false });
      });
  }

  get gone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  /** Made at the first use: most handlers never use it. */
  get disconnected(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = (this.#abort = new AbortController());
      whenClosed(this.#response, () => this.#response.writableFinished || abort.abort());
    }
    return this.#abort.signal;
  }
}

/** Calls back once a response is closed: now, if it is. */
function whenClosed(response: ServerResponse, callback: () => void): void {
  if (response.closed || response.destroyed) callback();
  else response.once('close', callback);
}

function keyFault(key: string): string {
  return /^bearer\s/i.test(key)
    ? 'the text has "Bearer " before the key; send the key alone'
    : 'this is not an API key; copy the whole key';
}
