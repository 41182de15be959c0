import type { StreamHandlers, StreamStart } from './event-stream.ts';
import type { Follower, LiveState, WindowMessage } from './live-event.ts';

/** The parts of a browser that a shared stream needs. */
export interface StreamPorts {
  /** Names this window among those of the browser. */
  readonly window: string;
  /** The key whose events these are. */
  readonly keyId: string;
  /** Joins the other windows; undefined: the browser cannot, and each window has a stream of its own. */
  readonly join?: (onMessage: (message: WindowMessage) => void) => {
    post(message: WindowMessage): void;
    close(): void;
  };
  /** Calls `held` once this window has the lock, which is kept until its promise settles; rejects when it was stolen. */
  readonly lock?: (options: { steal?: true; signal?: AbortSignal }, held: () => Promise<void>) => Promise<void>;
  open(start: StreamStart, handlers: StreamHandlers): () => void;
  /** Calls `work` later; the function that is returned prevents it. */
  after(ms: number, work: () => void): () => void;
  /** The server answers to another caller than this window's, or may no longer know it. */
  onOther(): void;
}

/** How long is waited for what, in ms. */
export const streamTimes = { settle: 50, retry: 3000, beat: 10_000, quiet: 40_000 } as const;

const remembered = 500;
const longestTypes = 500;

type TimerName = 'settle' | 'fit' | 'retry' | 'beat' | 'quiet' | 'lock';

/**
 * The stream of events that all windows of one session share. One window leads: it has the lock, holds the stream, and
 * sends the others what arrives. When it closes, is hidden or stops sending, another window becomes the leader and
 * resumes.
 */
export class SharedStream {
  readonly #ports: StreamPorts;
  readonly #followers = new Map<Follower, { open: boolean }>();
  /** What the other windows follow. */
  readonly #others = new Map<string, { readonly wants: readonly string[]; beats: number }>();
  readonly #seen = new Set<string>();
  readonly #timers = new Map<TimerName, () => void>();
  #channel: ReturnType<NonNullable<StreamPorts['join']>> | undefined;
  #unlock: (() => void) | undefined;
  #leads = false;
  #away = false;
  #lastId: string | undefined;
  /** Closes the stream of this window. */
  #close: (() => void) | undefined;
  #asked: readonly string[] = [];
  /** The last state of the stream that was sent. */
  #told: { readonly state: LiveState; readonly types: readonly string[] } = { state: 'connecting', types: [] };

  constructor(ports: StreamPorts) {
    this.#ports = ports;
  }

  /** Follows events until the function that is returned is called. */
  follow(follower: Follower): () => void {
    this.#followers.set(follower, { open: false });
    // A screen leaves just before the next one comes: both are one change.
    this.#after('settle', streamTimes.settle, () => this.#settle());
    return () => {
      this.#followers.delete(follower);
      this.#after('settle', streamTimes.settle, () => this.#settle());
    };
  }

  /** Leaves the stream while the window is hidden or frozen, since it could lead without telling anything. */
  setAway(away: boolean): void {
    if (away === this.#away) return;
    this.#away = away;
    this.#settle();
  }

  #settle(): void {
    this.#stop('settle');
    const wants = this.#wants();
    if (wants.length === 0) return this.#leave();
    if (this.#unlock === undefined) {
      this.#channel = this.#ports.join?.((message) => this.#hear(message));
      this.#request();
    }
    this.#post({ window: this.#ports.window, wants });
    if (this.#leads) this.#fit();
    // The stream may already have these types; otherwise its state is sent when it has them.
    this.#show(false);
  }

  #wants(): readonly string[] {
    return this.#away ? [] : unionOf([...this.#followers.keys()].map(({ types }) => types));
  }

  #leave(): void {
    this.#post({ window: this.#ports.window, wants: [] });
    this.#unlead();
    for (const name of this.#timers.keys()) this.#stop(name);
    this.#unlock?.();
    this.#unlock = undefined;
    this.#channel?.close();
    this.#channel = undefined;
    this.#others.clear();
    this.#lastId = undefined;
    this.#told = { state: 'connecting', types: [] };
    for (const known of this.#followers.values()) known.open = false;
  }

  #request(steal = false): void {
    const { lock } = this.#ports;
    this.#unlock?.();
    const stop = new AbortController();
    const released = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    this.#unlock = () => stop.abort();
    const held = (): Promise<void> => {
      if (!stop.signal.aborted) this.#lead();
      return released;
    };
    if (lock === undefined || this.#channel === undefined) return void held();
    this.#hearLeader();
    lock(steal ? { steal } : { signal: stop.signal }, held).catch(() => {
      // Another window became the leader, because this one was silent for too long.
      if (stop.signal.aborted) return;
      this.#unlead();
      this.#after('lock', streamTimes.retry, () => this.#request());
    });
  }

  #lead(): void {
    this.#leads = true;
    this.#stop('quiet');
    this.#beat();
  }

