/**
 * Text of `agent-orb.d.ts`: the types an author needs where the package is not installed. A test holds it against
 * kernel/index.ts.
 */
export const declarations = `// Types for adapters and plugins of the Agent Orb Platform; gone when the file runs.
// The platform hands the real thing over as \`api\`: export default (api: Api) => api.defineProvider({ … })

type Json = Readonly<Record<string, unknown>>;

/** What is known of a call that was not accepted. In doubt it is 'unknown': then nothing is sent twice. */
export type FailureOutcome = 'rejected' | 'provider_fault' | 'not_sent' | 'throttled' | 'unknown';

/** Thrown by execute(): exactly one outcome. The message reaches the caller: no secret, no host's internals. */
export interface ProviderError extends Error {
  readonly outcome: FailureOutcome;
}

export interface ProviderErrorOptions {
  /** Where it happened; 'unknown' must say it. */
  readonly phase?: string;
  /** Seconds; 'throttled' must say it. */
  readonly retry_after?: number;
  readonly cause?: unknown;
}

/** Writes structured lines: fields, then a fixed message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ExecuteContext {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** 52 characters of base32; the same for all attempts of a run at this provider. */
  readonly idempotency_key: string;
  readonly log: Log;
}

export interface OpenScope<Config> {
  /** Validated, defaults filled, secrets resolved. */
  readonly config: Config;
  /** Aborts when opening takes too long. */
  readonly signal: AbortSignal;
  /** Absolute path of the state dir, for adapters that keep files. */
  readonly stateDir: string;
  readonly log: Log;
}

export interface ProviderHandle {
  /** Makes the one call; never retries. Answers outputs that fit the Orb, or throws a ProviderError. */
  execute(inputs: Json, context: ExecuteContext): Promise<Record<string, unknown>>;
  /** Proves credentials and reachability without an effect; throws when it cannot. */
  probe?(signal: AbortSignal): Promise<void>;
  /** Reads by our key what became of a dispatch; only with idempotency { kind: 'lookup' }. */
  lookup?(idempotencyKey: string, signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
  /** Releases what open() took. Called once, after the last call ended. */
  close?(): Promise<void>;
}

export interface ProviderDefinition<Config> {
  /** The second half of the adapter's name: \`acme\` of \`email/acme\`. */
  readonly name: string;
  /** The contract of the Orbs it can serve. */
  readonly capability: { readonly name: string; readonly title: string };
  /** JSON Schema 2020-12 of \`config\`; mark secrets with secret: true, refuse unknown settings. */
  readonly config: Json;
  /** True when nothing leaves the machine: test keys may use it. */
  readonly sandbox?: boolean;
  /** What the vendor makes of our key. window_s: how long it is remembered; max_len: how long it may be. */
  readonly idempotency?:
    | { readonly kind: 'none' }
    | { readonly kind: 'native'; readonly window_s: number; readonly max_len: number }
    | { readonly kind: 'lookup' };
  open(scope: OpenScope<Config>): Promise<ProviderHandle> | ProviderHandle;
}

/** How a run ended. */
export interface RunSettled {
  readonly run_id: string;
  readonly orb_id: string;
  readonly orbiset_id: string;
  readonly status: string;
}

export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: /notes/{id} */
  readonly path: string;
  readonly service: 'runtime' | 'ledger' | 'policy' | 'ingest';
  /** The scope a key must hold. */
  readonly scope: string;
  readonly summary: string;
  readonly params?: Json;
  readonly query?: Json;
  readonly body?: Json;
  /** JSON Schema of the answer. */
  readonly response?: Json;
  /** Codes of the problem table, beside those that every route can answer. */
  readonly problems: readonly [];
  /** Answers the body of a 200; values fit the schemas of the route. */
  handle(call: { readonly params: Json; readonly query: Json; readonly body: unknown }): unknown;
}

/** A hook that tells: the listener's failure is isolated, logged and counted. */
export interface Tappable<Event> {
  tap(name: string, listener: (event: Event) => void | Promise<void>): void;
}

export interface PluginScope<Config> {
  /** Validated, defaults filled, secrets resolved. */
  readonly config: Config;
  readonly hooks: { readonly runSettled: Tappable<RunSettled> };
  readonly stateDir: string;
  readonly log: Log;
}

export interface PluginDefinition<Config> {
  readonly name: string;
  readonly config?: Json;
  /** Scopes of its routes. installation: true when they reach beyond one tenant. */
  readonly scopes?: Readonly<Record<string, { readonly title: string; readonly installation?: boolean }>>;
  start(scope: PluginScope<Config>): Started | Promise<Started>;
}

export interface Started {
  readonly routes?: readonly Route[];
  /** Releases what start() took. */
  stop?(): Promise<void> | void;
}

/** Made by the platform, not to be looked into. */
export type Adapter = object;
export type Plugin = object;
export type Route = object;

/** What the platform hands over; the whole of it is kernel/index.ts of the platform. */
export interface Api {
  defineProvider<Config = Json>(definition: ProviderDefinition<Config>): Adapter;
  definePlugin<Config = Json>(definition: PluginDefinition<Config>): Plugin;
  defineRoute(definition: RouteDefinition): Route;
  readonly ProviderError: new (outcome: FailureOutcome, message: string, options?: ProviderErrorOptions) => ProviderError;
}
`;
