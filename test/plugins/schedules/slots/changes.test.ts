import { expect } from 'chai';
import { loadTimes, type SlotTimes } from '../../../../plugins/schedules/slots/times.ts';
import { zoneOf } from '../../../../plugins/schedules/slots/zone.ts';
import { expectSame } from './expect-same.ts';

const hourMs = 3_600_000;

/** One zone of each kind of change. */
const kinds: readonly (readonly [what: string, timezone: string])[] = [
  ['a gap that ends at midnight', 'America/Nuuk'],
  ['a gap that begins at midnight', 'Africa/Cairo'],
  ['a gap that begins at midnight, in the south', 'America/Santiago'],
  ['a change around midnight UTC', 'Atlantic/Azores'],
  ['a doubled hour before midnight', 'Asia/Beirut'],
  ['a doubled hour after midnight', 'America/Havana'],
  ['two hours', 'Antarctica/Troll'],
  ['half an hour', 'Australia/Lord_Howe'],
  ['summer time as the standard', 'Europe/Dublin'],
];

describe('slots at a change of the clocks', () => {
  let times: SlotTimes;
  before(async () => (times = await loadTimes()));

  it('are not lost when the skipped hour ends at midnight', () => {
    const pattern = { cron: '30 23 * * *', timezone: 'America/Nuuk' };
    const from = Date.parse('2026-03-28T12:00Z');
    expect(new Date(times.after(pattern, from) ?? 0).toISOString()).to.equal('2026-03-29T01:00:00.000Z');
  });

  for (const [what, timezone] of kinds)
    it(`are those of a count minute by minute: ${timezone}, ${what}`, () => {
      const zone = zoneOf(timezone);
      let found = 0;
      for (let since = Date.parse('2026-12-01'); found < 2; found++) {
        const change = zone.changeBetween(since, since + 366 * 24 * hourMs);
        if (change === undefined) throw new Error(`${timezone} does not change its clocks`);
        expectSame(times, timezone, change.at);
        since = change.at;
      }
    });
});
