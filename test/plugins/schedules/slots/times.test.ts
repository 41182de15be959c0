import { expect } from 'chai';
import { loadTimes, type SlotTimes } from '../../../../plugins/schedules/slots/times.ts';

/** Slots of one pattern after a moment, up to and around a change of the clocks. */
const changes: readonly (readonly [what: string, timezone: string, cron: string, after: string, slots: string])[] = [
  // 2026-03-29: 02:00–03:00 is skipped in Berlin; 2026-10-25: it comes twice.
  ['a skipped time', 'Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', '03-29T01:00 03-30T00:30'],
  ['two skipped times', 'Europe/Berlin', '0,30 2 * * *', '2026-03-28T12:00Z', '03-29T01:00 03-30T00:00'],
  ['a skipped time and the next', 'Europe/Berlin', '0 2,3 * * *', '2026-03-28T12:00Z', '03-29T01:00 03-30T00:00'],
  ['a skipped date', 'Europe/Berlin', '30 2 29 3 *', '2026-03-28T12:00Z', '03-29T01:00'],
  ['steps over a gap', 'Europe/Berlin', '*/20 * * * *', '2026-03-29T00:30Z', '03-29T00:40 03-29T01:00 03-29T01:20'],
  ['steps in a gap', 'Europe/Berlin', '*/20 2 * * *', '2026-03-28T12:00Z', '03-30T00:00 03-30T00:20'],
  ['a doubled time', 'Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', '10-25T00:30 10-26T01:30'],
  ['a doubled time, from within', 'Europe/Berlin', '30 2 * * *', '2026-10-25T01:10Z', '10-26T01:30'],
  [
    'steps of a doubled hour',
    'Europe/Berlin',
    '*/30 2 * * *',
    '2026-10-24T12:00Z',
    '10-25T00:00 10-25T00:30 10-26T01:00',
  ],
  ['each hour', 'Europe/Berlin', '0 * * * *', '2026-10-24T23:30Z', '10-25T00:00 10-25T01:00 10-25T02:00'],
  ['a skipped time', 'America/New_York', '30 2 * * *', '2026-03-07T12:00Z', '03-08T07:00 03-09T06:30'],
  ['a doubled time', 'America/New_York', '30 1 * * *', '2026-10-31T12:00Z', '11-01T05:30 11-02T06:30'],
  [
    'steps of a doubled hour',
    'America/New_York',
    '*/30 1 * * *',
    '2026-10-31T12:00Z',
    '11-01T05:00 11-01T05:30 11-02T06:00',
  ],
  // Half an hour: 2026-10-04 02:00–02:30 is skipped, 2026-04-05 01:30–02:00 comes twice.
  ['a skipped time', 'Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00Z', '10-03T15:30 10-04T15:15'],
  ['a doubled time', 'Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00Z', '04-04T14:45 04-05T15:15'],
  [
    'steps of a doubled half hour',
    'Australia/Lord_Howe',
    '*/15 1 * * *',
    '2026-04-04T14:20Z',
    '04-04T14:30 04-04T14:45 04-05T14:30',
  ],
  ['no date at all', 'UTC', '0 0 30 2 *', '2026-01-01T00:00Z', ''],
];

describe('the times of slots', () => {
  let times: SlotTimes;
  before(async () => (times = await loadTimes()));

  const slots = (cron: string, timezone: string, from: number, count: number): readonly number[] => {
    const found: number[] = [];
    for (let at: number | undefined = from; found.length < count;) {
      at = times.after({ cron, timezone }, at);
      if (at === undefined) break;
      found.push(at);
    }
    return found;
  };

  for (const [what, timezone, cron, after, wanted] of changes)
    it(`${timezone} ${cron}: ${what}`, () => {
      const list = wanted === '' ? [] : wanted.split(' ');
      const found = slots(cron, timezone, Date.parse(after), Math.max(1, list.length));
      expect(found.map((at) => new Date(at).toISOString().slice(5, 16))).to.deep.equal(list);
    });

  it('do not depend on where the computation begins', () => {
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])
      for (const cron of ['30 2 * * *', '*/20 * * * *', '*/20 1-3 * * *', '0,45 1,2 * * *']) {
        for (const change of ['2026-03-08', '2026-03-29', '2026-04-04', '2026-10-03', '2026-10-25', '2026-11-01']) {
          const from = Date.parse(change) - 86_400_000;
          const all = slots(cron, timezone, from, 250);
          for (let at = from; at < from + 2 * 86_400_000; at += 41 * 60_000)
            expect(times.after({ cron, timezone }, at), `${timezone} ${cron}`).to.equal(all.find((slot) => slot > at));
        }
      }
  });

  it('never go back, whatever the pattern', () => {
    for (const cron of ['59 23 31 12 MON#5', '0 0 29 2 *', '0 0 L * *', '0 0 15W * *', '@hourly', '1-59/7 */5 * * SUN'])
      for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
        const found = slots(cron, timezone, Date.parse('2026-01-01T00:00Z'), 20);
        expect(found).to.deep.equal([...new Set(found)].sort((one, other) => one - other));
      }
  });
});
