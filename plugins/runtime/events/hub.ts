import type { RuntimeScope } from '../facts/scope.ts';
import { mayListen } from './event.ts';
import type { EventFeed, PlacedEvent } from './feed.ts';
import { idOf, type Position } from './position.ts';
import { type Principal, every } from '../../../kernel/index.ts';

/** One stream that is open. */
export interface Listener {
  principal: Principal;
  readonly callerNow: () => Promise<Principal | undefined>;
  ended: boolean;
  /** Set while the stream waits for something to send. */
  wake: (() => void) | undefined;
}

/** What the hub needs. */
interface HubOptions extends Pick<RuntimeScope, 'clock' | 'log' | 'store'> {
  readonly feed: EventFeed;
  /** What can be read now. */
  readonly position: Position;
}

const page = 500;
const mostKept = 1000;
const pollMs = 200;
const keyCheckMs = 5000;

/** Reads new events once for all streams, and keeps the newest of them while anybody listens. */
export class EventHub {
  readonly #options: HubOptions;
  readonly #listeners = new Set<Listener>();
  #kept: PlacedEvent[] = [];
  #ids = new WeakMap<Position, string>();
  /** Number of the newest event that was read, since the start. */
  last = 0;
  /** The position that was read; without listeners, the position that was readable at the last call of `advance`. */
  position: Position;
  #reading: Promise<void> | undefined;
  #stops: readonly (() => void)[] = [];
  #draining: AbortSignal | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    this.position = options.position;
  }

  add(listener: Listener): void {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#stop();
  }

  /** The events after the one with a number; undefined: some of them are no longer kept. */
  after(number: number): readonly PlacedEvent[] | undefined {
    const missed = number - this.last + this.#kept.length;
    return missed < 0 ? undefined : this.#kept.slice(missed);
  }

  /** The id of a position; the same text for all streams. */
  idOf(position: Position): string {
    const known = this.#ids.get(position);
    if (known !== undefined) return known;
    const id = idOf(position, this.#options.clock.now(), this.#options.store.sealer);
    this.#ids.set(position, id);
    return id;
  }

  /** Reads new events, and wakes the streams. A new listener has called it before. */
  advance(): Promise<void> {
    this.#reading ??= this.#advance().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Ends the streams whose key was revoked, has expired, or lost its scopes. */
  async checkKeys(): Promise<void> {
    const check = async (listener: Listener): Promise<void> => {
      // Of a caller that cannot be asked for now nothing is known: the client connects again, to a node that knows.
      const principal = await listener.callerNow().catch(() => undefined);
      if (principal === undefined || !mayListen(principal)) end(listener);
      else listener.principal = principal;
    };
    // Whose session is asked for in the store does not keep the others waiting.
    await Promise.all([...this.#listeners].map(check));
  }

  /** Ends all streams when the server begins to shut down. */
  endWith(draining: AbortSignal): void {
    if (this.#draining !== undefined) return;
    this.#draining = draining;
    draining.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Ends all streams. */
  close(): void {
    for (const listener of this.#listeners) end(listener);
    this.#stop();
  }

  #start(): void {
    const { feed, log } = this.#options;
    const failed = (err: unknown): void => log.warn({ err }, 'events could not be read; the server tries again');
    const look = (): void => void this.advance().catch(failed);
    this.#stops = [feed.log.onAppend(look), every(pollMs, look, failed), every(keyCheckMs, () => this.#look(), failed)];
  }

  // Streams that have sent nothing for long send that they are still there.
  async #look(): Promise<void> {
    await this.checkKeys();
    this.#wake();
  }

  #wake(): void {
    for (const listener of this.#listeners) wake(listener);
  }

  #stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#kept = [];
  }

  async #advance(): Promise<void> {
    const { feed } = this.#options;
    for (;;) {
      const to = await feed.end();
      const found = this.#listeners.size === 0 ? [] : await feed.read(this.position, to, page);
      if (this.#listeners.size === 0) return void (this.position = to);
      // A stream whose key was revoked gets no later events.
      if (found.some(({ event }) => event.type.startsWith('key.'))) await this.checkKeys();
      this.#kept.push(...found);
      this.last += found.length;
      this.#kept.splice(0, this.#kept.length - mostKept);
      this.position = found.length < page ? to : (found.at(-1)?.position ?? to);
      if (found.length === 0) return;
      this.#wake();
    }
  }
}

/** Ends a stream. */
export function end(listener: Listener): void {
  listener.ended = true;
  wake(listener);
}

function wake(listener: Listener): void {
  const { wake: call } = listener;
  listener.wake = undefined;
  call?.();
}
