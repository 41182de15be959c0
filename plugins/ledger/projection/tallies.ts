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

/** Sums changes of counts. */
export class Summing implements TallySink {
  readonly #callerDays = new Map<string, CallerDayDelta>();
  readonly #minutes = new Map<string, MinuteDelta>();
  readonly #days = new Map<string, DayDelta>();

  callerDay(delta: CallerDayDelta): void {
    const key = `${delta.orb_id}/${delta.day}/${delta.caller}`;
    const sum = this.#callerDays.get(key);
    this.#callerDays.set(key, sum === undefined ? delta : addCallerDay(sum, delta));
  }

  minute(delta: MinuteDelta): void {
    const key = `${delta.orb_id}/${delta.minute}/${delta.provider}`;
    const sum = this.#minutes.get(key);
    const { n, fault } = delta;
    this.#minutes.set(key, sum === undefined ? delta : { ...sum, n: sum.n + n, fault: sum.fault + fault });
  }

  day(delta: DayDelta): void {
    const key = `${delta.orb_id}/${delta.day}/${delta.name}`;
    const sum = this.#days.get(key);
    this.#days.set(key, sum === undefined ? delta : { ...sum, n: sum.n + delta.n });
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

const counters = ['ok', 'fault', 'broken', 'fast', 'slow'] as const;

function addCallerDay(sum: CallerDayDelta, { ok, fault, broken, fast, slow }: CallerDayDelta): CallerDayDelta {
  return {
    ...sum,
    ...{ ok: sum.ok + ok, fault: sum.fault + fault, broken: sum.broken + broken },
    ...{ fast: sum.fast + fast, slow: sum.slow + slow },
  };
}

/** Counts in memory, for a replay: per Orb and cell. */
export class MemoryTallies implements Tallies, TallySink {
  readonly #callerDays = new Map<string, Map<string, { -readonly [K in keyof CallerDay]: CallerDay[K] }>>();
  readonly #minutes = new Map<string, Map<string, { minute: number; provider: string; n: number; fault: number }>>();

  callerDay({ orb_id, ...delta }: CallerDayDelta): void {
    const cell = cellOf(this.#callerDays, orb_id, `${delta.day}/${delta.caller}`, () => ({
      ...delta,
      ...{ ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 },
    }));
    for (const name of counters) cell[name] += delta[name];
  }

  minute({ orb_id, minute, provider, n, fault }: MinuteDelta): void {
    const cell = cellOf(this.#minutes, orb_id, `${minute}/${provider}`, () => ({ minute, provider, n: 0, fault: 0 }));
    cell.n += n;
    cell.fault += fault;
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
    const sums = new Map<string, { provider: string; n: number; fault: number }>();
    for (const { minute, provider, n, fault } of this.#minutes.get(orbId)?.values() ?? []) {
      if (minute < from || minute > to) continue;
      const sum = sums.get(provider) ?? { provider, n: 0, fault: 0 };
      sums.set(provider, sum);
      sum.n += n;
      sum.fault += fault;
    }
    return [...sums.values()];
  }
}

function cellOf<T>(all: Map<string, Map<string, T>>, orbId: string, key: string, make: () => T): T {
  const cells = all.get(orbId) ?? new Map<string, T>();
  all.set(orbId, cells);
  const cell = cells.get(key) ?? make();
  cells.set(key, cell);
  return cell;
}
