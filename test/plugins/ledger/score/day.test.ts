import { expect } from 'chai';
import { dayNumber, dayOf, dayText, minuteNumber, minutesOf } from '../../../../plugins/ledger/score/day.ts';

const noon = 20_000 * 86_400_000 + 43_200_000;

describe('days and minutes of the ledger', () => {
  it('are those of UTC, of a time or of a day, before 1970 too', () => {
    const times = ['1970-01-01T00:00:00Z', '1970-01-01T23:59:59.999Z', '1970-01-02T00:30:00+01:00', '1969-12-31'];
    expect(times.map(dayNumber)).to.deep.equal([0, 0, 0, -1]);
    expect(dayNumber('2026-01-01')).to.equal(20_454);
    expect(
      ['1970-01-01T00:00:59.999Z', '1970-01-01T00:01:00Z', '1970-01-02T00:00:00Z'].map(minuteNumber),
    ).to.deep.equal([0, 1, 1440]);
    expect([dayOf(noon), dayOf(0), dayOf(-1)]).to.deep.equal([20_000, 0, -1]);
  });

  it('are written as a date, and read back', () => {
    expect([dayText(0), dayText(20_454), dayText(-1)]).to.deep.equal(['1970-01-01', '2026-01-01', '1969-12-31']);
    expect(dayNumber(dayText(12_345))).to.equal(12_345);
  });

  it('go together: a day has 1,440 minutes', () => {
    expect(minutesOf(2)).to.deep.equal({ first: 2880, last: 4319 });
    expect(minutesOf(3).first).to.equal(minutesOf(2).last + 1);
  });

  for (const text of ['', 'yesterday', '2026-13-01', '2026-01-01T25:00:00Z'])
    it(`are not of '${text}'`, () => {
      expect(() => dayNumber(text)).to.throw(RangeError, 'not a time in RFC 3339');
      expect(() => minuteNumber(text)).to.throw(RangeError, 'not a time in RFC 3339');
    });
});
