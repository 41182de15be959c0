/** What a client is asked to do. */
export interface Ask {
  /** Of the platform or of one of its Orbisets, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly question: string;
  /** A picture that belongs to the question: PNG in base64. */
  readonly image?: string;
  /** The JSON Schema of the answer. */
  readonly schema?: object;
  readonly stream: boolean;
  /** How often the client may repeat a failed call by itself. */
  readonly retries: number;
  /** Tools to offer, by name; the client answers each call with `ok` and asks again until the model calls none. */
  readonly tools: readonly string[];
  /** Leaves a stream after its first text. */
  readonly leaves: boolean;
}

/** One call of a tool, as a client shows it. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** Parsed. */
  readonly arguments: unknown;
}

/** What a client makes of the answers to one ask. */
export interface Told {
  /** The text of the last answer. */
  readonly text: string;
  /** Texts of a stream, in the pieces in which they came. */
  readonly pieces: readonly string[];
  readonly calls: readonly ShownCall[];
  /** Why the last answer ended, in the words of the client. */
  readonly finish: string;
  /** Tokens of the last answer: input, output. */
  readonly usage: readonly [number, number] | null;
  /** What the client raised. */
  readonly error: Raised | null;
}

/** What a client raised. */
export interface Raised {
  /** The name of its class. */
  readonly type: string;
  readonly status: number | null;
  /** The code that the door has for it, wherever the client shows it. */
  readonly code: string | null;
}

/** Failures that clients tell apart; `left`: it gave up a call itself. */
export type FailureName =
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'rejected'
  | 'spent'
  | 'failed'
  | 'unavailable'
  | 'interrupted'
  | 'left';

/** A client that others wrote, used as its documentation says. */
export interface StockClient {
  readonly name: string;
  readonly door: 'openai' | 'anthropic';
  /** Names of the classes that it raises. */
  readonly errors: Readonly<Record<FailureName, string>>;
  /** Its words for the end of an answer. */
  readonly finishes: { readonly whole: string; readonly calls: string };
  /** It repeats failed calls although `x-should-retry` is `false`. */
  readonly repeatsAll?: true;
  /** Resolves also for what the client raises. `signal` makes it give up. */
  ask(ask: Ask, signal: AbortSignal): Promise<Told>;
  /** Asks for the vector of a text. */
  embed?(ask: Pick<Ask, 'key' | 'model' | 'url'>, text: string): Promise<readonly number[]>;
}
