import { expect } from 'chai';
import { patternFault } from '../../../../plugins/schedules/slots/faults.ts';
import { loadTimes } from '../../../../plugins/schedules/slots/times.ts';

const weekdays = '0 to 7 (SUN to SAT; 0 and 7 are Sunday, 1 is Monday)';

describe('the fault of a pattern', () => {
  const rows: readonly (readonly [cron: string, fault: string])[] = [
    ['0 0 * * 8', `the weekday 8 is out of range; allowed: ${weekdays}`],
    ['0 0 * * MON-9', `the weekday 9 is out of range; allowed: ${weekdays}`],
    ['0 0 * * 1,12', `the weekday 12 is out of range; allowed: ${weekdays}`],
    ['0 0 32 * *', 'the day of the month 32 is out of range; allowed: 1 to 31 (L for the last day)'],
    ['0 0 0 * *', 'the day of the month 0 is out of range; allowed: 1 to 31 (L for the last day)'],
    ['0 0 * 13 *', 'the month 13 is out of range; allowed: 1 to 12 (JAN to DEC)'],
    ['60 * * * *', 'the minute 60 is out of range; allowed: 0 to 59'],
    ['* 20-24 * * *', 'the hour 24 is out of range; allowed: 0 to 23'],
    ['0 0 * * SUN#6', 'SUN#6 names week 6 of the month; the weeks are 1 to 5, and L is the last'],
    ['0 0 * *', 'it has 4 fields'],
    ['0 0 * * * *', 'it has 6 fields'],
  ];
  for (const [cron, fault] of rows)
    it(`of ${cron} is told in its own numbers`, () => {
      expect(patternFault(cron)).to.equal(fault);
    });

  for (const cron of [
    '0 0 * * 7',
    '*/15 0-23/2 1,15,L * MON#1',
    '0 0 31 12 0-6',
    '@daily',
    '0 0 15W JAN-DEC ?',
    '0 0 * * FRI#L',
  ])
    it(`is none of ${cron}`, async () => {
      expect(patternFault(cron)).to.equal(undefined);
      expect((await loadTimes()).after({ cron, timezone: 'UTC' }, 0)).to.be.a('number');
    });

  it('is none where a day of the month and a weekday are named: either is enough, and 0 and 7 are Sunday', async () => {
    const times = await loadTimes();
    const days = (cron: string): string[] => {
      const found: string[] = [];
      for (let at = Date.parse('2026-11-01T12:00Z'); found.length < 3;) {
        at = times.after({ cron, timezone: 'UTC' }, at) ?? 0;
        found.push(new Date(at).toISOString().slice(5, 10));
      }
      return found;
    };
    expect(days('0 0 13 * FRI')).to.deep.equal(['11-06', '11-13', '11-20']);
    expect(days('0 0 5 * 0')).to.deep.equal(['11-05', '11-08', '11-15']);
    expect(days('0 0 5 * 7')).to.deep.equal(days('0 0 5 * 0'));
  });
});
