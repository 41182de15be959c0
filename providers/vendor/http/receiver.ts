import type { OutboundAnswer, OutboundController } from '../../../kernel/outbound.ts';
import type { ProviderError } from '../../../kernel/adapter.ts';

/** The head of an answer. */
export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Maps an error before the head to an outcome; `written` is true once a byte of the request may have left. */
type Explain = (error: unknown, written: boolean) => ProviderError;

type Next = IteratorResult<Buffer, undefined>;

/** Most bytes that wait for their reader before the connection is read no further. */
const mostWaiting = 64 * 1024;
/** How long the rest of an answer may take that is not read, so that its connection is kept, ms. */
const lingerMs = 100;
/** Most bytes of such a rest. */
const mostUnread = 64 * 1024;

/** Receives one answer: its head as a promise, its body by iteration. The client library calls the `on…` methods. */
export class Receiver implements AsyncIterableIterator<Buffer> {
  /** Rejects with ProviderError when no status came. */
  readonly head: Promise<Head>;
  readonly #heard = Promise.withResolvers<Head>();
  readonly #signal: AbortSignal;
  readonly #explain: Explain;
  #chunks: Buffer[] = [];
  #size = 0;
  #unread = 0;
  #waiting: PromiseWithResolvers<Next> | undefined;
  #controller: OutboundController | undefined;
  #linger: NodeJS.Timeout | undefined;
  // Set directly before the first byte is written to an open connection.
  #written = false;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #failure: unknown;

  /** `signal`: ends the exchange, at once and with its connection. */
  constructor(signal: AbortSignal, explain: Explain) {
    this.head = this.#heard.promise;
    this.#signal = signal;
    this.#explain = explain;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: OutboundController): void {
    // A request reported as not_sent must never leave, even if the event of the signal has not come.
    if (this.#state !== 'open' || this.#signal.aborted) return controller.abort(new Error('aborted'));
    this.#controller = controller;
    this.#written = true;
  }

  onResponseStart(_: unknown, status: number, headers: OutboundAnswer['headers']): void {
    if (status >= 200) this.#heard.resolve({ status, headers: singleHeaders(headers) });
  }

  onResponseData(controller: OutboundController, chunk: Buffer): void {
    if (this.#linger !== undefined) {
      this.#unread += chunk.length;
      if (this.#unread > mostUnread) controller.abort(new Error('the rest is too long'));
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) return waiting.resolve({ done: false, value: chunk });
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > mostWaiting) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish('ended');
    this.#waiting?.resolve(last);
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#fail(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads the next bytes. */
  next(): Promise<Next> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      const full = this.#size > mostWaiting;
      this.#size -= chunk.length;
      if (full && this.#size <= mostWaiting) this.#controller?.resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#state === 'ended') return Promise.resolve(last);
    this.#waiting = Promise.withResolvers<Next>();
    if (this.#state === 'failed') this.#waiting.reject(this.#failure);
    return this.#waiting.promise;
  }

  /** Reads no more. The connection is kept if the rest comes soon: some vendors end their answer after its last word. */
  return(): Promise<Next> {
    this.#chunks = [];
    if (this.#state === 'open') {
      this.#linger = setTimeout(() => this.#controller?.abort(new Error('the rest is late')), lingerMs);
      if (this.#size > mostWaiting) this.#controller?.resume();
    }
    return Promise.resolve(last);
  }

  readonly #abort = (): void => {
    const aborted = new Error('aborted');
    this.#chunks = [];
    this.#fail(aborted);
    this.#controller?.abort(aborted);
  };

  #fail(error: unknown): void {
    if (this.#state !== 'open') return;
    this.#finish('failed');
    this.#failure = error;
    // Without effect once the head is there.
    this.#heard.reject(this.#explain(error, this.#written));
    this.#waiting?.reject(error);
  }

  #finish(state: 'ended' | 'failed'): void {
    this.#state = state;
    clearTimeout(this.#linger);
    this.#signal.removeEventListener('abort', this.#abort);
  }
}

const last: Next = Object.freeze({ done: true, value: undefined });

function singleHeaders(headers: OutboundAnswer['headers']): Head['headers'] {
  const single: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    single[name] = Array.isArray(value) ? value[0] : value;
  }
  return single;
}
