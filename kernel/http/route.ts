import type { Principal } from '../access.ts';
import type { ProblemCode, ProblemType } from '../error.ts';
import type { Infer, JsonSchema } from '../tools/schema.ts';
import type { HeaderDescription, RequestHeader, ResponseHeader } from './header.ts';

/** The four services of the API; a listener serves some or all. */
export const apiServices = ['runtime', 'ledger', 'policy', 'ingest'] as const;

/** The service of a route; `shared` answers on every address. */
export type ServiceName = (typeof apiServices)[number] | 'shared';

/** How every page leads to a route: in its head, or, after a sentence, in its foot. */
export interface NavigationEntry {
  readonly name: string;
  /** The lowest position is first. */
  readonly position: number;
  /** The sentence in the foot. */
  readonly foot?: string;
}

/** What a handler may know of the request beside its typed values. */
export interface RequestInfo {
  /** `req_<ulid>`, or the caller's own X-Request-Id. */
  readonly request_id: string;
  /** W3C traceparent of the caller, or one made here. */
  readonly traceparent: string;
  /** The caller's address: the rightmost hop outside `trust_proxy`. */
  readonly client_ip: string;
  /** Request headers, lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Aborted when the client goes away. */
  readonly disconnected: AbortSignal;
  /** Adds headers to a successful answer, e.g. what is left of a limit. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  /**
   * Of a route that says `raw`: reads the body as it came, once; `limit` in bytes. Throws 413 above it, 400
   * `malformed_request` when the client goes away meanwhile.
   */
  readonly readBody: (limit: number) => Promise<Uint8Array>;
  /** Of a route that says `raw`: the query as it came, without the question mark. */
  readonly rawQuery: string;
  /** Of a route that says `files`: the files of a multipart body; absent when the body was JSON. */
  readonly files?: readonly UploadedFile[];
}

/** One file of a multipart body. */
export interface UploadedFile {
  /** Name of the form's field. */
  readonly field: string;
  /** As the sender named it; not to be trusted as a path. */
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** Typed values of a request. `principal` is absent on public routes only. */
export interface Call<P, Q, B, A> extends RequestInfo {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: A;
}

/** An answer that is more than `200` and JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when `type` is given. */
  readonly body?: unknown;
  /** Media type of a text body. */
  readonly type?: string;
  /** Sent part by part instead of `body`, as it comes; a throw cuts the connection. Needs `type`. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
}

const replies = new WeakSet<object>();

/** Makes an answer with a status, headers or a media type of its own. */
export function reply(answer: Reply): Reply {
  replies.add(answer);
  return answer;
}

/** Says whether a handler's result was made by `reply`. */
export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && replies.has(value);
}

/** Headers of an answer: the known ones by name, others with what they say. */
export type SentHeaders = { readonly [name in ResponseHeader]?: true | HeaderDescription } & {
  readonly [name: string]: true | HeaderDescription;
};

/** An answer that is neither the one of success nor a problem. */
export interface OtherAnswer {
  readonly description: string;
  /** Media type; absent: there is no body. */
  readonly type?: string;
  readonly schema?: JsonSchema;
  readonly sends?: SentHeaders;
}

