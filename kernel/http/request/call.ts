import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../access.ts';
import type { Hooks } from '../../hooks.ts';
import { PlatformError } from '../../error.ts';
import { tokenOf } from '../caller/caller.ts';
import type { Section } from '../route/presentation.ts';
import { refuseCaller, refusePlain, type RefusalScope } from '../caller/refusal.ts';
import { cookieName, writeCookie, type CookieScope } from '../caller/session-cookie.ts';
import type { Connections } from '../connection/connections.ts';
import type { HeldAnswers } from '../connection/held-answers.ts';
import type { Pace } from '../connection/pace.ts';
import { readBytes } from '../body/body.ts';
import type { Call, RequestInfo, UploadedFile } from '../route/route.ts';

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

/** The request as it arrived, and the parts that all requests share. */
export interface CallSource {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Keys may be sent to the address. */
  readonly secure: boolean;
  readonly cookies: CookieScope;
  readonly site: RefusalScope & {
    /** Aborted once the server begins to shut down. */
    readonly drain: AbortController;
    readonly options: {
      readonly insecureHttp: boolean;
      readonly hooks: Pick<Hooks, 'authenticate' | 'explainCredential'>;
    };
    readonly connections: Pick<Connections, 'follow' | 'hold' | 'refuse' | 'rest'>;
    readonly held: Pick<HeldAnswers, 'take'>;
    readonly refusals: Pace;
  };
}

/** The Call of one request; the steps from authenticate to handle fill it. */
export class RequestCall implements Call<unknown, unknown, unknown, Principal | undefined> {
  readonly request_id: string;
  readonly traceparent: string;
  readonly client_ip: string;
  readonly headers: RequestInfo['headers'];
  readonly loopback: boolean;
  /** The sections that pages of this address lead to. */
  readonly sections: readonly Section[];
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
  readonly #source: CallSource;
  readonly #site: CallSource['site'];
  #abort: AbortController | undefined;

  constructor(
    info: Omit<
      RequestInfo,
      | 'callerNow'
      | 'disconnected'
      | 'draining'
      | 'gone'
      | 'hold'
      | 'identify'
      | 'noteRun'
      | 'onDelivered'
      | 'readBody'
      | 'refuseCaller'
      | 'refused'
      | 'sessionToken'
      | 'setSession'
      | 'rawQuery'
      | 'files'
      | 'addHeaders'
    > & {
      readonly begun: number;
      readonly sections: readonly Section[];
    },
    source: CallSource,
  ) {
    const { request, response, site } = source;
    this.request_id = info.request_id;
    this.traceparent = info.traceparent;
    this.client_ip = info.client_ip;
    this.headers = info.headers;
    this.loopback = info.loopback;
    this.sections = info.sections;
    this.begun = info.begun;
    this.#request = request;
    this.#response = response;
    this.#source = source;
    this.#site = site;
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
      const { connections, refusals } = this.#site;
      const delay = refusals.next(this.principal?.key_id ?? this.client_ip);
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
      if (response.closed || response.destroyed) release();
      else response.once('close', release);
      connections.hold(response, { brief: kind.brief === true, end });
      return ended.signal;
    };
  }

  get readBody(): RequestInfo['readBody'] {
    return (limit) => readBytes(this.#request, limit);
  }

  get rawQuery(): string {
    return queryText(this.#request.url ?? '');
  }

  get draining(): AbortSignal {
    return this.#site.drain.signal;
  }

  get callerNow(): RequestInfo['callerNow'] {
    return async () => {
      const { authenticate } = this.#site.options.hooks;
      if (this.sessionToken !== undefined)
        return authenticate({ token: this.sessionToken, cookie: true, watching: true });
      const token = tokenOf(this.#request.headers.authorization ?? '');
      return token === undefined ? undefined : authenticate({ token });
    };
  }

  get identify(): RequestInfo['identify'] {
    return async (key) => {
      if (!this.#source.secure) refusePlain(this.#site, this.#request);
      const token = tokenOf(`Bearer ${key}`);
      const found = token === undefined ? undefined : await this.#site.options.hooks.authenticate({ token });
      if (found !== undefined) return found;
      return refuseCaller(
        this.#site,
        this.client_ip,
        token === undefined ? { fault: keyFault(key) } : { credential: { token } },
      );
    };
  }

  get refuseCaller(): RequestInfo['refuseCaller'] {
    return (fault) => refuseCaller(this.#site, this.client_ip, { fault });
  }

  /** Refuses a caller whose credential ended while its request was read. Throws 401 or 429. */
  refuseEnded(): Promise<never> {
    const token = this.sessionToken ?? tokenOf(this.#request.headers.authorization ?? '');
    const cookie = this.sessionToken === undefined ? {} : ({ cookie: true } as const);
    return refuseCaller(this.#site, this.client_ip, token === undefined ? {} : { credential: { token, ...cookie } });
  }

  get setSession(): RequestInfo['setSession'] {
    return (token) => {
      const name = cookieName(this.#site, this.#request, this.#source.cookies);
      if (name === undefined)
        throw new PlatformError('tls_required', 'sign in over https, or on the machine of the server');
      this.addHeaders({ 'Set-Cookie': writeCookie(name, token) });
    };
  }

  get onDelivered(): RequestInfo['onDelivered'] {
    return (callback) => {
      const response = this.#response;
      const over = (): void => {
        const whole = response.writableFinished;
        callback({ whole, renewed: whole ? this.#site.connections.follow(this.#request) : never });
      };
      if (response.closed || response.destroyed) over();
      else response.once('close', over);
    };
  }

  get gone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  /** Made at the first use: most handlers never use it. */
  get disconnected(): AbortSignal {
    this.#abort ??= abortOnClose(this.#response);
    return this.#abort.signal;
  }
}

const never = (): boolean => false;

/** Cuts the query out of a request target. */
export function queryText(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function abortOnClose(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const closed = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed || response.destroyed) closed();
  else response.once('close', closed);
  return controller;
}

function keyFault(key: string): string {
  return /^bearer\s/i.test(key)
    ? 'the text has "Bearer " before the key; send the key alone'
    : 'this is not an API key; copy the whole key';
}
