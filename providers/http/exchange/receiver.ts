import type { ProviderError } from '../../../kernel/adapter.ts';
import { joinedHeaders, type OutboundAnswer, type OutboundController } from '../../../kernel/outbound.ts';

/** An answer from its status on, perhaps incomplete; multiple values of a header are joined. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Body as received, at most as long as the cap. */
  readonly body: Buffer;
  /** The cap ended the body. */
  readonly capped: boolean;
  /** The error that ended the body early. */
  readonly broken?: ProviderError;
}

/** Maps an error to an outcome; `written` is true once a byte of the request may have left. */
export type Explain = (error: unknown, written: boolean) => ProviderError;

/** Receives one answer. The client library calls the `on…` methods in this order, `onResponseError` at any time. */
export class Receiver {
  /** Rejects with ProviderError when no status came. */
  readonly received: Promise<Received>;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: ProviderError) => void;
  readonly #maxBytes: number;
  readonly #explain: Explain;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #head: Pick<Received, 'status' | 'headers'> | undefined;
  #controller: OutboundController | undefined;
  // Set directly before the first byte is written to an open connection.
  #written = false;
  #over = false;

  constructor(maxBytes: number, explain: Explain) {
    ({ promise: this.received, resolve: this.#resolve, reject: this.#reject } = Promise.withResolvers<Received>());
    this.#maxBytes = maxBytes;
    this.#explain = explain;
  }

  /** Ends the exchange now; its result is what has arrived so far. */
  stop(): void {
    this.#fail(new Error('the time is up'));
    this.#controller?.abort(new Error('the time is up'));
  }

  onRequestStart(controller: OutboundController): void {
    // The call ended while it waited for a connection: the request must not be written.
    if (this.#over) return controller.abort(new Error('given up'));
    this.#controller = controller;
    this.#written = true;
  }

  onResponseStart(_: unknown, status: number, headers: OutboundAnswer['headers']): void {
    if (status >= 200) this.#head = { status, headers: joinedHeaders(headers) };
  }

  onResponseData(controller: OutboundController, chunk: Buffer): void {
    const room = this.#maxBytes - this.#length;
    this.#chunks.push(chunk.subarray(0, room));
    this.#length += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.#finish({ capped: true });
    controller.abort(new Error('the body is longer than the cap'));
  }

  onResponseEnd(): void {
    this.#finish({ capped: false });
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#over) return;
    const failure = this.#explain(error, this.#written);
    if (this.#head !== undefined) return this.#finish({ capped: false, broken: failure });
    this.#over = true;
    this.#reject(failure);
  }

  #finish(end: Pick<Received, 'capped' | 'broken'>): void {
    if (this.#over || this.#head === undefined) return;
    this.#over = true;
    this.#resolve({ ...this.#head, ...end, body: Buffer.concat(this.#chunks) });
  }
}
