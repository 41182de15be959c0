import { expect } from 'chai';
import { kindOf, testFiles } from './runner/files.ts';
import { costOf, lanesOf } from './runner/lanes.ts';

describe('the lanes of a run', () => {
  const files = testFiles();
  const cost = costOf(new Map());
  const lasts = (list: readonly string[], jobs: number): number =>
    list.reduce((sum, file) => sum + cost(file), 0) / jobs;

  it('run each file once', () => {
    const dealt = lanesOf(files, 4, cost).flatMap((lane) => lane.files);
    expect([...dealt].sort()).to.deep.equal([...files]);
  });

  it('start databases in one of them, half of the jobs at a time', () => {
    const lanes = lanesOf(files, 4, cost).filter((lane) => lane.files.some((file) => kindOf(file) === 'database'));
    expect(lanes.map(({ jobs }) => jobs)).to.deep.equal([2]);
  });

  it('take about the same time', () => {
    const [first = 0, second = 0] = lanesOf(files, 4, cost).map((lane) => lasts(lane.files, lane.jobs));
    expect(first / second).to.be.within(0.9, 1.1);
  });

  it('begin with the longest file', () => {
    for (const { files: list } of lanesOf(files, 4, cost))
      expect(list.map(cost)).to.deep.equal(list.map(cost).sort((one, other) => other - one));
  });

  it('have files, also when each file starts a database', () => {
    const list = files.filter((file) => kindOf(file) === 'database').slice(0, 3);
    expect(lanesOf(list, 4, cost).map((lane) => lane.files.length)).to.deep.equal([3]);
  });

  it('are one when nothing starts a database', () => {
    const few = files.filter((file) => kindOf(file) === 'function').slice(0, 20);
    expect(lanesOf(few, 4, cost).map(({ jobs }) => jobs)).to.deep.equal([4]);
  });
});
