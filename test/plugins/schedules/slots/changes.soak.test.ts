import { expect } from 'chai';
import { loadTimes } from '../../../../plugins/schedules/slots/times.ts';
import { zoneOf } from '../../../../plugins/schedules/slots/zone.ts';
import { expectSame } from './expect-same.ts';

describe('slots at every kind of change of the clocks up to 2030', () => {
  it('are those of a count minute by minute', async function () {
    this.timeout(600_000);
    const times = await loadTimes();
    const end = Date.parse('2031-01-01');
    const kinds = new Map<string, readonly [timezone: string, at: number]>();
    for (const timezone of Intl.supportedValuesOf('timeZone')) {
      const zone = zoneOf(timezone);
      for (let since = Date.parse('2026-11-01'); ;) {
        const change = zone.changeBetween(since, end);
        if (change === undefined) break;
        since = change.at;
        const { at, before, after } = change;
        const shown = new Date(at + before);
        kinds.set(`${after - before} ${shown.toISOString().slice(11, 16)} ${new Date(at).getUTCHours()}`, [
          timezone,
          at,
        ]);
      }
    }
    console.log(`      ${kinds.size} kinds of change`);
    expect(kinds.size).to.be.greaterThan(10);
    for (const [timezone, at] of kinds.values()) expectSame(times, timezone, at);
  });
});
