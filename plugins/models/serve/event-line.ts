import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { every } from '../../../kernel/index.ts';

/** Most characters that wait for a client that reads slowly. */
const mostWaiting = 256 * 1024;
/** A client that takes nothing for so long is gone, ms. */
const stalledMs = 30_000;
/** How long the last event of a failed stream has to leave before its connection is cut, ms. */
const lingerMs = 50;

/** How an event line is made. */
export interface EventLineOptions {
  /** What keeps the connection open. */
  readonly keepalive: string;
  readonly keepaliveMs: number;
}

/** Events of one stream between the run that emits them and the client that reads them. */
export class EventLine {
  readonly #options: EventLineOptions;
  #texts: string[] = [];
  #size = 0;
  #taken = 0;
  #state: 'open' | 'ended' | 'cut' = 'open';
  #filled = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();

  constructor(options: EventLineOptions) {
    this.#options = options;
  }

  /** Adds events; returns a promise while the client has too much to read, which rejects when it reads nothing for long. */
  push(text: string): Promise<void> | undefined {
    if (text === '' || this.#state !== 'open') return undefined;
    this.#texts.push(text);
    this.#size += text.length;
    this.#filled.resolve();
    return this.#size > mostWaiting ? this.#untilRoom() : undefined;
  }

  /** Ends the stream after its last events. */
  end(text: string): void {
    void this.push(text);
    this.#finish('ended');
  }

  /** Ends the stream after its last event by a cut of the connection: stock clients take a clean end for success. */
  cut(text: string): void {
    void this.push(text);
    this.#finish('cut');
  }

  /** Yields what was added, until the end. Throws when the connection is to be cut. */
  async *read(): AsyncIterable<string> {
    const { keepalive, keepaliveMs } = this.#options;
    const quiet = (): void => void (this.#texts.length === 0 && this.push(keepalive));
    const stop = every(keepaliveMs, quiet, () => this.cut(''));
    try {
      for (;;) {
        while (this.#texts.length === 0 && this.#state === 'open') await this.#filled.promise;
        // Parts that came together leave together: each write of a socket costs more than all that was done for its part.
        if (this.#state === 'open' && this.#taken > 0) await turn();
        if (this.#texts.length === 0) break;
        yield this.#take();
      }
    } finally {
      stop();
      // The client has gone, or has all.
      this.#finish('cut');
    }
    if (this.#state !== 'cut') return;
    await pause(lingerMs);
    throw new Error('the run of this stream failed');
  }

  #take(): string {
    const text = this.#texts.length === 1 ? (this.#texts[0] ?? '') : this.#texts.join('');
    this.#texts = [];
    this.#size = 0;
    this.#taken += 1;
    if (this.#state === 'open') this.#filled = Promise.withResolvers<void>();
    this.#room.resolve();
    this.#room = Promise.withResolvers<void>();
    return text;
  }

  #finish(state: 'ended' | 'cut'): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#filled.resolve();
    this.#room.resolve();
  }

  async #untilRoom(): Promise<void> {
    const taken = this.#taken;
    const late = new AbortController();
    const timer = pause(stalledMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.#room.promise, timer]);
    late.abort();
    if (this.#taken === taken && this.#state === 'open') throw new Error('the client of a stream reads nothing');
  }
}