  #unlead(): void {
    this.#leads = false;
    this.#close?.();
    this.#close = undefined;
    this.#asked = [];
    for (const name of ['fit', 'retry', 'beat', 'quiet'] as const) this.#stop(name);
  }

  // Shows the other windows that this one is alive, also while the server is unreachable, and removes crashed windows.
  #beat(): void {
    for (const [window, other] of this.#others) {
      other.beats += 1;
      if (other.beats > 2) this.#others.delete(window);
    }
    this.#post({ asks: true });
    this.#fit();
    this.#after('beat', streamTimes.beat, () => this.#beat());
  }

  // Opens the stream again when the windows follow other types than before; several changes are one.
  #fit(): void {
    this.#after('fit', streamTimes.settle, () => {
      const types = unionOf([this.#wants(), ...[...this.#others.values()].map(({ wants }) => wants)]);
      // Without any the window is about to leave.
      if (types.length > 0 && types.join() !== this.#asked.join()) this.#open(types, false);
    });
  }

  #open(types: readonly string[], again: boolean): void {
    this.#stop('retry');
    this.#close?.();
    this.#asked = types;
    const lastId = this.#lastId;
    const lost = (): void => {
      this.#close?.();
      this.#close = undefined;
      this.#tell({ state: 'waiting', types });
      this.#after('retry', streamTimes.retry, () => this.#open(this.#asked, true));
    };
    // A connection that broke without a sign ends here.
    const alive = (): void => this.#after('quiet', streamTimes.quiet, lost);
    alive();
    this.#close = this.#ports.open(
      { path: `/events?types=${types.join().length > longestTypes ? '*' : types.join()}`, lastId },
      {
        onOpen: (keyId) => {
          // A node of an older version does not send the key id of the stream.
          if (keyId !== null && keyId !== this.#ports.keyId) {
            lost();
            return this.#ports.onOther();
          }
          alive();
          this.#tell({ state: 'live', types, again: again || lastId === undefined });
        },
        onPart: ({ id, event, gap }) => {
          alive();
          if (gap) this.#tell({ state: 'live', types, again: true });
          this.#tell({ ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) });
        },
        // The session may have ended with its key, which the next read alone would show.
        onEnd: (byServer) => {
          lost();
          if (byServer) this.#ports.onOther();
        },
      },
    );
  }

  #tell(message: WindowMessage): void {
    this.#post(message);
    this.#take(message);
  }

  #hear(message: WindowMessage): void {
    const { window, wants, asks } = message;
    if (window !== undefined && wants !== undefined) {
      if (wants.length === 0) this.#others.delete(window);
      else this.#others.set(window, { wants, beats: 0 });
      if (!this.#leads) return;
      if (wants.length > 0) this.#post({ ...this.#told, ...(this.#lastId === undefined ? {} : { id: this.#lastId }) });
      return void this.#fit();
    }
    // Ignore messages of a leader that does not know yet that it was replaced.
    if (this.#leads) return this.#take(message.event === undefined ? {} : { event: message.event });
    this.#hearLeader();
    if (asks) this.#post({ window: this.#ports.window, wants: this.#wants() });
    this.#take(message);
  }

  #hearLeader(): void {
    this.#after('quiet', streamTimes.quiet, () => this.#request(true));
  }

  #take({ state, types, again = false, id, event }: WindowMessage): void {
    if (id !== undefined) this.#lastId = id;
    if (state !== undefined) {
      this.#told = { state, types: types ?? [] };
      this.#show(again);
    }
    if (event === undefined || this.#seen.has(event.id)) return;
    this.#seen.add(event.id);
    const [oldest] = this.#seen;
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
    for (const follower of this.#followers.keys()) if (follows(follower, event.type)) follower.onEvent(event);
  }

  #show(again: boolean): void {
    const { state, types } = this.#told;
    if (state === 'connecting') return;
    for (const [follower, known] of this.#followers) {
      const covered = follower.types.every((type) => types.includes(type));
      // Events of types that the stream lacks are missed, so read the data again once the stream has these types.
      if (!covered) known.open = false;
      if (state === 'live' && !covered) continue;
      follower.onState(state);
      if (state !== 'live' || (known.open && !again)) continue;
      known.open = true;
      follower.onOpen();
    }
  }

  #post(message: WindowMessage): void {
    this.#channel?.post(message);
  }

  #after(name: TimerName, ms: number, work: () => void): void {
    this.#stop(name);
    this.#timers.set(name, this.#ports.after(ms, work));
  }

  #stop(name: TimerName): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}

// `*`: each event that the key can read.
const follows = ({ types }: Follower, type: string): boolean => types.includes(type) || types.includes('*');

function unionOf(all: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(all.flat())].sort();
}
