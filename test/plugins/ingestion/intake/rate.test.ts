import { expect } from 'chai';
import { createRates } from '../../../../plugins/ingestion/intake/rate.ts';
import type { SourceRecord } from '../../../../plugins/ingestion/sources/settings/schema.ts';

function world(limits?: SourceRecord['limits']) {
  let now = 0;
  const rates = createRates({ now: () => now, monotonic: () => now });
  const take = (source_id = 'src_a') => rates.take({ source_id, limits } as unknown as SourceRecord);
  const takes = (count: number, source?: string) =>
    Array.from({ length: count }, () => take(source)).filter((wait) => wait === 0).length;
  return { take, takes, pass: (ms: number) => void (now += ms) };
}

describe('the rate of a source', () => {
  it('lets 500 through at once and 50 a second after that, unless the source says otherwise', () => {
    const { pass, takes } = world();
    expect(takes(600)).to.equal(500);
    pass(1000);
    expect(takes(600)).to.equal(50);
    const own = world({ rate_per_second: 2, burst: 3 });
    expect(own.takes(10)).to.equal(3);
    own.pass(1000);
    expect(own.takes(10)).to.equal(2);
  });

  it('saves up no more than its burst, however long it is silent', () => {
    const { pass, takes } = world({ rate_per_second: 10, burst: 5 });
    takes(5);
    pass(3_600_000);
    expect(takes(100)).to.equal(5);
  });

  it('says after how many seconds there is one again', () => {
    const { pass, take, takes } = world({ rate_per_second: 0.1, burst: 1 });
    takes(1);
    expect(take()).to.equal(10);
    pass(9_000);
    expect(take()).to.equal(1);
    pass(1_000);
    expect([take(), take()]).to.deep.equal([0, 10]);
  });

  it('is each source its own', () => {
    const { takes } = world({ rate_per_second: 1, burst: 2 });
    expect([takes(5, 'src_a'), takes(5, 'src_b')]).to.deep.equal([2, 2]);
  });
});
