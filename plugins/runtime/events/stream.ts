import type { Callers } from '../tables/callers.ts';
import { hangsOnCaller, maySee, type PlatformEvent } from './event.ts';
import type { EventFeed, PlacedEvent, Told } from './feed.ts';
import { end, type EventHub, type Listener } from './hub.ts';
import type { Position } from './position.ts';
import { type Principal, type RequestInfo, refuseHeld, type HeldKind } from '../../../kernel/index.ts';
import { eventText } from './event-stream.ts';

/** What one stream sends. */
export interface Following {
  readonly principal: Principal;
  readonly info: Pick<RequestInfo, 'callerNow' | 'disconnected' | 'draining' | 'hold'>;
  /** Where it begins; undefined: now. */
  readonly from: Position | undefined;
  /** The requested events cannot be read: the client gets an error event. */
  readonly gap: boolean;
  /** The run whose events it sends: first those of before its beginning, if it begins now. */
  readonly run: FollowedRun | undefined;
  readonly wanted: (event: PlatformEvent) => boolean;
  /** The stream ends after this event. */
  readonly last: (event: PlatformEvent) => boolean;
  readonly shown: (event: PlatformEvent) => object;
  readonly callers: Callers;
}

/** The one run of a stream. */
export interface FollowedRun {
  readonly run_id: string;
  /** Returns the event of its end once it has ended. */
  readonly end: () => Promise<PlatformEvent | undefined>;
}

// A little less than the 15 s after which proxies begin to close: streams are woken every 5 s.
const keepAliveMs = 10_000;
const page = 200;
const streams: HeldKind = { name: 'stream', most: 16 };

/** Opens a stream. Throws 429 when there are too many. */
export function follow(following: Following, hub: EventHub, feed: EventFeed): AsyncIterable<string> {
  const { principal, info } = following;
  const needed = info.hold(streams) ?? refuseHeld(streams);
  const listener: Listener = { principal, callerNow: info.callerNow, ended: false, wake: undefined };
  hub.add(listener);
  const gone = (): void => {
    end(listener);
    hub.remove(listener);
  };
  info.disconnected.addEventListener('abort', gone, { once: true });
  needed.addEventListener('abort', () => end(listener), { once: true });
  if (info.disconnected.aborted) gone();
  hub.endWith(info.draining);
  const texts = new Stream(following, { hub, feed, listener }).texts();
  return removing(texts, gone, info.disconnected);
}

async function* removing(texts: AsyncIterable<string>, gone: () => void, disconnected: AbortSignal) {
  try {
    yield* texts;
  } finally {
    disconnected.removeEventListener('abort', gone);
    gone();
  }
}

interface Parts {
  readonly hub: EventHub;
  readonly feed: EventFeed;
  readonly listener: Listener;
}

/** One stream: it reads what it has missed from the store, then what the hub reads for all. */
class Stream {
  readonly #following: Following;
  readonly #parts: Parts;
  #position: Position;
  /** Number of the last event of the hub that it has seen; undefined: it reads from the store. */
  #seen: number | undefined;
  /** The position whose id the client has. */
  #told: Position | undefined;
  #sentAt = 0;

  constructor(following: Following, parts: Parts) {
    this.#following = following;
    this.#parts = parts;
    const { from } = following;
    this.#position = from ?? parts.hub.position;
    if (from === undefined) this.#seen = parts.hub.last;
  }

  async *texts(): AsyncIterable<string> {
    const { hub, listener } = this.#parts;
    const { start, found } = await this.#begin();
    yield `retry: 1000\n${this.#idText(start)}\n`;
    if (this.#following.gap) yield eventText({ event: 'gap', id: hub.idOf(start), data: { code: 'events_gone' } });
    const wanted = await this.#filterOf(found);
    if (yield* this.#sent(found.filter(({ event }) => wanted(event)))) return;
    while (!listener.ended) {
      if (yield* this.#sent(this.#seen === undefined ? this.#missed() : this.#fresh())) return;
      if (listener.ended || this.#seen !== hub.last) continue;
      // A stream that has seen all events is at the position of the hub.
      this.#position = hub.position;
      if (performance.now() - this.#sentAt >= keepAliveMs) yield this.#stillHere();
      else await new Promise<void>((resolve) => (listener.wake = resolve));
    }
  }

  // A new stream of one run starts with the earlier events of the run.
  async #begin(): Promise<Told> {
    const { feed } = this.#parts;
    const { run, from } = this.#following;
    if (run === undefined || from !== undefined) return { start: this.#position, found: [] };
    // Asked for after the position is known: a run that ends later is behind it.
    const end = await run.end();
    return feed.told(run.run_id, end, end === undefined ? this.#position : await feed.end());
  }

  // True when nothing comes after.
  async *#sent(events: Iterable<PlacedEvent> | AsyncIterable<PlacedEvent>): AsyncGenerator<string, boolean> {
    for await (const placed of events) {
      if (this.#parts.listener.ended) return true;
      yield this.#textOf(placed);
      if (!this.#following.last(placed.event)) continue;
      yield eventText({ event: 'end', data: {} });
      return true;
    }
    return false;
  }

  // Up to what the hub had read when this began; then the hub's own events follow without a gap.
  async *#missed(): AsyncIterable<PlacedEvent> {
    const { hub, feed, listener } = this.#parts;
    const { position: to, last } = hub;
    for (;;) {
      const found = await feed.read(this.#position, to, page);
      const wanted = await this.#filterOf(found);
      for (const placed of found) {
        this.#position = placed.position;
        if (wanted(placed.event)) yield placed;
      }
      if (found.length < page || listener.ended) break;
    }
    this.#position = to;
    this.#seen = last;
  }

  async *#fresh(): AsyncIterable<PlacedEvent> {
    const { hub } = this.#parts;
    const begin = this.#seen ?? 0;
    const found = hub.after(begin);
    // A slow reader has missed events that are no longer kept.
    if (found === undefined) return (this.#seen = undefined);
    const wanted = await this.#filterOf(found);
    for (const [at, placed] of found.entries()) {
      this.#seen = begin + at + 1;
      this.#position = placed.position;
      if (wanted(placed.event)) yield placed;
    }
  }

  // Who made their runs is read once for all of them.
  async #filterOf(found: readonly PlacedEvent[]): Promise<(event: PlatformEvent) => boolean> {
    const { wanted, callers } = this.#following;
    const { listener } = this.#parts;
    const asked = found.filter(({ event }) => wanted(event) && hangsOnCaller(event, listener.principal));
    const known = asked.length === 0 ? undefined : await callers.of(asked.map(({ event }) => event.run_id ?? ''));
    return (event) => wanted(event) && maySee(event, listener.principal, (runId) => known?.get(runId));
  }

  #textOf({ event, position }: PlacedEvent): string {
    this.#told = position;
    this.#sentAt = performance.now();
    return eventText({ event: event.type, id: this.#parts.hub.idOf(position), data: this.#following.shown(event) });
  }

  // An id alone moves the place to go on from, and is no event.
  #stillHere(): string {
    this.#sentAt = performance.now();
    return this.#told === this.#position ? ': still here\n\n' : `${this.#idText(this.#position)}\n`;
  }

  #idText(position: Position): string {
    this.#told = position;
    this.#sentAt = performance.now();
    return `id: ${this.#parts.hub.idOf(position)}\n`;
  }
}
