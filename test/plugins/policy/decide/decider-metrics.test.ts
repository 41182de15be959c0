import { expect } from 'chai';
import { createMetrics } from '../../../../kernel/tools/metrics.ts';
import { createTally } from '../../../../plugins/policy/decide/decider.ts';
import type { Verdict } from '../../../../plugins/policy/evaluator/result.ts';

const verdict = (code?: string): Verdict => ({
  ...{ allow: false, policies: [], warns: 0, shadow_denies: 0 },
  ...(code === undefined ? {} : { reasons: [{ code }] }),
});
const allow: Verdict = { allow: true, policies: ['base'], warns: 0, shadow_denies: 0 };

describe('the tally of decisions', () => {
  it('counts by action and outcome: an allow, or the first reason of a denial', async () => {
    const metrics = createMetrics();
    const tally = createTally(metrics);
    tally.decided('execute', allow, true, 1);
    tally.decided('execute', allow, false, 1);
    tally.decided('execute', verdict('no_policy'), false, 1);
    tally.decided('swap', allow, false, 1);
    tally.decided('swap', verdict(), false, 1);
    const { text } = await metrics.show();
    const counted = text.split('\n').filter((line) => line.startsWith('orb_policy_decisions_total{'));
    expect(counted).to.deep.equal([
      'orb_policy_decisions_total{action="execute",outcome="allow"} 2',
      'orb_policy_decisions_total{action="execute",outcome="no_policy"} 1',
      'orb_policy_decisions_total{action="swap",outcome="allow"} 1',
      'orb_policy_decisions_total{action="swap",outcome="deny"} 1',
    ]);
  });

  it('counts hits, misses and timeouts, and measures what the cache did not answer', async () => {
    const metrics = createMetrics();
    const tally = createTally(metrics);
    const ratio = async () => /^orb_policy_cache_hit_ratio (.*)$/m.exec((await metrics.show()).text)?.[1];
    expect(await ratio()).to.equal('0');
    tally.decided('execute', allow, true, 9000);
    tally.decided('execute', allow, true, 9000);
    tally.decided('execute', allow, true, 9000);
    tally.decided('execute', verdict('policy_timeout'), false, 20);
    expect(tally).to.include({ hits: 3, misses: 1, timeouts: 1 });
    const { text } = await metrics.show();
    expect(await ratio()).to.equal('0.75');
    expect(text).to.include('orb_policy_cache_total{result="hit"} 3');
    expect(text).to.include('orb_policy_cache_total{result="miss"} 1');
    expect(text).to.include('orb_policy_evaluation_seconds_sum{action="execute"} 0.02');
    expect(text).to.include('orb_policy_evaluation_seconds_count{action="execute"} 1');
  });
});
