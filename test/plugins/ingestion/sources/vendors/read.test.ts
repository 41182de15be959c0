import { expect } from 'chai';
import {
  at,
  cut,
  isRecord,
  labelPairs,
  labelsOf,
  line,
  list,
  meaning,
  number,
  text,
  time,
} from '../../../../../plugins/ingestion/sources/vendors/read.ts';
import { severityOf } from '../../../../../plugins/ingestion/sources/vendors/severity.ts';

const value = { a: { b: ['x', { c: 1 }] }, none: null, word: 'abc' };

describe('reading a payload', () => {
  it('follows a path to its end, or finds nothing', () => {
    expect(at(value)).to.equal(value);
    expect(at(value, 'a', 'b', 1, 'c')).to.equal(1);
    for (const path of [['b'], ['none', 'x'], ['word', 'length'], ['a', 'b', 2], ['word', 0], ['constructor']])
      expect(at(value, ...path), path.join('.')).to.equal(undefined);
  });

  it('takes scalars as texts', () => {
    const found = ['', 'x', 7, 0, false, 12n, null, undefined, {}, []].map((one) => text([one], 0));
    expect(found).to.deep.equal([undefined, 'x', '7', '0', 'false', '12', undefined, undefined, undefined, undefined]);
    expect(text(['\ud800'], 0)).to.equal('\ufffd');
  });

  it('takes numbers, and texts that are numbers', () => {
    const found = [7, '7', ' 7.5 ', '', ' ', 'x', Infinity, 'Infinity', NaN, true, null, [3]].map((one) =>
      number([one], 0),
    );
    const none = Array.from({ length: 9 }, () => undefined);
    expect(found).to.deep.equal([7, 7, 7.5, ...none]);
  });

  it('takes lists, and nothing else for one', () => {
    expect(list({ a: [1] }, 'a')).to.deep.equal([1]);
    for (const one of [{ a: { length: 1 } }, { a: 'x' }, {}]) expect(list(one, 'a')).to.deep.equal([]);
  });

  it('knows the words of a table alone', () => {
    expect(meaning({ a: 1 }, 'a')).to.equal(1);
    for (const word of ['b', 'toString', undefined]) expect(meaning({ a: 1 }, word)).to.equal(undefined);
  });

  it('knows an object', () => {
    expect([{}, [], null, 'x', undefined].map(isRecord)).to.deep.equal([true, false, false, false, false]);
  });
});

describe('labels', () => {
  it('are the scalars of an object', () => {
    expect(labelsOf({ a: { b: 'x', c: {}, d: '' } }, 'a')).to.deep.equal({ b: 'x' });
    for (const other of [['x'], 'text', null]) expect(labelsOf(other)).to.deep.equal({});
  });

  it('keep the first of a name, and no empty name', () => {
    const pairs = [
      ['a', '1'],
      ['a', '2'],
      ['', 'x'],
      ['b', undefined],
      ['b', '3'],
      ['__proto__', 'x'],
    ] as const;
    expect(labelPairs(pairs)).to.deep.equal({ a: '1', b: '3' });
  });

  it('are 64, each of a limited length', () => {
    const many = Array.from({ length: 65 }, (_, index) => [`l${index}`, 'x'] as const);
    expect(Object.keys(labelPairs(many.slice(0, 64)))).to.have.length(64);
    expect(Object.keys(labelPairs(many))).to.deep.equal(many.slice(0, 64).map(([name]) => name));
    const [[name, label] = ['', '']] = Object.entries(labelPairs([['n'.repeat(65), 'v'.repeat(257)]]));
    expect([name.length, label.length]).to.deep.equal([64, 256]);
  });
});

describe('texts', () => {
  it('are cut above their limit', () => {
    expect([cut('abc', 3), cut('abcd', 3)]).to.deep.equal(['abc', 'abc']);
    expect([line(' a\tb ', 3), line('abcd', 3)]).to.deep.equal(['a b', 'abc']);
  });

  it('are severities without spaces, in any case', () => {
    expect([severityOf(' Critical '), severityOf('MAJOR'), severityOf('odd'), severityOf(undefined)]).to.deep.equal([
      ...['critical', 'high', undefined, undefined],
    ]);
  });
});

describe('times', () => {
  const begin = Date.UTC(2000, 0, 1);
  const end = Date.UTC(2200, 0, 1);
  const rows: readonly (readonly [unknown, number | undefined])[] = [
    [begin, begin],
    [begin - 1, undefined],
    [end - 1, end - 1],
    [end, undefined],
    [begin / 1000, begin],
    [1e11 - 1, undefined],
    [1e11, undefined],
    [4_102_444_800, 4_102_444_800_000],
    [1e12, 1e12],
    [1e15, 1e12],
    [1e18, 1e12],
    [1_763_712_000_000.4, 1_763_712_000_000],
    ['946684800', begin],
    ['946684800.5', begin + 500],
    ['12345678', undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [0, undefined],
    ['2026-13-40T00:00:00Z', undefined],
    [-Infinity, undefined],
    [true, undefined],
    [' 2026-11-20T10:00:00Z ', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20t10:00:00z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20 10:00:00.5 +0200', Date.UTC(2026, 10, 20, 8, 0, 0, 500)],
    ['2026-11-20T10:00:00-02:30', Date.UTC(2026, 10, 20, 12, 30)],
    ['2026-11-20T10:00:00.123456789Z', Date.UTC(2026, 10, 20, 10, 0, 0, 123)],
    ['2026-11-20T10:00', undefined],
    ['2026-11-20', undefined],
  ];
  for (const [form, expected] of rows)
    it(`reads ${JSON.stringify(form) ?? String(form)}${typeof form === 'number' && !Number.isFinite(form) ? String(form) : ''}`, () => {
      expect(time(form)).to.equal(expected);
    });
});
