import type { Cron } from 'croner';

/** The pattern of a schedule: five fields of cron, in a time zone. */
export interface Pattern {
  readonly cron: string;
  /** Of the IANA time zone database. */
  readonly timezone: string;
}

/** Computes the times of slots. */
export interface SlotTimes {
  /** Returns the first slot after a moment, ms; undefined: there is none. Throws for a pattern that has faults. */
  after(pattern: Pattern, ms: number): number | undefined;
}

/** A pattern with its wall clock. */
interface Entry {
  readonly cron: Cron;
  /** Formats the wall clock of the time zone; only where the pattern names hours. */
  readonly wall: Intl.DateTimeFormat | undefined;
  /** The newest answer: of any moment from the one up to the other, this is the next slot. */
  known: { readonly from: number; readonly at: number };
}

// Patterns that stay compiled.
const mostKept = 2000;
// Zones set their clocks back by an hour, or by half an hour.
const shiftsMs = [3_600_000, 1_800_000];

let loading: Promise<SlotTimes> | undefined;

/** Loads croner when the first schedule needs it. */
export function loadTimes(): Promise<SlotTimes> {
  return (loading ??= load());
}

async function load(): Promise<SlotTimes> {
  const { Cron: Compiled } = await import('croner');
  const entries = new Map<string, Entry>();
  const entryOf = ({ cron, timezone }: Pattern): Entry => {
    const name = `${timezone} ${cron}`;
    const known = entries.get(name);
    if (known !== undefined) return known;
    // Fields without a wildcard are times of a day: in a skipped hour they move to its end, in a doubled one they count once.
    const compiled = new Compiled(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
    const wall = namesHours(cron) ? wallOf(timezone) : undefined;
    const entry: Entry = { cron: compiled, wall, known: { from: 0, at: 0 } };
    if (entries.size >= mostKept) entries.clear();
    entries.set(name, entry);
    return entry;
  };
  return {
    after(pattern, ms) {
      const entry = entryOf(pattern);
      const { from, at: next } = entry.known;
      // Thousands of schedules have the same pattern, and a computation takes a part of a millisecond.
      if (from <= ms && ms < next) return next;
      const at = computed(entry, ms);
      if (at !== undefined) entry.known = { from: ms, at };
      return at;
    },
  };
}

function computed({ cron, wall }: Entry, ms: number): number | undefined {
  for (let last = ms; ;) {
    const at = cron.nextRun(new Date(last))?.getTime();
    if (at === undefined || at <= last) return undefined;
    if (wall === undefined || !isRepeated(wall, at)) return at;
    last = at;
  }
}

function namesHours(cron: string): boolean {
  const [, hours = '*'] = cron.trim().split(/\s+/);
  return hours !== '*' && hours !== '?' && !cron.startsWith('@');
}

function wallOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', {
    timeZone,
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
}

// The wall clock showed this minute before: it was set back in between.
function isRepeated(wall: Intl.DateTimeFormat, at: number): boolean {
  const shown = wall.format(at);
  return shiftsMs.some((shift) => wall.format(at - shift) === shown);
}
