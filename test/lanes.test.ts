import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
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

describe('the soak', () => {
  const { scripts } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  /** The files of tests that a command names, without those that it ignores. */
  const namedBy = (command: string): readonly string[] => {
    const words = [...command.matchAll(/(--ignore )?'?(test\/[^\s']+)'?/g)];
    const patterns = (ignored: boolean) =>
      words.flatMap(([, option, pattern = '']) => ((option !== undefined) === ignored ? [pattern] : []));
    return globSync(patterns(false), { cwd: packageDir, exclude: patterns(true) });
  };

  it('runs each file of its tier by one of its commands, and each command names files that are there', () => {
    const commands = Object.entries(scripts).filter(([name]) => name.startsWith('soak:'));
    const run = new Set(commands.flatMap(([, command]) => namedBy(command)));
    expect(testFiles(['soak']).filter((file) => !run.has(file))).to.deep.equal([]);
    for (const [name, command] of commands)
      for (const [, pattern = ''] of command.matchAll(/'?(test\/[^\s']+\.ts)'?/g))
        expect(globSync(pattern, { cwd: packageDir }), `${name}: ${pattern}`).to.not.be.empty;
  });
});
