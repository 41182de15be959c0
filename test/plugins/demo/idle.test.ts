import { expect } from 'chai';
import { idle } from '../../../plugins/demo/execute.ts';
import { SimulatedTime } from '../../../plugins/demo/time.ts';
import type { Stage } from '../../../plugins/demo/stage.ts';

describe('the wait for the runs of a demonstration', () => {
  const begin = Date.parse('2026-01-01T00:00:00Z');
  /** A server with one waiting run that is served at a time. */
  const waiting = (until: number, run: object = {}): Pick<Stage, 'api' | 'time' | 'vendors'> => {
    const time = new SimulatedTime(begin);
    const runs = (path: string): object[] => (path.includes('queued') && time.now() < until ? [run] : []);
    const api = async (_: string, path: string) => ({ runs: runs(path) });
    return { time, api: api as Stage['api'], vendors: { isBusy: () => false } as Stage['vendors'] };
  };

  it('lets the time go on for a run that waits for its next turn', async () => {
    const stage = waiting(begin + 1700);
    await idle(stage);
    expect(stage.time.now()).to.equal(begin + 3000);
  });

  it('is without a limit while a run is under way', async () => {
    const stage = waiting(0);
    const until = performance.now() + 1200;
    await idle({ ...stage, vendors: { isBusy: () => performance.now() < until } as Stage['vendors'] });
    expect([performance.now() >= until, stage.time.now()]).to.deep.equal([true, begin]);
  });

  it('does not wait for a run of a later time', async () => {
    const stage = waiting(Infinity, { run_at: '2026-01-01T00:00:01Z' });
    await idle(stage);
    expect(stage.time.now()).to.equal(begin);
  });
});
