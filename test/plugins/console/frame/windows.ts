import type { StreamHandlers, StreamStart } from '../../../../plugins/console/app/frame/event-stream.ts';
import type { LiveEvent, LiveState, WindowMessage } from '../../../../plugins/console/app/frame/live-event.ts';
import { SharedStream } from '../../../../plugins/console/app/frame/shared-stream.ts';

/** A window of the fake browser, and what its follower was told. */
export interface FakeWindow {
  readonly stream: SharedStream;
  readonly events: string[];
  opened: number;
  state: LiveState | undefined;
  /** Follows types; the function that is returned ends it. */
  follow(...types: readonly string[]): () => void;
  /** Ends all at once, as a window that closes or crashes: it tells nothing. */
  crash(): void;
  /** A window that is stuck neither hears nor runs its timers. */
  stuck: boolean;
}

interface Holder {
  readonly window: FakeWindow;
  readonly held: () => Promise<void>;
  readonly reject: (error: Error) => void;
}

interface OpenStream {
  readonly window: FakeWindow;
  readonly start: StreamStart;
  readonly handlers: StreamHandlers;
}

interface Timer {
  readonly window: FakeWindow;
  readonly at: number;
  readonly work: () => void;
}

/** A browser whose windows share locks and channels, its server, and a clock that only `pass` moves. */
export class FakeBrowser {
  /** The key whose session the cookie is of. */
  keyId: string | null = 'key_a';
  /** The server does not answer. */
  down = false;
  /** How often another caller was noticed. */
  others = 0;
  readonly streams = new Set<OpenStream>();
  readonly #log: LiveEvent[] = [];
  readonly #timers = new Set<Timer>();
  readonly #queue: Holder[] = [];
  #holder: Holder | undefined;
  readonly #channels = new Map<FakeWindow, (message: WindowMessage) => void>();
  #now = 0;

  /** Opens a window for the key. */
  open(keyId = 'key_a', { alone = false } = {}): FakeWindow {
    const window: FakeWindow = {
      events: [],
      opened: 0,
      state: undefined,
      stuck: false,
      follow: (...types) =>
        window.stream.follow({
          types,
          onEvent: ({ id }) => void window.events.push(id),
          onOpen: () => void (window.opened += 1),
          onState: (state) => void (window.state = state),
        }),
      crash: () => this.#crash(window),
      stream: new SharedStream({
        window: `w${this.#channels.size}-${Math.round(this.#now)}-${keyId}`,
        keyId,
        onOther: () => void (this.others += 1),
        open: (start, handlers) => this.#opened({ window, start, handlers }),
        after: (ms, work) => this.#after({ window, at: this.#now + ms, work }),
        ...(alone ? {} : { lock: this.#lock(() => window), join: (hear) => this.#join(window, hear) }),
      }),
    };
    return window;
  }

  /** Something happens; the server tells those that follow it. */
  happen(type: string): void {
    const event = { id: `e${this.#log.length + 1}`, type, timestamp: '', data: {} };
    this.#log.push(event);
    for (const stream of this.streams) this.#tell(stream, event, this.#log.length);
  }

  /** The server ends all streams. */
  drop(): void {
    for (const stream of [...this.streams]) {
      this.streams.delete(stream);
      stream.handlers.onEnd(true);
    }
  }

  /** Lets time pass, and all that is due happen in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].filter(({ window }) => !window.stuck).sort((one, two) => one.at - two.at);
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.work();
    }
    this.#now = end;
  }

  #after(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #opened(stream: OpenStream): () => void {
    if (this.down) {
      queueMicrotask(() => stream.handlers.onEnd(false));
      return () => undefined;
    }
    this.streams.add(stream);
    queueMicrotask(() => {
      if (!this.streams.has(stream)) return;
      stream.handlers.onOpen(this.keyId);
      const from = stream.start.lastId === undefined ? this.#log.length : Number(stream.start.lastId);
      stream.handlers.onPart({ id: String(from) });
      for (let at = from; at < this.#log.length; at += 1) {
        const event = this.#log[at];
        if (event !== undefined) this.#tell(stream, event, at + 1);
      }
    });
    return () => this.streams.delete(stream);
  }

  #tell({ window, start, handlers }: OpenStream, event: LiveEvent, at: number): void {
    const types = new URL(start.path, 'http://x').searchParams.get('types')?.split(',') ?? [];
    if ((types.includes(event.type) || types.includes('*')) && !window.stuck)
      handlers.onPart({ id: String(at), event });
  }

  #join(window: FakeWindow, hear: (message: WindowMessage) => void) {
    this.#channels.set(window, hear);
    return {
      post: (message: WindowMessage) => {
        for (const [other, heard] of this.#channels)
          if (other !== window)
            queueMicrotask(() => void (this.#channels.has(other) && !other.stuck && heard(message)));
      },
      close: () => void this.#channels.delete(window),
    };
  }

  #lock(of: () => FakeWindow) {
    return ({ steal, signal }: { steal?: true; signal?: AbortSignal }, held: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        const holder: Holder = { window: of(), held: () => held().then(resolve), reject };
        if (steal && this.#holder !== undefined) {
          this.#holder.reject(new Error('stolen'));
          this.#holder = undefined;
          this.#queue.unshift(holder);
        } else this.#queue.push(holder);
        signal?.addEventListener('abort', () => {
          const at = this.#queue.indexOf(holder);
          if (at < 0) return;
          this.#queue.splice(at, 1);
          reject(new Error('aborted'));
        });
        queueMicrotask(() => this.#grant());
      });
  }

  #grant(): void {
    if (this.#holder !== undefined) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.#holder = next;
    void next.held().then(() => this.#release(next));
  }

  #release(holder: Holder): void {
    if (this.#holder !== holder) return;
    this.#holder = undefined;
    this.#grant();
  }

  #crash(window: FakeWindow): void {
    this.#channels.delete(window);
    for (const timer of this.#timers) if (timer.window === window) this.#timers.delete(timer);
    for (const stream of this.streams) if (stream.window === window) this.streams.delete(stream);
    for (const holder of this.#queue.filter((one) => one.window === window))
      this.#queue.splice(this.#queue.indexOf(holder), 1);
    if (this.#holder?.window === window) this.#release(this.#holder);
  }
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
