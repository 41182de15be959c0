// The public types of the client: this file is the declaration file of the package.

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The Orbs that `orb client types` found, by id: `{ inputs, outputs }`. Generated files add members by declaration merging.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- generated files add its members
export interface Orbs {}

/** `{ strict: true }` in a generated file makes ids that it does not name an error. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- generated files add its members
export interface OrbsSettings {}

/** The id of an Orb, `notify.email@1.0.0`. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- generated files add members of Orbs
export type OrbId = OrbsSettings extends { readonly strict: true } ? keyof Orbs & string : string;
/** The inputs of an Orb. */
export type InputsOf<K> = K extends keyof Orbs ? (Orbs[K] extends { readonly inputs: infer I } ? I : Json) : Json;
/** The outputs of an Orb. */
export type OutputsOf<K> = K extends keyof Orbs ? (Orbs[K] extends { readonly outputs: infer O } ? O : Json) : Json;

/** The summary of a receipt, as answers hold it. It proves nothing. */
export interface ReceiptSummary {
  readonly receipt_id: string;
  readonly trust_score?: number;
  readonly risk_level?: string;
  readonly timestamp?: string;
}

/** What a verified receipt says. */
export interface Verified {
  readonly receiptId: string;
  /** Id of the key that signed. */
  readonly kid: string;
  readonly installation: string;
  readonly trustScore?: number;
  readonly riskLevel?: string;
  /** What is left unproved. */
  readonly limits: readonly string[];
}

/** The result of verifying a receipt; `check`: the first check that failed. */
export type Verdict =
  | ({ readonly verified: true } & Verified)
  | { readonly verified: false; readonly check: string; readonly detail: string };

interface Ended<O> {
  /** The Idempotency-Key of the call: the same call under this key is done once. */
  readonly key: string;
  /** Returns a completed outcome, and throws an `OrbError` for every other. */
  orThrow(): Completed<O>;
}

/** The action was done once, and its receipt was verified. */
export interface Completed<O = Json> extends Ended<O> {
  readonly kind: 'completed';
  readonly runId: string;
  readonly outputs: O;
  readonly receipt: ReceiptSummary;
  /** Absent where `verify` leaves the receipt unverified. */
  readonly verified?: Verified;
  /** It is the stored answer of an earlier request with this key. */
  readonly replayed: boolean;
}

interface Explained<O> extends Ended<O> {
  readonly code: string;
  readonly detail?: string;
  readonly runId?: string;
  readonly receipt?: ReceiptSummary;
}

/** A policy or a person denied it; nothing was done. */
export interface Denied<O = Json> extends Explained<O> {
  readonly kind: 'denied';
  readonly reasons: readonly { readonly code?: string; readonly message?: string }[];
}

/** People are asked to approve it. `settle` waits for their decision. */
export interface Held<O = Json> extends Ended<O> {
  readonly kind: 'held';
  readonly runId: string;
  readonly approval?: { readonly id: string; readonly expires_at: string; readonly url: string };
  settle(options?: WaitOptions): Promise<Outcome<O>>;
}