/** A route as data, its types erased. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** OpenAPI form: `/orbisets/{id}/execute`. */
  readonly path: string;
  readonly service: ServiceName;
  /** Needs no key; uses the bucket of public routes. */
  readonly public?: boolean;
  /** Of a public route: a key that is sent is authenticated, and the handler then knows the principal. */
  readonly optionalKey?: boolean;
  /** Of a public route: outside the bucket, and answered while the service drains. For liveness and readiness alone. */
  readonly unlimited?: boolean;
  /** A bucket of its own instead of the one of public routes: requests per second and address. */
  readonly bucket?: { readonly name: string; readonly per_second: number };
  /** Any valid key will do: what it shows is the same for all of them. Instead of `scope`. */
  readonly anyKey?: true;
  /** The scope the key must hold, or several of which one is enough; a route names one unless it is public or for any key. */
  readonly scope?: string | readonly string[];
  /** The Orb id a narrowed scope must match, from the typed call. */
  readonly target?: (call: Call<never, never, never, Principal>) => string | undefined;
  /** Name of the operation in clients, a verb first: `executeOrb`. Absent: made of the method and the path. */
  readonly operationId?: string;
  readonly summary: string;
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  /** Passes over query parameters it does not know instead of refusing them: for pages, whose links get decorated. */
  readonly anyQuery?: true;
  /** Every page leads to it. */
  readonly navigation?: NavigationEntry;
  readonly body?: JsonSchema;
  /** Takes text/plain too: the text becomes this one member of the body. */
  readonly textMember?: string;
  /** Takes multipart/form-data too, with these file fields and no other; `body` is undefined then. */
  readonly files?: readonly string[];
  /** It changes what live runs use: a key of mode `test` is refused, whatever its scopes. */
  readonly live?: true;
  /** The handler reads body and query itself, by `readBody` and `rawQuery`, before anything has parsed them. */
  readonly raw?: boolean;
  /** Schema of the 200 (or `status`) answer; absent: no JSON body. */
  readonly response?: JsonSchema;
  /** Media type of the answer when it is not JSON. */
  readonly produces?: string;
  /** Further media types of the answer of success, which the request can ask for, with their schemas. */
  readonly forms?: Readonly<Record<string, JsonSchema>>;
  /** Status of success; 200 unless given. */
  readonly status?: number;
  /** Further statuses whose answer has the form of the one of success, such as 201 beside 200. */
  readonly also?: readonly number[];
  /** The answer bears an ETag, and is 304 for a request whose If-None-Match names it. */
  readonly conditional?: true;
  /** Answers by status that are neither the one of success nor a problem, such as a picture with 404. */
  readonly answers?: Readonly<Record<number, OtherAnswer>>;
  /** Headers of the answer of success, beside those of every answer. */
  readonly sends?: SentHeaders;
  /** Headers of the request that the handler heeds. */
  readonly reads?: readonly RequestHeader[];
  /** Problems of its own, beside those that every route can answer. */
  readonly problems: readonly (ProblemCode | ProblemType)[];
  handle(call: Call<never, never, never, never>): unknown;
  /**
   * Of a public route, instead of `handle`, for a JSON body above 64 KiB: takes its bytes, for a thread that parses them and
   * does the work. A public route without it answers 413 to such a body.
   */
  handleLarge?(bytes: Uint8Array): unknown;
}

type Values<S> = S extends JsonSchema ? Infer<S> : undefined;

/** What an author writes: `handle` receives values of the types of its schemas. */
export interface RouteDefinition<P, Q, B, Pub extends boolean, Known extends boolean> extends Omit<
  Route,
  'handle' | 'params' | 'query' | 'body' | 'public' | 'optionalKey' | 'target' | 'problems'
> {
  /** Problems of its own; none without it. */
  readonly problems?: Route['problems'];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly public?: Pub;
  readonly optionalKey?: Known;
  readonly target?: (call: Call<Values<P>, Values<Q>, Values<B>, Principal>) => string | undefined;
  handle(call: Call<Values<P>, Values<Q>, Values<B>, Caller<Pub, Known>>): unknown;
}

type Caller<Pub extends boolean, Known extends boolean> = Pub extends true
  ? Known extends true
    ? Principal | undefined
    : undefined
  : Principal;

/** Defines a route; parameters, query and body are typed by their schema constants. */
export function defineRoute<
  const P extends JsonSchema | undefined = undefined,
  const Q extends JsonSchema | undefined = undefined,
  const B extends JsonSchema | undefined = undefined,
  Pub extends boolean = false,
  Known extends boolean = false,
>(definition: RouteDefinition<P, Q, B, Pub, Known>): Route {
  // The types are erased once here; the router hands over exactly what the schemas of this route accepted.
  return Object.freeze({ ...definition, problems: definition.problems ?? [] }) as unknown as Route;
}
