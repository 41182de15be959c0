/** The stored heartbeat of one process. */
export interface NodeBeat {
  /** Ms since 1970. */
  readonly last_at: number;
  /** It was written during a clean stop. */
  readonly clean: boolean;
}

/** How often a process writes that it lives unless the settings of a single one say otherwise, ms. */
export const beatMs = 10_000;
/** Silence of so many beats or less is not recorded. */
export const silentBeats = 3;

/** Kind of a time without a heartbeat: too short to record, a planned restart, or an outage. */
export type Gap =
  | { readonly kind: 'none' }
  | { readonly kind: 'planned' | 'outage'; readonly from: number; readonly to: number };

/**
 * Classifies the time (ms) between the last heartbeat and now; there is one `everyMs`. Longer than three beats it is a planned restart if the
 * last process ended cleanly and the new one started within `graceMs`, else an outage. A clock that was set back makes
 * no gap.
 */
export function gapBefore(now: number, last: NodeBeat | undefined, graceMs: number, everyMs = beatMs): Gap {
  if (last === undefined || now - last.last_at <= silentBeats * everyMs) return { kind: 'none' };
  const planned = last.clean && now - last.last_at <= graceMs;
  return { kind: planned ? 'planned' : 'outage', from: last.last_at, to: now };
}

/** One beat of one of several processes. */
export interface BesideBeat {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The first of the process; `graceMs`: how long a planned restart may take. */
  readonly starts?: { readonly graceMs: number };
  /** The process was not there either: only the clock went on. */
  readonly slept: boolean;
}

// A process that had missed a beat was gone already when the last one left.
const missedMs = 1.5 * beatMs;

/**
 * Classifies the time between the last heartbeat of any process and one of them now: there is no gap while one was
 * there. It was planned when all that were there to the end had left cleanly.
 */
export function gapBeside(beats: readonly NodeBeat[], { at, slept, starts }: BesideBeat): Gap {
  if (beats.length === 0) return { kind: 'none' };
  const last_at = Math.max(...beats.map((beat) => beat.last_at));
  if (starts === undefined) return gapBefore(at, { last_at, clean: slept }, Infinity);
  const clean = beats.filter((beat) => beat.last_at > last_at - missedMs).every((beat) => beat.clean);
  return gapBefore(at, { last_at, clean }, starts.graceMs);
}

/** The status of all services in a time without a heartbeat. */
export function statusIn({ kind }: Exclude<Gap, { kind: 'none' }>): 'under_maintenance' | 'major_outage' {
  return kind === 'planned' ? 'under_maintenance' : 'major_outage';
}
