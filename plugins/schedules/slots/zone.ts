/** A change of the clocks of a time zone. Offsets are those of the wall clock from UTC, ms. */
interface ClockChange {
  /** The first moment with the new offset, ms. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The wall clock of a time zone. */
export interface Zone {
  /** Returns the offset at a moment. */
  offsetAt(ms: number): number;
  /** Returns the first change after a moment, up to and with another one. */
  changeBetween(after: number, upTo: number): ClockChange | undefined;
}

// No zone changes its clocks twice within a day.
const dayMs = 86_400_000;

/** Reads a zone of the IANA time zone database. Its changes are found once: schedules ask for the same ones. */
export function zoneOf(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const offsetAt = (ms: number): number => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(ms).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
  let changes: ClockChange[] = [];
  let examined = { from: 0, to: 0 };
  return {
    offsetAt,
    changeBetween(after, upTo) {
      if (after < examined.from || after > examined.to) {
        changes = [];
        // A look back from the next slot, or from a clock that is corrected a little, finds its changes too.
        examined = { from: after - 2 * dayMs, to: after - 2 * dayMs };
      }
      for (; examined.to < upTo; examined = { from: examined.from, to: examined.to + dayMs }) {
        const change = changeIn(offsetAt, examined.to, examined.to + dayMs);
        if (change !== undefined) changes.push(change);
      }
      return changes.find(({ at }) => at > after && at <= upTo);
    },
  };
}

function changeIn(offsetAt: Zone['offsetAt'], from: number, to: number): ClockChange | undefined {
  const before = offsetAt(from);
  const after = offsetAt(to);
  if (before === after) return undefined;
  let [still, changed] = [from, to];
  while (changed - still > 1) {
    const middle = Math.floor((still + changed) / 2);
    if (offsetAt(middle) === before) still = middle;
    else changed = middle;
  }
  return { at: changed, before, after };
}
