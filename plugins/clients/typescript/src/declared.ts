// The client itself; the build puts it behind `surface.ts` in the declaration file of the package.
import type {
  Answer,
  Auth,
  Completed,
  EventOptions,
  InputsOf,
  Json,
  KeySet,
  OrbEvent,
  OrbId,
  OrbOptions,
  Outcome,
  OutputsOf,
  Queued,
  QueueOptions,
  RunOptions,
  StreamPart,
  ToolFormat,
  Tools,
  Verdict,
  WaitOptions,
} from './surface.ts';

/** A list that reads page by page. */
export type List<T = Json> = AsyncIterableIterator<T>;

/** A receipt as the API answers it, or its text. */
export type Document = Json | Uint8Array | string;

/** What a receipt is compared with. */
export interface Expected {
  readonly runId?: string | undefined;
  readonly orbId?: string | undefined;
  readonly status?: string | undefined;
  /** `sha256:…` of the manifest. */
  readonly manifest?: string | undefined;
  readonly inputs?: Json | undefined;
  readonly outputs?: Json | undefined;
  /** `opening` of the answer to the call; required to compare inputs or outputs. */
  readonly opening?: { readonly inputs_salt: string; readonly outputs_salt?: string } | undefined;
}

/** A client of one server. */
export interface Orb {
  /** Runs an Orb and waits for its outcome. Rejects only for errors of the program that calls. */
  run<K extends OrbId>(orb: K, inputs: InputsOf<K>, options?: RunOptions): Promise<Outcome<OutputsOf<K>>>;
  /** Puts a run into the queue. */
  enqueue<K extends OrbId>(
    orb: K,
    inputs: InputsOf<K>,
    options?: QueueOptions,
  ): Promise<Outcome<OutputsOf<K>> | Queued<OutputsOf<K>>>;
  readonly runs: {
    get(runId: string): Promise<Json>;
    list(filter?: Json): List;
    /** Waits until a run ends; `key`: of the call that began it, to read its answer. */
    settle(runId: string, options?: WaitOptions): Promise<Outcome>;
  };
  readonly receipts: {
    get(receiptId: string): Promise<Json>;
    list(filter?: Json): List;
    verify(document: Document, expected?: Expected): Promise<Verdict>;
    /** Takes the receipt of a change of a signing key, signed by a key that is pinned: the pin moves. */
    trust(document: Document): Promise<Verdict>;
  };
  readonly orbs: { get(orbId: string): Promise<Json>; list(filter?: Json): List };
  /** Yields events as they happen; connects again by itself and goes on where it was. */
  events(options?: EventOptions): AsyncIterableIterator<OrbEvent>;
  /** Asks a model and yields the parts of its answer. `inputs`: a request of the OpenAI API for a chat completion. */
  stream(inputs: Json, options?: RunOptions): AsyncIterableIterator<StreamPart>;
  tools(format: ToolFormat, options?: { readonly orbiset?: string | undefined }): Promise<Tools>;
  /** Verifies a callback; its times are compared with the clock of the server. */
  verifyWebhook(headers: WebhookHeaders, body: Uint8Array | string, by: WebhookKeys): Promise<WebhookResult>;
  /** Sends any other request. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

/** Options of `request`. A POST is repeated only with a `key`, or if the server did nothing. */
export interface RequestOptions extends WaitOptions {
  readonly query?: Json | undefined;
  readonly body?: unknown;
  readonly key?: string | undefined;
}

/** Headers of a callback. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What verifies a callback: secrets (`whsec_…`), or public keys of the server (`whpk_…`) with the id of the subscription.
 */
export interface WebhookKeys {
  readonly secrets?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly subscription?: string | undefined;
  /** Most difference to the clock, s; 300. */
  readonly toleranceS?: number | undefined;
  /** The time, ms since the Unix epoch. */
  readonly now?: number | undefined;
}

/** A verified callback, or why it is refused. */
export type WebhookResult =
  | { readonly ok: true; readonly id: string; readonly type: string; readonly timestamp: string; readonly data: Json }
  | { readonly ok: false; readonly reason: 'body' | 'header' | 'signature' | 'subscription' | 'timestamp' };

/** Creates clients. Throws an `OrbError` if the client cannot start. */
export declare const Orb: new (url: string, auth: Auth, options?: OrbOptions) => Orb;

/** Verifies a receipt with the keys to trust; works without a server. */
export declare function verifyReceipt(
  document: Document,
  trust: KeySet,
  expected?: Expected & Pick<OrbOptions, 'ed25519'>,
): Promise<Verdict>;

/** Verifies a callback by Standard Webhooks (`v1`, `v1a`). `body`: the bytes as they came. */
export declare function verifyWebhook(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  by: WebhookKeys,
): Promise<WebhookResult>;

/** An error of the program that calls, or an outcome that `orThrow` threw. */
export declare class OrbError extends Error {
  readonly code: string;
  readonly outcome?: Exclude<Outcome, Completed>;
  constructor(code: string, message: string, more?: { readonly cause?: unknown } & Pick<OrbError, 'outcome'>);
}

/** Version of the client. */
export declare const version: string;
