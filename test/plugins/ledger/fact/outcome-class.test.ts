import { expect } from 'chai';
import type { RunLine } from '../../../../plugins/ledger/fact/line.ts';
import { classOf, latencyOf } from '../../../../plugins/ledger/fact/outcome-class.ts';

const run = (more: Partial<RunLine>): RunLine =>
  ({ outcome: 'accepted', execution_ms: 5, caller_deadline: false, codes: [], bound: true, ...more }) as RunLine;

describe('what the facts of a run say of it', () => {
  it('is its latency when it was completed and has an objective, and nothing else', () => {
    expect([4, 5, 6].map((objective_ms) => latencyOf(run({ objective_ms })))).to.deep.equal([false, true, true]);
    expect(latencyOf(run({}))).to.equal(undefined);
    expect(latencyOf(run({ objective_ms: 9, outcome: 'unknown' }))).to.equal(undefined);
  });

  it('is a denial by policy, unless the engine could not decide', () => {
    expect(classOf(run({ outcome: 'denied', bound: false }))).to.equal('policy_denied');
    expect(classOf(run({ outcome: 'denied', codes: ['a', 'policy_timeout'] }))).to.equal('platform_fault');
  });
});
