import { after, type Gathering } from '../../../kernel/engine.ts';

// Fewer writes at once gain nothing by waiting; of more, each batch has enough.
const fewest = 4;
const most = 40;
const momentMs = 2;

/**
 * Lets the writes of few callers wait a moment for each other before they go to a database: a batch of few costs almost
 * as much as a batch of all. It learns from the answers how many there are. A single caller does not wait.
 */
export class Crowd implements Gathering {
  readonly #send: () => void;
  /** How many writes were outstanding at once, of late. */
  #crowd = 0;
  #stop: (() => void) | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Notes how many writes were outstanding when a batch was answered. */
  note(outstanding: number): void {
    this.#crowd = Math.max(outstanding, this.#crowd * 0.9);
  }

  /** Whether writes are to wait: for the answer of a batch under way, or a moment for others. */
  holds(waiting: number, flying: number): boolean {
    if (this.#crowd < fewest || this.#crowd > most) return false;
    if (flying > 0) return true;
    if (waiting >= this.#crowd * 0.75) return false;
    if (waiting > 0) this.#stop ??= after(momentMs, this.#send, () => undefined);
    return true;
  }

  /** Ends the wait: sends the waiting writes. */
  sent(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
