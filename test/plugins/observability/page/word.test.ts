import { expect } from 'chai';
import { period } from '../../../../plugins/observability/page/word.ts';

const dayMs = 86_400_000;
const at = Date.UTC(2026, 10, 23, 12);

describe('the time that an uptime is of', () => {
  it('is that since the first day, until 30 days are covered', () => {
    expect(period({ at, observedSince: at })).to.equal('since 2026-11-23');
    expect(period({ at, observedSince: at - 30 * dayMs + 1 })).to.equal('since 2026-10-24');
    expect(period({ at, observedSince: at - 30 * dayMs })).to.equal('in 30 days');
    expect(period({ at, observedSince: at - 90 * dayMs })).to.equal('in 30 days');
  });
});
