import type { Skew } from '../../../kernel/engine.ts';
import type { Bound } from '../connection/flush.ts';
import type { Session } from '../connection/session.ts';

const noticedMs = 2000;
const muteMs = 30_000;

/** One comparison of the two clocks. Milliseconds since the Unix epoch. */
export interface Compared {
  /** The clock of this machine before the question left, and after the answer came. */
  readonly sent: number;
  readonly heard: number;
  readonly database: number;
}

/**
 * Computes how far the clock of this machine is ahead, in milliseconds; negative: behind. The database read its own
 * between the question and the answer, so that less than that time shows nothing: 0.
 */
export function aheadBy({ database, heard, sent }: Compared): number {
  if (sent > database) return sent - database;
  return heard < database ? heard - database : 0;
}

/** Says what a distance means: 2 s are to be noticed, and with 30 s a process says times that are wrong. */
export function skewOf(aheadMs: number): Skew {
  const distance = Math.abs(aheadMs);
  if (distance > muteMs) return 'mute';
  return distance > noticedMs ? 'noticed' : 'none';
}

/** A comparison of the clocks, with the monotonic clock of the process at the same moments. Milliseconds. */
export interface Reading extends Compared {
  readonly monotonic: { readonly sent: number; readonly heard: number };
}

/**
 * The clock of the database as this process knows it: memory that its threads share. It runs on by the monotonic clock
 * between two readings, so that it stays right when the clock of the machine is set.
 */
export class DatabaseClock {
  /** For the other thread. */
  readonly buffer: SharedArrayBuffer;
  readonly #offset: Float64Array;
  /** From the monotonic clock of this thread to that of the process, which all threads have. */
  readonly #toProcess = monotonicOfProcess() - performance.now();

  constructor(buffer = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#offset = new Float64Array(buffer);
  }

  /**
   * Takes a reading. The database read its clock between the question and the answer, so the reading leaves a range: what
   * is known stays, unless it is outside; at first the clock of the machine is known.
   */
  tell({ database, heard, monotonic, sent }: Reading): void {
    const [earliest, latest] = [database - monotonic.heard, database + 1 - monotonic.sent];
    const known = this.#known() ?? (sent + heard) / 2 - (monotonic.sent + monotonic.heard) / 2;
    this.#offset[0] = Math.min(latest, Math.max(earliest, known));
  }

  /** Milliseconds since the Unix epoch; undefined before the first reading. */
  now(): number | undefined {
    const offset = this.#known();
    return offset === undefined ? undefined : Math.floor(performance.now() + this.#toProcess + offset);
  }

  /** Says how far a clock of the machine that shows `wall` now is from it. */
  skew(wall: number): Skew {
    const now = this.now();
    return now === undefined ? 'none' : skewOf(aheadBy({ sent: wall, heard: wall, database: now }));
  }

  #known(): number | undefined {
    const [offset = 0] = this.#offset;
    return offset === 0 ? undefined : offset;
  }
}

/** What a comparison of the clocks needs. */
export interface Comparison {
  /** Where it is noted what the clock of the database shows. */
  readonly clock?: DatabaseClock;
  /** The clock of the machine, milliseconds since the Unix epoch. */
  readonly wall?: () => number;
}

/**
 * Asks a question to which the row has `now`, the clock of the database; answers how far the clock of the machine is ahead
 * of it, in milliseconds. Undefined: there is no row.
 */
export async function compareClocks(
  session: Pick<Session, 'flush'>,
  question: Bound,
  { clock, wall = Date.now }: Comparison,
): Promise<number | undefined> {
  const asked = { sent: wall(), monotonic: monotonicOfProcess() };
  const [answer] = await session.flush([question]);
  const [row] = answer?.rows ?? [];
  if (row === undefined) return undefined;
  const compared = { sent: asked.sent, heard: wall(), database: Number(row['now']) };
  clock?.tell({ ...compared, monotonic: { sent: asked.monotonic, heard: monotonicOfProcess() } });
  return aheadBy(compared);
}

/** The monotonic clock that all threads of the process share, in milliseconds. */
export function monotonicOfProcess(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
