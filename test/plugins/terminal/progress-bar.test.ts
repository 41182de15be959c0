import { mock } from 'node:test';
import { expect } from 'chai';
import { ProgressBar } from '../../../plugins/terminal/progress-bar.ts';

const erase = '\r\u001b[K';

function barOn(columns?: number) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const screen = { write: (text: string) => written.push(text), ...(columns === undefined ? {} : { columns }) };
  return { written, clock, bar: new ProgressBar(screen, () => clock.ms) };
}

describe('the progress bar of a long check', () => {
  it('appears after two seconds, is drawn ten times a second at most, and is erased at the end', () => {
    const { written, clock, bar } = barOn();
    const progress = bar.part('orb.example/log');
    for (const [ms, done] of [
      [0, 1],
      [1999, 10],
      [2000, 25],
      [2099, 30],
      [2100, 50],
      [2101, 100],
    ] as const) {
      clock.ms = ms;
      progress(done, 100);
    }
    expect(written).to.deep.equal([
      `${erase}orb.example/log [######------------------] 25%`,
      `${erase}orb.example/log [############------------] 50%`,
      erase,
    ]);
  });

  it('writes nothing about short work, also when it is cleared', () => {
    const { written, clock, bar } = barOn();
    const progress = bar.part('a');
    clock.ms = 1500;
    progress(1, 2);
    progress(2, 2);
    bar.clear();
    expect(written).to.deep.equal([]);
  });

  it('fits the terminal, and shows control characters of a name as spaces', () => {
    for (const columns of [1, 2, 20, 34, 50]) {
      const { written, clock, bar } = barOn(columns);
      clock.ms = 3000;
      bar.part('a\u001b[2J\nlong name of a log of a stranger')(1, 2);
      const line = (written[0] ?? '').slice(erase.length);
      expect([...line].length, String(columns)).to.be.below(columns);
      expect(line).not.to.match(/\p{Cc}/u);
    }
  });

  it('counts work whose size is unknown', () => {
    const { written, clock, bar } = barOn(30);
    for (const [ms, rows] of [
      [1000, '10 rows'],
      [2000, '12,345 rows'],
      [2050, '12,400 rows'],
    ] as const) {
      clock.ms = ms;
      bar.count('copying runtime_runs_of_a_long_name')(rows);
    }
    bar.clear();
    expect(written).to.deep.equal([`${erase}copying runtime_runs_of_a_lo…`, erase]);
    clock.ms = 5000;
    bar.count('copying runs')('9 rows');
    expect(written.at(-1)).to.equal(`${erase}copying runs: 9 rows`);
  });

  it('says each second how long something takes, until it has ended', () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const { written, clock, bar } = barOn();
      const end = bar.wait('policy replay');
      for (const ms of [1000, 2000, 3000]) {
        clock.ms = ms;
        mock.timers.tick(1000);
      }
      end();
      mock.timers.tick(5000);
      expect(written).to.deep.equal([`${erase}policy replay: 2 s`, `${erase}policy replay: 3 s`, erase]);
    } finally {
      mock.timers.reset();
    }
  });

  it('is drawn on a terminal that reports no columns', () => {
    const { written, clock, bar } = barOn(0);
    clock.ms = 3000;
    bar.part('a log')(1, 2);
    expect(written[0]).to.include('a log').and.to.include('50');
  });
});
