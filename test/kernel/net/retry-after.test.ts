import { expect } from 'chai';
import { httpDate, retryAfterOf } from '../../../kernel/net/retry-after.ts';

// Saturday
const now = Date.UTC(2026, 10, 21, 12);

const rows: readonly (readonly [string, string | readonly string[] | undefined, number | undefined])[] = [
  ['nothing', undefined, undefined],
  ['seconds', '7', 7],
  ['no seconds', '0', 0],
  ['white space around it', ' 7\t', 7],
  ['many seconds', '1000000001', 1_000_000_001],
  ['more digits than anybody writes', '9'.repeat(65), undefined],
  ['a sign', '-5', undefined],
  ['another sign', '+5', undefined],
  ['a fraction', '1.5', undefined],
  ['an exponent', '1e3', undefined],
  ['a hexadecimal number', '0x10', undefined],
  ['nothing but space', ' ', undefined],
  ['two numbers', '5, 7', undefined],
  ['the header twice', ['5', '7'], undefined],
  ['a date', 'Sat, 21 Nov 2026 12:01:30 GMT', 90],
  ['a date that is over', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['a date as RFC 850 has it', 'Saturday, 21-Nov-26 12:01:30 GMT', 90],
  ['a date as asctime writes it', 'Sat Nov 21 12:01:30 2026', 90],
  ['an asctime date with one digit', 'Tue Dec  1 12:00:00 2026', 864_000],
  ['a leap second', 'Thu, 31 Dec 2026 23:59:60 GMT', (Date.UTC(2027, 0, 1) - now) / 1000],
  ['a date without a zone', 'Sat, 21 Nov 2026 12:01:30', undefined],
  ['a date of another zone', 'Sat, 21 Nov 2026 12:01:30 +0100', undefined],
  ['a date of UTC', 'Sat, 21 Nov 2026 12:01:30 UTC', undefined],
  ['a date in RFC 3339', '2026-11-21T12:01:30Z', undefined],
  ['a date of a browser', 'Sat Nov 21 2026 12:01:30 GMT+0100', undefined],
  ['a day of the week that is wrong', 'Fri, 21 Nov 2026 12:01:30 GMT', undefined],
  ['a day that is not there', 'Mon, 30 Feb 2026 12:01:30 GMT', undefined],
  ['an hour that is not there', 'Sat, 21 Nov 2026 24:01:30 GMT', undefined],
  ['small letters', 'sat, 21 nov 2026 12:01:30 gmt', undefined],
  ['words', 'soon', undefined],
];

describe('Retry-After', () => {
  for (const [name, text, seconds] of rows)
    it(`${name}: ${seconds === undefined ? 'is not read' : 'is read'}`, () => {
      expect(retryAfterOf({ 'retry-after': text }, now)).to.equal(seconds);
    });

  it('as a date counts from the date of its answer, whatever the clock here says', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT', date: 'Sat, 21 Nov 2026 12:01:00 GMT' };
    for (const wrong of [0, now, now + 86_400_000]) expect(retryAfterOf(headers, wrong)).to.equal(30);
    expect(retryAfterOf({ ...headers, date: 'today' }, now)).to.equal(90);
  });

  it('reads the years of RFC 850 by the calendar of today', () => {
    expect(httpDate('Sunday, 06-Nov-94 08:49:37 GMT', now)).to.equal(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(httpDate('Saturday, 21-Nov-26 08:49:37 GMT', now)).to.equal(Date.UTC(2026, 10, 21, 8, 49, 37));
  });

  it('is read alike in every time zone', () => {
    const before = process.env['TZ'];
    try {
      for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
        process.env['TZ'] = zone;
        expect(retryAfterOf({ 'retry-after': 'Sat Nov 21 12:01:30 2026' }, now), zone).to.equal(90);
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
