import { expect } from 'chai';
import { Callers } from '../../../../plugins/runtime/tables/callers.ts';

describe('who made runs', () => {
  const id = (at: number): string => `run_${at}`;
  const ids = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, at) => id(from + at));

  it('is asked of each source for the runs that none before it knew, and then not again', async () => {
    const asked: (readonly string[])[] = [];
    const source = (known: Readonly<Record<string, string>>) => (runIds: readonly string[]) => {
      asked.push(runIds);
      return new Map(Object.entries(known).filter(([run]) => runIds.includes(run)));
    };
    const callers = new Callers(source({ run_1: 'ada' }), source({ run_2: 'bob' }));
    const all = ['run_1', 'run_2', 'run_3'];
    const expected = [
      ...new Map([
        ['run_1', 'ada'],
        ['run_2', 'bob'],
      ]),
    ];
    expect([...(await callers.of(all))]).to.deep.equal(expected);
    expect(asked).to.deep.equal([all, ['run_2', 'run_3']]);
    expect([...(await callers.of(all))]).to.deep.equal(expected);
    expect(asked.slice(2)).to.deep.equal([['run_3'], ['run_3']]);
  });

  it('is kept for the last ten thousand runs', async () => {
    const asked: string[] = [];
    const callers = new Callers((runIds) => {
      asked.push(...runIds);
      return new Map(runIds.map((run) => [run, 'ada']));
    });
    await callers.of(ids(0, 10_000));
    await callers.of([id(0)]);
    expect(asked).to.have.length(10_000);
    await callers.of([id(10_000)]);
    asked.length = 0;
    // Only the oldest one has made room.
    await callers.of(ids(1, 10_001));
    expect(asked).to.deep.equal([]);
    await callers.of([id(0)]);
    expect(asked).to.deep.equal([id(0)]);
  });
});
