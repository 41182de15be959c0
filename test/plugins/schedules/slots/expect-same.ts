import { expect } from 'chai';
import type { SlotTimes } from '../../../../plugins/schedules/slots/times.ts';
import { minutesOf, patterns, slotsByMinute } from './minutes.ts';

const hourMs = 3_600_000;

/** Compares the slots of all patterns around a moment, also when the computation begins in between. */
export function expectSame(times: SlotTimes, timezone: string, change: number): void {
  const [from, to] = [change - 4 * hourMs, change + 28 * hourMs];
  const minutes = minutesOf(timezone, from, to);
  for (const wanted of patterns) {
    const expected = slotsByMinute(minutes, wanted);
    const found: number[] = [];
    const pattern = { cron: wanted.cron, timezone };
    for (let at = times.after(pattern, from); at !== undefined && at <= to; at = times.after(pattern, at))
      found.push(at);
    const told = (list: readonly number[]): string[] => list.map((at) => new Date(at).toISOString());
    expect(told(found), `${timezone} ${wanted.cron}`).to.deep.equal(told(expected));
    for (const start of [change - 1, change, change + 1, change + 10 * 60_000, change - 10 * 60_000]) {
      const next = expected.find((at) => at > start);
      if (next !== undefined) expect(times.after(pattern, start), `${timezone} ${wanted.cron} ${start}`).to.equal(next);
    }
  }
}
