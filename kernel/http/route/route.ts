import type { MaybePromise, Principal } from '../../access.ts';
import type { ProblemType } from '../../error.ts';
import type { Fault } from '../../tools/schema/fault.ts';
import type { Infer, JsonSchema } from '../../tools/schema.ts';
import type { HeldKind } from '../connection/held-answers.ts';
import type { HeaderDescription, RequestHeader, ResponseHeader } from './header.ts';
import type { NavigationEntry, Webhook } from './presentation.ts';
import type { Problem } from './problem.ts';

/** The four services of the API; a listener serves some or all. */
export const apiServices = ['runtime', 'ledger', 'policy', 'ingest'] as const;

/** The service of a route; `shared` answers on every address. */
export type ServiceName = (typeof apiServices)[number] | 'shared';

/** What is known of an answer that has left, or was lost. */
export interface Delivery {
  /** The operating system has all of it; false: the connection closed before. */
  readonly whole: boolean;
  /**
   * Says whether the client has sent another request on its connection since, which it does only after it has the answer.
   * Never on a connection that may be one of a proxy, which serves many clients.
   */
  readonly renewed: () => boolean;
}

/** The data of a request that a handler gets beside the typed values. */
export interface RequestInfo {
  /** `req_<ulid>`, or the caller's own X-Request-Id. */
  readonly request_id: string;
  /** W3C traceparent of the caller, or one made here. */
  readonly traceparent: string;
  /** The caller's address: the rightmost hop outside `trust_proxy`. */
  readonly client_ip: string;
  /** Request headers, lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The request came to a listener of a loopback address. */
  readonly loopback: boolean;
  /** Aborted when the client goes away. */
  readonly disconnected: AbortSignal;
  /** Aborted when the server begins to shut down: a stream without an end then ends. */
  readonly draining: AbortSignal;
  /** The token of the session that the caller is known by; undefined: by a key, or not at all. */
  readonly sessionToken: string | undefined;
  /**
   * Finds the caller of a key that came in the body. Like a key in `Authorization`, a wrong one is counted. Throws 401
   * `unauthenticated`, 403 `tls_required`, 429.
   */
  readonly identify: (key: string) => Promise<Principal>;
  /** Refuses a caller that the handler did not find, for `fault`, and counts that like a wrong key. Throws 401 or 429. */
  readonly refuseCaller: (fault: string) => Promise<never>;
  /**
   * Gives the browser the cookie of a session with the answer; undefined takes it away. Throws 403 `tls_required` where
   * none may be.
   */
  readonly setSession: (token: string | undefined) => void;
  /** Finds the caller again, for a long answer: undefined once its key is revoked or has expired. */
  readonly callerNow: () => Promise<Principal | undefined>;
  /** Calls back once: when the answer has left whole, or was lost with its connection. */
  readonly onDelivered: (callback: (delivery: Delivery) => void) => void;
  /** The client has gone before its answer was written. */
  readonly gone: boolean;
  /**
   * Takes a place for an answer that stays open, until it closes. The signal is aborted when the place is needed: answer
   * or end the stream then. Undefined: the caller holds too many, see `refuseHeld`.
   */
  readonly hold: (kind: HeldKind) => AbortSignal | undefined;
  /** Adds headers to a successful answer, e.g. the rest of a limit. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Names the run of an answer that does not report it as `run_id`, for the log. */
  readonly noteRun: (runId: string) => void;
  /**
   * Waits until a refusal of a caller that asked too often may be answered, for an answer that shows it in a form of
   * its own; a `rate_limited` that is thrown waits by itself.
   */
  readonly refused: () => MaybePromise<void>;
  /**
   * For a route with `raw`: reads the unparsed body, once; `limit` in bytes. Throws 413 above it, 400
   * `malformed_request` when the client goes away meanwhile.
   */
  readonly readBody: (limit: number) => Promise<Uint8Array>;
  /** For a route with `raw`: the unparsed query, without the question mark. */
  readonly rawQuery: string;
  /** For a route with `files`: the files of a multipart body; absent when the body was JSON. */
  readonly files?: readonly UploadedFile[];
}

