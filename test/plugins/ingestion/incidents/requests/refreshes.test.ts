import { expect } from 'chai';
import { refreshInTurns } from '../../../../../plugins/ingestion/incidents/requests/refreshes.ts';

describe('deliveries that come again', () => {
  it('are noted in turns: what comes meanwhile is the next turn, each delivery once', async () => {
    const turns: (readonly string[])[] = [];
    const gates: (() => void)[] = [];
    const refresh = refreshInTurns((ids) => {
      turns.push(ids);
      return new Promise((resolve) => gates.push(resolve));
    });
    const first = refresh(['a']);
    await Promise.resolve();
    const others = Array.from({ length: 1000 }, (_, n) => refresh([n % 2 === 0 ? 'a' : 'b']));
    expect(turns).to.deep.equal([['a']]);
    gates[0]?.();
    await first;
    await new Promise(setImmediate);
    expect(turns).to.deep.equal([['a'], ['a', 'b']]);
    gates[1]?.();
    await Promise.all(others);
    expect(turns).to.have.length(2);
  });

  it('are at most 200 of one read', async () => {
    const sizes: number[] = [];
    const refresh = refreshInTurns(async (ids) => void sizes.push(ids.length));
    await refresh(Array.from({ length: 450 }, (_, n) => `dlv_${n}`));
    expect(sizes).to.deep.equal([200, 200, 50]);
  });

  it('of a turn that failed are told so; the next turn is made', async () => {
    let fails = true;
    const refresh = refreshInTurns(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve()));
    const failed = await refresh(['a']).catch(String);
    expect(failed).to.equal('Error: away');
    fails = false;
    await refresh(['a']);
  });
});
