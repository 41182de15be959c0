import { expect } from 'chai';
import { reserve } from '../../../../kernel/http/connection/pace.ts';

describe('the pace of refusals', () => {
  it('answers eleven of a caller at once, then fifty a second, none later than a second', () => {
    const slots = new Map<string, number>();
    const delays = Array.from({ length: 100 }, () => reserve(slots, 'loud', 10_000));
    expect(delays.filter((delay) => delay === 0)).to.have.length(11);
    expect(delays.slice(10, 14)).to.deep.equal([0, 20, 40, 60]);
    expect(Math.max(...delays)).to.equal(1000);
  });

  it('keeps a pace per caller, and forgets it with time', () => {
    const slots = new Map<string, number>();
    for (let asked = 0; asked < 100; asked += 1) reserve(slots, 'loud', 10_000);
    expect(reserve(slots, 'quiet', 10_000)).to.equal(0);
    expect(reserve(slots, 'loud', 10_000)).to.equal(1000);
    expect(reserve(slots, 'loud', 12_000)).to.equal(0);
  });

  it('remembers a bounded number of callers', () => {
    const slots = new Map<string, number>();
    for (let caller = 0; caller < 20_000; caller += 1) reserve(slots, `caller ${caller}`, 10_000);
    expect(slots.size).to.equal(10_000);
  });
});
