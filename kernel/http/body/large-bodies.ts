import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../error.ts';
import type { Clock } from '../../tools/clock.ts';
import { createThread, type Thread } from '../../thread.ts';
import { textOfJson } from './json.ts';
import { join, type Pieces } from './pieces.ts';

/** Most bytes of a JSON body that the thread that serves examines itself. */
export const mostExaminedHere = 64 * 1024;

const MiB = 1024 * 1024;

/** Most bytes of bodies that are being read: of one caller, of all with a key, and of all without. */
const mostRead = { ofCaller: 32 * MiB, keyed: 256 * MiB, open: 128 * MiB } as const;

/** Bounds the memory that large bodies take while they arrive, which a client can make last for a minute. */
export class BodyRoom {
  readonly #taken = { keyed: 0, open: 0 };
  readonly #ofCaller = new Map<string, number>();

  /**
   * Reserves memory for a body; the function that is returned frees it. Throws 503 `overloaded` when the caller, or all
   * together, have too much. `open`: the caller has no key.
   */
  take(caller: string, bytes: number, { open }: { readonly open: boolean }): () => void {
    const pool = open ? 'open' : 'keyed';
    const own = this.#ofCaller.get(caller) ?? 0;
    if (own + bytes > mostRead.ofCaller || this.#taken[pool] + bytes > mostRead[pool])
      throw later('overloaded', 'the server is reading too many large bodies');
    this.#taken[pool] += bytes;
    this.#ofCaller.set(caller, own + bytes);
    return () => {
      this.#taken[pool] -= bytes;
      const left = (this.#ofCaller.get(caller) ?? bytes) - bytes;
      if (left <= 0) this.#ofCaller.delete(caller);
      else this.#ofCaller.set(caller, left);
    };
  }
}

function later(code: 'rate_limited' | 'overloaded', why: string): PlatformError {
  return new PlatformError(code, `${why}; send the request again later`, { retry_after: 1 });
}

/** Most bytes that wait, of one caller and in all. */
const mostWaiting = { ofCaller: 16 * MiB, inAll: 64 * MiB } as const;
// After a body that kept the serving thread busy for a millisecond, its caller waits for 20, and all others for 3.
const restOfCaller = 20;
const restOfAll = 3;
// After a body that was refused, its caller waits for twice the time in which it was examined.
const restOfRefused = 2;

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Line {
  readonly waiting: Waiting[];
  bytes: number;
  /** Milliseconds of the monotonic clock before which the caller has no turn. */
  restsUntil: number;
}

/** Examines a body in another thread: rejects when it is not acceptable, cuts one of many members into pieces. */
type Examiner = Pick<Thread<{ readonly bytes: Uint8Array }, Pieces | undefined>, 'run' | 'stop'>;

const startExaminer = (): Examiner =>
  createThread({
    start: () => new Worker(new URL('./large-body-worker.ts', import.meta.url), { name: 'bodies' }),
    waiting: 1,
    limitMs: 10_000,
  });

/**
 * Parses large JSON bodies: another thread examines them, callers take turns, and each rests after its turn for as long
 * as its body kept the serving thread busy, many times over. So large bodies of one caller do not slow down others.
 */
export class LargeBodies {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #thread: Examiner;
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #bytes = 0;
  #running = false;

  constructor({ clock, thread = startExaminer() }: { clock: Pick<Clock, 'monotonic'>; thread?: Examiner }) {
    this.#clock = clock;
    this.#thread = thread;
  }

  /**
   * Parses a body as `parseBody` does. Rejects also with 429 `rate_limited` when too many bodies of the caller wait, 503
   * `overloaded` when too many wait in all.
   */
  parse(caller: string, bytes: Buffer): Promise<unknown> {
    const line = this.#lines.get(caller) ?? { waiting: [], bytes: 0, restsUntil: 0 };
    if (line.bytes + bytes.length > mostWaiting.ofCaller)
      return Promise.reject(later('rate_limited', 'too many large bodies of this caller are waiting'));
    if (this.#bytes + bytes.length > mostWaiting.inAll)
      return Promise.reject(later('overloaded', 'too many large bodies are waiting'));
    this.#lines.set(caller, line);
    line.bytes += bytes.length;
    this.#bytes += bytes.length;
    return new Promise((resolve, reject) => {
      line.waiting.push({ bytes, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  /** Ends the thread. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Nothing below rejects: the text parses, since it was examined.
    while (this.#bytes > 0) {
      const rest = await this.#serveNext();
      if (rest > 0) await pause(rest);
    }
    this.#running = false;
  }

  // Answers how long all rest then, ms. No body is held here meanwhile.
  async #serveNext(): Promise<number> {
    const now = this.#clock.monotonic();
    const next = this.#next(now);
    return next === undefined ? this.#untilNext(now) : await this.#serve(next[0], next[1]);
  }

  // Callers that have rested and wait for nothing are forgotten.
  #next(now: number): readonly [Line, Waiting] | undefined {
    for (const [caller, line] of this.#lines) {
      if (line.restsUntil > now) continue;
      this.#lines.delete(caller);
      const first = line.waiting.shift();
      if (first === undefined) continue;
      this.#lines.set(caller, line);
      line.bytes -= first.bytes.length;
      this.#bytes -= first.bytes.length;
      return [line, first];
    }
    return undefined;
  }

  #untilNext(now: number): number {
    let least = 1000;
    for (const { waiting, restsUntil } of this.#lines.values())
      if (waiting.length > 0) least = Math.min(least, restsUntil - now);
    return Math.max(1, least);
  }

  async #serve(line: Line, { bytes, resolve, reject }: Waiting): Promise<number> {
    const now = (): number => this.#clock.monotonic();
    const begun = now();
    let pieces: Pieces | undefined;
    try {
      pieces = await this.#thread.run({ bytes });
    } catch (error) {
      line.restsUntil = now() + (now() - begun) * restOfRefused;
      reject(error);
      return 0;
    }
    // Its grammar was examined: this parses the same value.
    const [value, parsed] = await join(textOfJson(bytes), pieces, now);
    const there = now();
    resolve(value);
    // Synchronous work on the value counts too.
    await turn();
    const ms = parsed + (now() - there);
    line.restsUntil = now() + ms * restOfCaller;
    return ms * restOfAll;
  }
}
