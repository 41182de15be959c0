import { setTimeout as delay } from 'node:timers/promises';
import { OwnerLost } from '../../../kernel/engine.ts';
import { NotCommitted, Refused, SessionLost } from './flush.ts';

// Errors that another transaction caused: serialization failure, deadlock, a lock that was not to be had.
const passing = new Set(['40001', '40P01', '55P03']);
// Errors of the server and not of a statement: its disk is full, its memory, its files.
const storageFaults = /^(53|58|XX)/;

/** The committed state cannot be read: nothing more can be committed. */
export class StateLost extends Error {}

/** Says whether nothing was committed and a retry can succeed without interference. */
export function isPassing(error: unknown): boolean {
  return error instanceof NotCommitted || (error instanceof Refused && passing.has(error.code));
}

/** Says whether a lock was not to be had in time. */
export function isLocked(error: unknown): boolean {
  return error instanceof Refused && error.code === '55P03';
}

// Errors of one statement among others: the same statement succeeds when it is sent again.
const disturbed = new Set(['40001', '40P01']);
// The server has no room, was told to end the statement, or cannot read its files.
const unavailable = /^(53|57|58)/;

/** Says whether a read is to be sent again at once: another transaction disturbed it. */
export function isDisturbed(error: unknown): error is Refused {
  return error instanceof Refused && disturbed.has(error.code);
}

/** Says whether a read was refused that succeeds later: nothing is wrong with its statement. */
export function isUnavailable({ code }: Refused): boolean {
  return passing.has(code) || unavailable.test(code);
}

/** Says whether an error concerns the server itself, so that it fails a whole batch. */
export function isStorageFault({ code }: Refused): boolean {
  return storageFaults.test(code);
}

/** Does work; does it again, each time after a longer pause, when it fails in a way that passes. */
export async function repeated<T>(
  attempts: number,
  work: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error) || attempt === attempts) throw error;
      await delay(attempt);
    }
  }
}

/** Says whether an error concerns more than one write. */
export function isFatal(error: unknown): boolean {
  if (error instanceof Refused) return passing.has(error.code) || isStorageFault(error);
  return [NotCommitted, OwnerLost, SessionLost, StateLost].some((kind) => error instanceof kind);
}
