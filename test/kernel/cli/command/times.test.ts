import { expect } from 'chai';
import { readTime, type TimeKind } from '../../../../kernel/cli/command/times.ts';
import { shippedCommands } from '../../../../kernel/main.ts';

describe('times and spans in commands', () => {
  const now = Date.parse('2026-11-01T12:00:00Z');

  for (const [text, kind, wanted] of [
    ['30d', 'future', '2026-12-01T12:00:00.000Z'],
    ['2h', 'past', '2026-11-01T10:00:00.000Z'],
    ['1h30m', 'past', '2026-11-01T10:30:00.000Z'],
    ['now', 'past', '2026-11-01T12:00:00.000Z'],
    ['2026-12-01', 'future', '2026-12-01T00:00:00Z'],
    ['2026-12-01 08:15', 'future', '2026-12-01T08:15:00Z'],
    ['2026-12-01T08:15:30', 'past', '2026-12-01T08:15:30Z'],
    ['2026-12-01T08:00:00+02:00', 'past', '2026-12-01T08:00:00+02:00'],
    ['2m', 's', '120'],
    ['1500ms', 's', '1.5'],
    ['30s', 'ms', '30000'],
    ['0', 'ms', '0'],
    ['45', 's', '45'],
  ] as const satisfies readonly (readonly [string, TimeKind, string])[])
    it(`${text} (${kind}) is ${wanted}`, () => expect(readTime(text, kind, now)).to.equal(wanted));

  it('other texts are no times', () => {
    for (const text of [
      '',
      'soon',
      '30',
      '30x',
      '-2h',
      '2 h',
      '2026-02-30',
      '2026-13-01',
      '2026-12-01T25:00',
      '999999999w',
    ])
      expect(readTime(text, 'future', now), text).to.equal(undefined);
    expect(readTime('9999w', 'past', now)).to.equal(undefined);
    expect(readTime('soon', 's', now)).to.equal(undefined);
  });

  it('every option and argument that takes a time reads them', () => {
    const values = shippedCommands().flatMap(({ path, args = [], options = [] }) => [
      ...options.map(({ flag, time }) => ({ name: `${path} ${flag}`, time })),
      ...args.map(({ name, time }) => ({ name: `${path} <${name}>`, time })),
    ]);
    const untimed = values.filter(
      ({ name, time }) => time === undefined && /<(time|span|seconds|ms|\w+_at)>$/.test(name),
    );
    expect(untimed).to.deep.equal([]);
    expect(values.filter(({ time }) => time !== undefined).length).to.be.greaterThan(12);
  });
});
