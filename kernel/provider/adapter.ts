import { given } from '../tools/given.ts';
import type { Limit } from '../config/config.ts';
import { optional, type Infer, type JsonSchema } from '../tools/schema.ts';
import type { Log } from '../tools/log.ts';
import type { UpstreamCall } from './upstream.ts';

/** The contract an Orb needs of a provider; one folder under `providers/`. */
export interface Capability {
  /** e.g. `email` */
  readonly name: string;
  readonly title: string;
  /** What the inputs mean, by name (`attachments.filename`); the description in a manifest comes before it. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Parses the inputs that have a grammar of their own; absent when no input has one. */
  readonly parse?: InputParser;
  /** What a test sends: an Orb by its name, inputs that the caller must give, the recipient first, and the others with a text. */
  readonly sample?: { readonly orb: string; readonly asks: readonly string[]; inputs(text: string): object };
}

/**
 * Returns the text inputs that have a grammar of their own as adapters and policies (`context.parsed`) use them. Throws
 * ProviderError `rejected`, which names the input but never its value; no provider is called.
 */
export type InputParser = (inputs: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** How an adapter's vendor supports our key. `window_s`: how long the vendor remembers it; `max_len`: of the key. */
export type IdempotencySupport =
  | { readonly kind: 'none' }
  | { readonly kind: 'native'; readonly window_s: number; readonly max_len: number }
  | { readonly kind: 'lookup' };

/** The second argument of `execute`. */
export interface ExecuteContext {
  /** Aborts at the deadline; an adapter that has sent nothing by then reports `not_sent`. */
  readonly signal: AbortSignal;
  /** 52 characters of base32; the same for all attempts of a run at this provider. */
  readonly idempotency_key: string;
  /** Address for delivery reports of this call, our key in it; absent: the provider has no source of reports. */
  readonly report_url?: string;
  readonly log: Log;
  /** Present when the Orb represents a tool of a provider. */
  readonly upstream?: UpstreamCall;
  /** Gives a caller that streams a part; resolves when the next may come, rejects once the call is over. */
  readonly emit?: (part: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** A tool that a provider offers, which an Orb can represent. */
export interface Offer {
  /** Its name at the provider. */
  readonly tool: string;
  /** Its definition, as JSON has it. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** `sha256:<hex>` of the canonical form of the definition. */
  readonly digest: string;
  /** Why no Orb can represent it. */
  readonly refused?: string;
}

/** The argument of `open`. */
export interface OpenScope<Config> {
  /** Validated, secrets resolved. */
  readonly config: Config;
  /** Aborts when opening takes too long, or when the opened adapter is no longer needed. */
  readonly signal: AbortSignal;
  /** Absolute path of the state dir, for adapters that keep files. */
  readonly stateDir: string;
  readonly log: Log;
  /** To be called when the definitions of the tools on offer were read again. */
  offered?(): void;
}

/** An opened adapter. Only `execute` is required. */
export interface ProviderHandle {
  /**
   * Makes the one call, without a retry: resolves to outputs that fit the Orb's schema, or throws one ProviderError.
   * Any other error or result is `unknown` with phase `adapter`.
   */
  execute(inputs: Readonly<Record<string, unknown>>, context: ExecuteContext): Promise<Record<string, unknown>>;
  /** Proves credentials and reachability without an effect; throws when it cannot. */
  probe?(signal: AbortSignal): Promise<void>;
  /** Reads, by our key, whether the vendor has the dispatch; only where the vendor documents such a read. */
  lookup?(idempotencyKey: string, signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
  /** Lists the tools on offer, for adapters whose Orbs represent one tool each. */
  offers?(signal: AbortSignal): Promise<readonly Offer[]>;
  /** Returns, from memory, the digest of a tool's definition; none when the tool is not on offer. */
  definitionOf?(tool: string): string | undefined;
  /** Releases what `open` took. Called once, after the last call ended, and waited for 5 s at most. */
  close?(): Promise<void>;
}

/** An adapter with its configuration type erased: code that implements a capability, which says what inputs and tests are. */
export interface Adapter extends Pick<Capability, 'inputs' | 'parse' | 'sample'> {
  /** `<capability>/<adapter>`, e.g. `email/smtp`. */
  readonly name: string;
  /** Name of the capability that it implements. */
  readonly capability: string;
  /** What it does, in one sentence. */
  readonly about?: string;
  /** Schema of `config`; a property marked `secret: true` takes {"$env"} or {"$file"} only. */
  readonly config: JsonSchema;
  /** True when nothing leaves the machine: a `test` key may use it, and reputation never counts it. */
  readonly sandbox: boolean;
  readonly idempotency: IdempotencySupport;
  idempotencyOf?(config: never): IdempotencySupport | undefined;
  warningsOf?(config: never): readonly string[];
  drainsOf?(config: never): boolean;
  open(scope: OpenScope<never>): Promise<ProviderHandle>;
}

// What an author writes; `C` is the schema constant of the configuration.
interface ProviderDefinition<C extends JsonSchema> extends Partial<Pick<Adapter, 'about' | 'idempotency' | 'sandbox'>> {
  readonly name: string;
  readonly capability: Capability;
  readonly config: C;
  /** The support of one configuration; undefined: as `idempotency` says. */
  idempotencyOf?(config: Infer<C>): IdempotencySupport | undefined;
  /** What an operator should know of a configuration that is allowed; shown by `orb config check` and `orb doctor`. */
  warningsOf?(config: Infer<C>): readonly string[];
  /** Says whether a call goes on to its end when its caller has gone; absent: its signal aborts. */
  drainsOf?(config: Infer<C>): boolean;
  open(scope: OpenScope<Infer<C>>): Promise<ProviderHandle> | ProviderHandle;
}

/** Defines an adapter; importing its file does nothing else. */
export function defineProvider<const C extends JsonSchema>(definition: ProviderDefinition<C>): Adapter {
  const { name, capability, config, sandbox = false, idempotency = { kind: 'none' } } = definition;
  const { about, drainsOf, idempotencyOf, warningsOf } = definition;
  return Object.freeze<Adapter>({
    ...{ name: `${capability.name}/${name}`, capability: capability.name, config, sandbox, idempotency },
    ...given({ about, inputs: capability.inputs, parse: capability.parse, sample: capability.sample }),
    ...given({ idempotencyOf, warningsOf, drainsOf }),
    open: async (scope: OpenScope<never>) => definition.open(scope),
  });
}

/** Defines a capability. */
export function defineCapability(capability: Capability): Capability {
  return Object.freeze(capability);
}

/** A named adapter with its validated configuration. */
export interface Provider {
  readonly name: string;
  readonly adapter: Adapter;
  /** Secrets resolved. */
  readonly config: unknown;
  /** `sha256:<hex>` of adapter (with its files, if it is external) and configuration with its secret *references*. */
  readonly config_digest: string;
  /** Limits of its concurrent calls, its rate and its waiting calls; absent: no limit. */
  readonly limits?: Limit & { readonly queue: number };
  /** Resolves its references again. Throws 422 `invalid_provider` when one cannot be resolved any more. */
  renew(): Provider;
}

/** Settings of every configuration that reaches hosts; units are in the names. */
export const connectionSettings = {
  max_connections: optional({
    ...{ type: 'integer', title: 'Maximum number of connections to one host' },
    ...{ minimum: 1, maximum: 256, default: 16 },
  }),
  connect_timeout_ms: optional({
    ...{ type: 'integer', title: 'Timeout for connecting' },
    description: 'From the DNS look-up to the end of the TLS handshake.',
    ...{ minimum: 100, maximum: 120000, default: 10000 },
  }),
} as const;
