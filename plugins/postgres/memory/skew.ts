import type { Skew } from '../../../kernel/engine.ts';

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