/** The request is wrong and will be refused again; nothing was done. */
export interface Rejected<O = Json> extends Explained<O> {
  readonly kind: 'rejected';
  /** Why a provider refused it, `recipient_gone`; or why the server did. */
  readonly reason?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** It failed. `acted`: the action was done all the same; otherwise nothing was done, or a repetition does no harm. */
export interface Failed<O = Json> extends Explained<O> {
  readonly kind: 'failed';
  readonly retryable: boolean;
  readonly acted: boolean;
}

/** It is unknown whether it was done. Never call again with another key; `settle` asks again with the same one. */
export interface Unknown<O = Json> extends Ended<O> {
  readonly kind: 'unknown';
  readonly code?: string;
  readonly runId?: string;
  /** The caller's signal ended the wait; the run goes on. */
  readonly aborted?: true;
  settle(options?: WaitOptions): Promise<Outcome<O>>;
}

/** No request reached the server, so nothing was done. */
export interface Unreachable<O = Json> extends Ended<O> {
  readonly kind: 'unreachable';
  readonly aborted?: true;
}

/** The server says that it was done, but the receipt does not prove it. */
export interface Unverified<O = Json> extends Ended<O> {
  readonly kind: 'unverified';
  /** The check that failed. */
  readonly check: string;
  readonly detail: string;
  readonly runId: string;
  readonly receipt?: ReceiptSummary;
  /** The receipt as it was read. */
  readonly document?: string;
  /** What the server answered. */
  readonly unverifiedOutputs?: O;
}

/** How a call ended; more kinds may come. */
export type Outcome<O = Json> = Completed<O> | NotCompleted<O>;
type NotCompleted<O> = Denied<O> | Failed<O> | Held<O> | Rejected<O> | Unknown<O> | Unreachable<O> | Unverified<O>;

/** How long to wait, in ms, and what ends the wait. */
export interface WaitOptions {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call. */
export interface RunOptions extends WaitOptions {
  readonly orbiset?: string | undefined;
  /** The Idempotency-Key; a fresh one unless given. */
  readonly key?: string | undefined;
  readonly delivery?: 'at_most_once' | 'at_least_once' | undefined;
  /** The time that the run may take, ms; at most the Orb's own. */
  readonly runTimeout?: number | undefined;
  /** Use sandbox providers alone. */
  readonly sandbox?: boolean | undefined;
  /** `refuse`: deny a run that people must approve. */
  readonly hold?: 'wait' | 'refuse' | undefined;
  /** `sha256:…` of the manifest that the receipt must name. */
  readonly manifest?: string | undefined;
}

/** Options of a call that is put into the queue. */
export interface QueueOptions extends RunOptions {
  readonly runAt?: string | undefined;
  readonly expiresInS?: number | undefined;
  /** Id of a subscription of the Orbiset that is notified when it ends. */
  readonly callback?: string | undefined;
}

/** A run in the queue. */
export interface Queued<O = Json> {
  readonly kind: 'queued';
  readonly key: string;
  readonly runId: string;
  /** Waits until it ends. */
  result(options?: WaitOptions): Promise<Outcome<O>>;
  /** Cancels it, unless a provider has it already. */
  cancel(): Promise<{ readonly cancelled: boolean; readonly code?: string }>;
  /** Yields its events, to its end. */
  events(options?: EventOptions): AsyncIterableIterator<OrbEvent>;
}

/** Filters and position of a stream of events. */
export interface EventOptions {
  readonly types?: string | undefined;
  readonly runId?: string | undefined;
  /** `position` of the last event that was handled. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An event; `gap`: events in between are lost. */
export interface OrbEvent {
  /** `run.completed`, …, or `gap`. */
  readonly type: string;
  /** Give it as `after` to go on behind it. */
  readonly position: string;
  readonly id?: string;
  readonly timestamp?: string;
  readonly data: Json;
}

/** A part of the answer of a model; the last one is its outcome. */
export type StreamPart =
  | { readonly type: 'text' | 'refusal' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  | { readonly type: 'outcome'; readonly outcome: Outcome };

/** Formats of tools. */
export type ToolFormat = 'anthropic' | 'gemini' | 'mcp' | 'openai';

/** The Orbs of a key as tools of a model. */
export interface Tools {
  readonly tools: readonly Json[];
  /** Runs the Orb of a tool. `text` tells the model how it ended. */
  call(
    name: string,
    args: Json | string,
    options?: RunOptions,
  ): Promise<{ readonly outcome: Outcome; readonly text: string }>;
}

/** The answer to `request`. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Public keys, as `/.well-known/jwks.json` has them. */
export interface KeySet {
  readonly keys: readonly Json[];
}

/** A key, or a function that gets a token; it is asked again after a 401. */
export type Auth = string | (() => Promise<string> | string);

type VerifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** Options of a client. */
export interface OrbOptions {
  /** The Orbiset of calls that name none; `default`. */
  readonly orbiset?: string | undefined;
  /** `sampled` verifies one call in ten, `never` none: the others hand outputs over without a proof. */
  readonly verify?: 'always' | 'never' | 'sampled' | undefined;
  /** The keys to trust, or `tofu`: those that the server has at the first use. Required unless `verify` is `never`. */
  readonly pin?: KeySet | 'tofu' | undefined;
  /** Called with the keys after the first use and after each change, so that a program can keep them. */
  readonly pinned?: ((keys: KeySet) => void) | undefined;
  /** The time for a call with all its tries, ms; 120,000. */
  readonly timeout?: number | undefined;
  /** Most tries of a call; that of the retry table unless given. */
  readonly tries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Verifies Ed25519 where the runtime cannot. */
  readonly ed25519?: VerifyEd25519 | undefined;
  /** Hears of tries and warnings, never of inputs, outputs, keys or queries. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
  /** Allows a live key in a browser, where everybody can read it. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** What a client logs. */
export interface LogEntry {
  readonly event: 'try' | 'wait' | 'clock_skew';
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly ms?: number;
}
