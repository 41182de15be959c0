import { expect } from 'chai';
import { timeBuiltins } from '../../../../plugins/policy/builtins/time.ts';

const builtins = timeBuiltins({ time_ns: '1767225600000000000' });
/** Calls a builtin; what it answers as JSON text is parsed. */
function ask(name: string, ...given: readonly unknown[]): unknown {
  const answer: unknown = builtins[name]?.(...(given as never[]));
  return answer instanceof ArrayBuffer ? Buffer.from(answer).toString().replace(/\0$/, '') : answer;
}
const noon = 1_767_268_800_000_000_000;

describe('the time builtins of policies', () => {
  for (const [text, ns] of [
    ['1970-01-01T00:00:00Z', '0'],
    ['1969-12-31T23:59:59Z', '-1000000000'],
    ['2026-01-01T12:00:00+01:00', '1767265200000000000'],
    ['2026-01-01T12:00:00.5Z', '1767268800500000000'],
    ['2026-01-01T12:00:00.123456789Z', '1767268800123456789'],
    ['2024-02-29T23:59:59Z', '1709251199000000000'],
    ['2262-04-11T23:47:16.854775807Z', '9223372036854775807'],
  ] as const)
    it(`time.parse_rfc3339_ns reads ${text}`, () => expect(ask('time.parse_rfc3339_ns', text)).to.equal(ns));

  for (const text of [
    ...['', '2026-01-01', '2026-01-01T12:00:00', '2026-01-01 12:00:00Z', '2026-01-01T12:00Z'],
    ...['2026-01-01T24:00:00Z', '2026-00-01T12:00:00Z', '2026-13-01T12:00:00Z', '2026-01-00T12:00:00Z'],
    ...['2026-02-29T12:00:00Z', '2026-04-31T12:00:00Z', '2026-01-01T12:60:00Z', '2026-01-01T12:00:61Z'],
  ])
    it(`time.parse_rfc3339_ns refuses '${text}'`, () =>
      expect(() => ask('time.parse_rfc3339_ns', text)).to.throw('the text is not an RFC 3339 time'));

  it('time.parse_rfc3339_ns refuses a time that 64 bits of nanoseconds cannot hold', () => {
    expect(() => ask('time.parse_rfc3339_ns', '2262-04-11T23:47:16.854775808Z')).to.throw('the time is out of range');
  });

  for (const [text, ns] of [
    ['0', 0],
    ['-0', 0],
    ['1h30m', 5_400_000_000_000],
    ['-1.5s', -1_500_000_000],
    ['+2ms', 2_000_000],
    ['3us', 3000],
    ['3µs', 3000],
    ['7ns', 7],
    ['.5m', 30_000_000_000],
  ] as const)
    it(`time.parse_duration_ns reads ${text}`, () => expect(ask('time.parse_duration_ns', text)).to.equal(ns));

  for (const text of ['', '1', '1d', 'h', '1h-1m', '. s', '1 h'])
    it(`time.parse_duration_ns refuses '${text}'`, () =>
      expect(() => ask('time.parse_duration_ns', text)).to.throw('the text is not a duration'));

  it('time.parse_duration_ns refuses what a number cannot hold exactly', () => {
    expect(ask('time.parse_duration_ns', '9007199254740991ns')).to.equal(Number.MAX_SAFE_INTEGER);
    expect(() => ask('time.parse_duration_ns', '9007199254740992ns')).to.throw('the duration is out of range');
  });

  it('the calendar is that of the zone: UTC unless one is named', () => {
    expect(ask('time.date', noon)).to.deep.equal([2026, 1, 1]);
    expect(ask('time.clock', noon)).to.deep.equal([12, 0, 0]);
    expect(ask('time.clock', [noon, ''])).to.deep.equal([12, 0, 0]);
    expect(ask('time.clock', [noon, 'Asia/Kolkata'])).to.deep.equal([17, 30, 0]);
    expect(ask('time.date', [noon, 'Pacific/Kiritimati'])).to.deep.equal([2026, 1, 2]);
    expect(ask('time.clock', noon - 12 * 3_600_000_000_000)).to.deep.equal([0, 0, 0]);
    expect(ask('time.weekday', noon)).to.equal('Thursday');
    expect(() => ask('time.date', [noon, 'Nowhere/City'])).to.throw('the time zone is not known');
  });

  it('the calendar ends where 64 bits of nanoseconds end', () => {
    expect(ask('time.date', 9_223_372_036_000_000_000)).to.deep.equal([2262, 4, 11]);
    expect(() => ask('time.date', 9_223_372_037_000_000_000)).to.throw('the time is out of range');
  });

  it('time.add_date adds years, months and days of UTC', () => {
    expect(ask('time.add_date', noon, 1, 1, 1)).to.equal(String(BigInt(Date.UTC(2027, 1, 2, 12)) * 1_000_000n));
    expect(ask('time.add_date', noon, 0, 0, -1)).to.equal(String(BigInt(Date.UTC(2025, 11, 31, 12)) * 1_000_000n));
    expect(() => ask('time.add_date', noon, 300, 0, 0)).to.throw('the time is out of range');
    expect(() => ask('time.add_date', noon, 1e9, 0, 0)).to.throw('the time is out of range');
  });

  it('time.now_ns is the frozen time', () => expect(ask('time.now_ns')).to.equal('1767225600000000000'));
});
