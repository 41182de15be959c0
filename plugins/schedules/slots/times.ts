import type { Cron } from 'croner';
import { zoneOf, type Zone } from './zone.ts';

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
  /** Computes on wall clocks that never change: their times are given to it as UTC. */
  readonly cron: Cron;
  readonly zone: Zone;
  /** The pattern names hours: a time that the wall clock shows twice counts once. */
  readonly named: boolean;
  /** The pattern names minutes and hours: a time that the wall clock skips counts at the end of what is skipped. */
  readonly fixed: boolean;
  /** The newest answer: of any moment from the one up to the other, this is the next slot. */
  known: { readonly from: number; readonly at: number };
}

// Patterns that stay compiled.
const mostKept = 2000;
// A wall clock is set back by a day at most, as where a zone changes its side of the date line.
const longestBackMs = 86_400_000;

let loading: Promise<SlotTimes> | undefined;

/** Loads croner when the first schedule needs it. */
export function loadTimes(): Promise<SlotTimes> {
  return (loading ??= load());
}

async function load(): Promise<SlotTimes> {
  const { Cron: Compiled } = await import('croner');
  const entries = new Map<string, Entry>();
  const zones = new Map<string, Zone>();
  const entryOf = ({ cron, timezone }: Pattern): Entry => {
    const name = `${timezone} ${cron}`;
    const known = entries.get(name);
    if (known !== undefined) return known;
    const compiled = new Compiled(cron, { timezone: 'UTC', mode: '5-part', paused: true });
    const zone = zones.get(timezone) ?? zoneOf(timezone);
    const entry: Entry = { cron: compiled, zone, ...kindOf(cron), known: { from: 0, at: 0 } };
    if (entries.size >= mostKept) entries.clear();
    zones.set(timezone, zone);
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

// `@hourly` is the one name whose hours are not named.
function kindOf(cron: string): Pick<Entry, 'named' | 'fixed'> {
  const text = cron.trim().toLowerCase();
  if (text.startsWith('@')) return { named: text !== '@hourly', fixed: text !== '@hourly' };
  const [minutes = '*', hours = '*'] = text.split(/\s+/);
  return { named: hours !== '*' && hours !== '?', fixed: !/[*?]/.test(`${minutes}${hours}`) };
}

// Goes from one change of the clocks to the next: between two of them the wall clock runs as UTC does.
function computed({ cron, zone, named, fixed }: Entry, ms: number): number | undefined {
  let offset = zone.offsetAt(ms);
  let wall = ms + offset;
  let since = ms;
  for (;;) {
    const next = nextOn(cron, wall);
    if (next === undefined) return undefined;
    const at = next - offset;
    const change = zone.changeBetween(since, at);
    if (change === undefined) {
      const end = named ? endOfRepetition(zone, at) : undefined;
      if (end === undefined) return at;
      since = end - 1;
      wall = since + offset;
      continue;
    }
    const skipped = fixed ? nextOn(cron, change.at + change.before - 1) : undefined;
    if (skipped !== undefined && skipped < change.at + change.after) return change.at;
    offset = change.after;
    since = change.at;
    wall = since - 1 + offset;
  }
}

function nextOn(cron: Cron, wall: number): number | undefined {
  const next = cron.nextRun(new Date(wall))?.getTime();
  return next === undefined || next <= wall ? undefined : next;
}

// The wall clock was set back, and shows at this moment what it showed before; says when it shows new times again.
function endOfRepetition(zone: Zone, at: number): number | undefined {
  for (let since = at - longestBackMs; ;) {
    const change = zone.changeBetween(since, at);
    if (change === undefined) return undefined;
    const end = change.at + change.before - change.after;
    if (at < end) return end;
    since = change.at;
  }
}
