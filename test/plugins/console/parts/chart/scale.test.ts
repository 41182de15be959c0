import { expect } from 'chai';
import { dayMs, marksTo, startsOf, timesOn } from '../../../../../plugins/console/app/parts/chart/scale.ts';

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);

describe('the scale of a chart', () => {
  for (const [highest, least, marks] of [
    [0, 0, [0, 0.5, 1]],
    [3, 1, [0, 1, 2, 3]],
    [1, 1, [0, 1]],
    [4.2, 0, [0, 2, 4, 6]],
    [0.07, 0, [0, 0.02, 0.04, 0.06, 0.08]],
    [1000, 0, [0, 500, 1000]],
    [97, 0, [0, 50, 100]],
    [1, 0, [0, 0.5, 1]],
  ] as const)
    it(`has round marks up to ${highest}, at least ${least} apart`, () =>
      expect(marksTo(highest, least)).to.deep.equal(marks));

  it('has at most five marks, the last not below the value', () => {
    for (let highest = 0.001; highest < 1e9; highest *= 1.37) {
      const marks = marksTo(highest);
      expect(marks.length, String(highest)).to.be.within(2, 5);
      expect(marks.at(-1), String(highest)).to.be.at.least(highest);
    }
  });

  it('has a start for each step', () => {
    expect(startsOf({ from: 0, to: hourMs, step: hourMs / 4 })).to.deep.equal([0, 900_000, 1_800_000, 2_700_000]);
    expect(startsOf({ from: 0, to: 0, step: hourMs })).to.deep.equal([0]);
  });

  it('has times that are round in the zone, as many as have their place', () => {
    const day = { from: at('2026-11-28T12:15:00Z'), to: at('2026-11-29T12:15:00Z'), step: 900_000 };
    const shown = (offset: number, most: number) =>
      timesOn(day, most, offset).map((time) => new Date(time).toISOString().slice(5, 16));
    expect(shown(0, 4)).to.deep.equal(['11-28T18:00', '11-29T00:00', '11-29T06:00', '11-29T12:00']);
    expect(shown(-2 * hourMs, 4)).to.deep.equal(['11-28T16:00', '11-28T22:00', '11-29T04:00', '11-29T10:00']);
    expect(timesOn({ from: 0, to: 90 * dayMs, step: dayMs }, 4, 0)).to.deep.equal(
      [0, 30, 60, 90].map((n) => n * dayMs),
    );
  });
});
