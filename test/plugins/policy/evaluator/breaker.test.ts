import { expect } from 'chai';
import { createBreaker } from '../../../../plugins/policy/evaluator/breaker.ts';

function world() {
  let now = 0;
  const breaker = createBreaker({ now: () => now, monotonic: () => now });
  const times = (count: number, principal = 'prn_1', revision = 'r') => {
    for (let time = 0; time < count; time++) breaker.timedOut(revision, principal);
  };
  return { breaker, times, pass: (ms: number) => void (now += ms) };
}

describe('the breaker of a principal whose questions run out of time', () => {
  it('opens at the third in a minute, and for that principal and revision alone', () => {
    const { breaker, times } = world();
    times(2);
    expect([breaker.allows('r', 'prn_1'), breaker.open('r', 'prn_1')]).to.deep.equal([true, false]);
    times(1);
    expect([breaker.allows('r', 'prn_1'), breaker.open('r', 'prn_1')]).to.deep.equal([false, true]);
    expect([breaker.allows('r', 'prn_2'), breaker.allows('s', 'prn_1')]).to.deep.equal([true, true]);
  });

  it('forgets what is a minute old', () => {
    const { breaker, pass, times } = world();
    times(2);
    pass(60_000);
    times(1);
    expect(breaker.allows('r', 'prn_1')).to.equal(true);
    pass(59_999);
    times(2);
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
  });

  it('lets one question through after 30 s, and no second beside it', () => {
    const { breaker, pass, times } = world();
    times(3);
    pass(29_999);
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
    pass(1);
    expect(breaker.open('r', 'prn_1')).to.equal(false);
    expect([breaker.allows('r', 'prn_1'), breaker.allows('r', 'prn_1')]).to.deep.equal([true, false]);
  });

  it('closes when the trial ends in time, opens again when it does not, and frees it when it was not asked', () => {
    const { breaker, pass, times } = world();
    times(3);
    pass(30_000);
    breaker.allows('r', 'prn_1');
    breaker.unasked('r', 'prn_1');
    expect(breaker.allows('r', 'prn_1')).to.equal(true);
    // Long after the three: the trial alone opens it.
    pass(60_000);
    times(1);
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
    pass(30_000);
    breaker.allows('r', 'prn_1');
    breaker.answered('r', 'prn_1');
    expect([breaker.allows('r', 'prn_1'), breaker.allows('r', 'prn_1')]).to.deep.equal([true, true]);
  });

  it('is not closed by an answer that is no trial', () => {
    const { breaker, times } = world();
    times(2);
    breaker.answered('r', 'prn_1');
    times(1);
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
    breaker.answered('r', 'prn_1');
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
  });

  it('remembers the 10,000 who ran out of time last', () => {
    const { breaker, times } = world();
    times(2);
    for (let index = 0; index < 9_999; index++) times(1, `prn_x${index}`);
    times(1);
    times(1, 'prn_new');
    expect(breaker.allows('r', 'prn_1')).to.equal(false);
    for (let index = 0; index < 10_000; index++) times(1, `prn_y${index}`);
    expect(breaker.allows('r', 'prn_1')).to.equal(true);
  });
});
