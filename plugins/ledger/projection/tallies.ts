import { whenKnown, type Awaitable } from '../../../kernel/index.ts';
import type { ProviderMinutes } from '../score/debt.ts';
import type { CallerDay } from '../score/totals.ts';

/** A raw count of an Orb's day, separate from its callers' counts: excluded from the score, but published. */
export type DayCounter =
  | 'caller_fault'
  | 'caller_deadline'
  | 'policy_denied'
  | 'platform_fault'
  | 'sandbox'
  | 'self'
  | 'unattributed'
  | 'resolved_ok'
  | 'swaps';

/** A change of the raw counts of one caller on one day. */
type CallerDayDelta = CallerDay & { readonly orb_id: string };

/** A change of the counts of one minute at one provider. */
interface MinuteDelta extends ProviderMinutes {
  readonly orb_id: string;
  /** Since the epoch. */
  readonly minute: number;
}

/** A change of one count of an Orb's day. */
export interface DayDelta {
  readonly orb_id: string;
  /** Since the epoch. */
  readonly day: number;
  readonly name: DayCounter;
  readonly n: number;
}

/** Receives changes of counts; they are only added, so their order does not matter. */
export interface TallySink {
  callerDay(delta: CallerDayDelta): void;
  minute(delta: MinuteDelta): void;
  day(delta: DayDelta): void;
}

/** Minutes of an Orb, since the epoch, both ends included. */
export interface MinuteRange {
  readonly orb_id: string;
  readonly from: number;
  readonly to: number;
}

/** The raw counts of all Orbs; days and minutes since the epoch, both ends included. */
export interface Tallies {
  callerDays(orbId: string, from: number, to: number): Awaitable<readonly CallerDay[]>;
  /** The counts of each range, in their order. */
  minutesOf(ranges: readonly MinuteRange[]): Awaitable<readonly (readonly ProviderMinutes[])[]>;
}

/** Answers the counts of a range of minutes. */
export type Minutes = (orbId: string, from: number, to: number) => readonly ProviderMinutes[];

/**
 * Runs a computation on counts of minutes: reads all counts that it requests, then runs it again. The computation must
 * not change anything. Answers synchronously if the reads do, or if none is needed.
 */
export function withMinutes<T>(tallies: Pick<Tallies, 'minutesOf'>, compute: (minutes: Minutes) => T): Awaitable<T> {
  const known = new Map<string, readonly ProviderMinutes[]>();
  const attempt = (): Awaitable<T> => {
    const missing = new Map<string, MinuteRange>();
    const result = compute((orb_id, from, to) => {
      const name = `${orb_id} ${from} ${to}`;
      const counts = known.get(name);
      if (counts === undefined) missing.set(name, { orb_id, from, to });
      return counts ?? [];
    });
    if (missing.size === 0) return result;
    return whenKnown(tallies.minutesOf([...missing.values()]), (found) => {
      for (const [at, name] of [...missing.keys()].entries()) known.set(name, found[at] ?? []);
      return attempt();
    });
  };
  return attempt();
}

/** Changes of counts, summed per cell. */
export interface Sums {
  readonly callerDays: readonly CallerDayDelta[];
  readonly minutes: readonly MinuteDelta[];
  readonly days: readonly DayDelta[];
}

/** Names of the counts of a caller's day. */
export const callerCounts = ['ok', 'fault', 'broken', 'fast', 'slow'] as const;
/** Names of the counts of a minute. */
export const minuteCounts = ['n', 'fault'] as const;

// Adds counts to those of a cell.
function add<T extends object, N extends keyof T>(cells: Map<string, T>, key: string, delta: T, names: readonly N[]) {
  const cell = cells.get(key) as (T & Record<N, number>) | undefined;
  if (cell === undefined) cells.set(key, { ...delta });
  else for (const name of names) (cell[name] as number) += delta[name] as number;
}

/** Sums changes of counts. */
export class Summing implements TallySink {
  readonly #callerDays = new Map<string, CallerDayDelta>();
  readonly #minutes = new Map<string, MinuteDelta>();
  readonly #days = new Map<string, DayDelta>();

  callerDay(delta: CallerDayDelta): void {
    add(this.#callerDays, `${delta.orb_id}/${delta.day}/${delta.caller}`, delta, callerCounts);
  }

  minute(delta: MinuteDelta): void {
    add(this.#minutes, `${delta.orb_id}/${delta.minute}/${delta.provider}`, delta, minuteCounts);
  }

  day(delta: DayDelta): void {
    add(this.#days, `${delta.orb_id}/${delta.day}/${delta.name}`, delta, ['n']);
  }

  /** Returns the sums and starts new ones. */
  take(): Sums {
    const sums = {
      callerDays: [...this.#callerDays.values()],
      minutes: [...this.#minutes.values()],
      days: [...this.#days.values()],
    };
    this.#callerDays.clear();
    this.#minutes.clear();
    this.#days.clear();
    return sums;
  }
}

/** Counts in memory, for a replay: per Orb and cell. */
export class MemoryTallies implements Tallies, TallySink {
  readonly #callerDays = new Map<string, Map<string, CallerDay>>();
  readonly #minutes = new Map<string, Map<string, Omit<MinuteDelta, 'orb_id'>>>();

  callerDay({ orb_id, ...delta }: CallerDayDelta): void {
    add(cellsOf(this.#callerDays, orb_id), `${delta.day}/${delta.caller}`, delta, callerCounts);
  }

  minute({ orb_id, ...delta }: MinuteDelta): void {
    add(cellsOf(this.#minutes, orb_id), `${delta.minute}/${delta.provider}`, delta, minuteCounts);
  }

  // No score uses the counts of excluded runs.
  day(_: DayDelta): void {}

  callerDays(orbId: string, from: number, to: number): readonly CallerDay[] {
    return [...(this.#callerDays.get(orbId)?.values() ?? [])].filter(({ day }) => day >= from && day <= to);
  }

  minutesOf(ranges: readonly MinuteRange[]): readonly (readonly ProviderMinutes[])[] {
    return ranges.map(({ orb_id, from, to }) => this.#minutesIn(orb_id, from, to));
  }

  #minutesIn(orbId: string, from: number, to: number): readonly ProviderMinutes[] {
    const sums = new Map<string, ProviderMinutes>();
    for (const { minute, ...counts } of this.#minutes.get(orbId)?.values() ?? [])
      if (minute >= from && minute <= to) add(sums, counts.provider, counts, minuteCounts);
    return [...sums.values()];
  }
}

function cellsOf<T>(all: Map<string, Map<string, T>>, orbId: string): Map<string, T> {
  const cells = all.get(orbId) ?? new Map<string, T>();
  all.set(orbId, cells);
  return cells;
}