/** One file of a multipart body. */
export interface UploadedFile {
  /** Name of the form's field. */
  readonly field: string;
  /** The name that the sender gave; not to be trusted as a path. */
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
  /** Sent as JSON, or unchanged when `type` is given, or made for the listener by a function, see `BodyOf`. */
  readonly body?: unknown;
  /** Media type of a text body. */
  readonly type?: string;
  /** Sent part by part in place of `body`; a throw cuts the connection. Needs `type`. */
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

/** Headers of an answer: known ones by name, others with their description. */
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

/** How a route answers its problems, for clients that do not read problem+json. */
export interface ProblemForm {
  /** Schema of the answer, which is JSON. */
  readonly schema: JsonSchema;
  /** Makes the answer; its status may differ. `sent`: the request, with its parsed body when it got so far. */
  present(problem: Problem, sent: Pick<RequestInfo, 'headers'> & { readonly body: unknown }): Reply;
}

/** A route as data, its types erased. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** OpenAPI form: `/orbisets/{id}/execute`. */
  readonly path: string;
  readonly service: ServiceName;
  /**
   * Served only at an address that has all services and is reached by TLS or on loopback, so that a browser says there
   * which site a request comes from; the route's own service is any of them.
   */
  readonly whole?: true;
  /** Needs no key; uses the bucket of public routes. */
  readonly public?: boolean;
  /** For a public route: a key that is sent is authenticated, and the handler then gets the principal. */
  readonly optionalKey?: boolean;
  /** For a public route: no bucket, and answered while the service drains. For liveness and readiness alone. */
  readonly unlimited?: boolean;
  /** A bucket of its own instead of the one of public routes: requests per second and address. */
  readonly bucket?: { readonly name: string; readonly per_second: number };
  /** Any valid key is accepted: the answer is the same for all, or holds what the key's scopes allow. Replaces `scope`. */
  readonly anyKey?: true;
  /** Headers in which clients of another protocol send the key; read when there is no `Authorization`. Lower case. */
  readonly keyHeaders?: readonly string[];
  /** Takes the key itself: a caller that is known by a session gets 403 `key_required`. */
  readonly keyAgain?: true;
  /** Browsers read it by an EventSource, or as a page of this site: those add no header of their own to the cookie. */
  readonly eventSource?: true;
  /**
   * The scope that the key must hold, or several, where one is enough; required unless the route is public or has
   * `anyKey`.
   */
  readonly scope?: string | readonly string[];
  /** A scope that is narrowed to any Orbs is enough; the handler checks each Orb that it touches. */
  readonly narrowed?: true;
  /** What the handler asks of the key beside the scope, for the refusal of a key without it: "each scope that it grants". */
  readonly alsoNeeds?: string;
  /** The Orb id a narrowed scope must match, from the typed call. */
  readonly target?: (call: Call<never, never, never, Principal>) => string | undefined;
  /**
   * Name of the operation in clients, a verb first: `executeOrb`. If absent, it is derived from the method and the
   * path.
   */
  readonly operationId?: string;
  readonly summary: string;
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  /**
   * Ignores unknown query parameters instead of refusing them: for pages, to whose links other sites add parameters.
   */
  readonly anyQuery?: true;
  /** Answers at its path with a slash at the end, too: for addresses that monitors and people write by hand. */
  readonly finalSlash?: true;
  /** Every page links to the route. */
  readonly navigation?: NavigationEntry;
  readonly body?: JsonSchema;
  /** Finds further faults of a query or body that does not fit the schema, so that the caller gets all of them at once. */
  readonly queryFaults?: (query: Readonly<Record<string, unknown>>) => readonly Fault[];
  readonly bodyFaults?: (body: Readonly<Record<string, unknown>>, caller: Principal | undefined) => readonly Fault[];
  /** Most bytes of a JSON body; 1 MiB unless given. */
  readonly bodyLimit?: number;
  /** Takes text/plain too: the text becomes this one member of the body. */
  readonly textMember?: string;
  /** Takes multipart/form-data too, with these file fields and no other; `body` is undefined then. */
  readonly files?: readonly string[];
  /** The route changes what live runs use: a key of mode `test` is refused, whatever its scopes. */
  readonly live?: true;
  /** The handler reads body and query itself, by `readBody` and `rawQuery`, before anything has parsed them. */
  readonly raw?: boolean;
  /** The answer shows a secret, such as a new key: it is never compressed, whose length would tell of it. */
  readonly showsSecret?: true;
  /** Schema of the 200 (or `status`) answer; absent: no JSON body. */
  readonly response?: JsonSchema;
  /** Media type of the answer when it is not JSON. */
  readonly produces?: string;
  /** Further media types of the successful answer, which the request can ask for, with their schemas. */
  readonly forms?: Readonly<Record<string, JsonSchema>>;
  /** Status of success; 200 unless given. */
  readonly status?: number;
  /** Further statuses whose answer has the same form as success, such as 201 beside 200. */
  readonly also?: readonly number[];
  /** The answer has an ETag; a request whose If-None-Match names it is answered with 304. */
  readonly conditional?: true;
  /** Answers, by status, that are neither success nor a problem, such as a picture with 404. */
  readonly answers?: Readonly<Record<number, OtherAnswer>>;
  /** Headers of the successful answer, beside those of every answer. */
  readonly sends?: SentHeaders;
  /** Headers of the request that the handler reads. */
  readonly reads?: readonly RequestHeader[];
  /** Problems of the route itself, beside those that every route can answer. */
  readonly problems: readonly (string | ProblemType)[];
  /** What the server sends to an address that a caller registers here, by name. */
  readonly webhooks?: Readonly<Record<string, Webhook>>;
  /** How problems are answered; as problem+json unless given. */
  readonly problemForm?: ProblemForm;
  /** Makes a parameter of WWW-Authenticate in answers 401 and 403, from the decoded parameters of the path. */
  readonly challenge?: (path: Readonly<Record<string, string>>) => string;
  handle(call: Call<never, never, never, never>): unknown;
  /**
   * For a public route: replaces `handle` for a JSON body above 64 KiB and takes its bytes, for a thread that parses
   * them and does the work. A public route without it answers 413 to such a body.
   */
  handleLarge?(bytes: Uint8Array): unknown;
}

type Values<S> = S extends JsonSchema ? Infer<S> : undefined;

/** What an author writes: `handle` receives values of the types of its schemas. */
export interface RouteDefinition<P, Q, B, Pub extends boolean, Known extends boolean> extends Omit<
  Route,
  'handle' | 'params' | 'query' | 'body' | 'public' | 'optionalKey' | 'target' | 'problems'
> {
  /** Problems of the route itself; none when absent. */
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
  // The types are erased once here; the router passes only values that the schemas of this route accepted.
  return Object.freeze({ ...definition, problems: definition.problems ?? [] }) as unknown as Route;
}
