import { expect } from 'chai';
import fc from 'fast-check';
import { canonical } from '../../../kernel/index.ts';
import { scoreRun, type Scored } from '../../../plugins/receipts/format/score.ts';
import { attempt, run } from './scored.ts';

describe('the trust score tsm-1 over random runs', () => {
  const outcomes = [
    'accepted',
    'invalid_outputs',
    'rejected',
    'provider_fault',
    'not_sent',
    'throttled',
    'unknown',
  ] as const;
  const attempts = fc.record({
    provider: fc.constantFrom('smtp-main', 'b', 'c'),
    outcome: fc.constantFrom(...outcomes),
  });
  const randomAttempt = attempts.map(({ provider, outcome }) => attempt(provider, outcome));
  const tiers = ['none', 'bronze', 'silver', 'gold', 'platinum'] as const;
  const random = fc
    .record({
      status: fc.constantFrom('completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied' as const),
      execution: fc.nat(10_000),
      policies: fc.array(fc.constant('p'), { maxLength: 2 }),
      warns: fc.nat(5),
      shadow: fc.nat(2),
      allow: fc.boolean(),
      signed: fc.boolean(),
      tier: fc.constantFrom(...tiers),
      state: fc.constantFrom('active', 'suspended' as const),
      inputs: fc.constantFrom('valid', 'absent' as const),
      outputs: fc.constantFrom('valid', 'invalid', 'absent', 'unchecked' as const),
      health: fc.constantFrom('up', 'degraded', 'down', 'unknown', undefined),
      attempts: fc.array(randomAttempt, { maxLength: 5 }),
      classes: fc.subarray(['public', 'internal', 'confidential', 'restricted'] as const),
      outcome: fc.constantFrom(...outcomes, 'deadline', 'cancelled', 'denied' as const),
      action: fc.constantFrom('read', 'notify', 'write', 'delete', 'execute', 'payment' as const),
      effect: fc.constantFrom('none', 'idempotent', 'irreversible' as const),
      objective: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined }),
    })
    .map((r): Scored => {
      const scored = run(
        {
          policy: {
            decision: r.allow ? 'allow' : 'deny',
            policies: r.policies,
            warns: r.warns,
            shadow_denies: r.shadow,
          },
          orb: { manifest_signed: r.signed, tier: r.tier, state: r.state },
          schema: { inputs: r.inputs, outputs: r.outputs },
          attempts: r.attempts,
          data: { classes: [...r.classes] },
          outcome: r.outcome,
          action: { class: r.action, effect: r.effect },
        },
        { status: r.status, execution_ms: r.execution },
      );
      const { provider: _p, latency: _l, ...facts } = scored.facts;
      return {
        ...scored,
        facts: {
          ...facts,
          ...(r.health === undefined ? {} : { provider: { name: 'smtp-main', generation: 1, health: r.health } }),
          ...(r.objective === undefined ? {} : { latency: { objective_ms: r.objective } }),
        },
      };
    });
  const many = { numRuns: 1000 };

  it('is an integer of 0 to 100 with a lowest gate that holds, and survives its canonical form', () => {
    fc.assert(
      fc.property(random, (scored) => {
        const result = scoreRun(scored);
        expect(Number.isInteger(result.trust_score)).to.equal(true);
        expect(result.trust_score).to.be.within(0, 100);
        for (const { max } of result.gates) expect(result.trust_score).to.be.at.most(max);
        expect(scoreRun(JSON.parse(canonical(scored)) as Scored)).to.deep.equal(result);
      }),
      many,
    );
  });

  it('never rises with one more attempt', () => {
    fc.assert(
      fc.property(random, randomAttempt, (scored, another) => {
        const more = { ...scored, facts: { ...scored.facts, attempts: [...scored.facts.attempts, another] } };
        expect(scoreRun(more).trust_score).to.be.at.most(scoreRun(scored).trust_score);
      }),
      many,
    );
  });

  it('never rises with a fallen tier', () => {
    fc.assert(
      fc.property(random, fc.constantFrom(...tiers), (scored, tier) => {
        const lower = tiers[Math.min(tiers.indexOf(tier), tiers.indexOf(scored.facts.orb.tier))] ?? 'none';
        const fallen = { ...scored, facts: { ...scored.facts, orb: { ...scored.facts.orb, tier: lower } } };
        expect(scoreRun(fallen).trust_score).to.be.at.most(scoreRun(scored).trust_score);
      }),
      many,
    );
  });

  it('never falls in risk when a declared class becomes restricted', () => {
    const order = ['low', 'medium', 'high', 'critical'];
    fc.assert(
      fc.property(random, fc.nat(3), (scored, at) => {
        const { classes } = scored.facts.data;
        const worse = classes.map<(typeof classes)[number]>((one, index) => (index === at ? 'restricted' : one));
        const restricted = { ...scored, facts: { ...scored.facts, data: { classes: worse } } };
        const [before, after] = [scoreRun(scored), scoreRun(restricted)];
        expect(order.indexOf(after.inherent_risk)).to.be.at.least(order.indexOf(before.inherent_risk));
        expect(order.indexOf(after.risk_level)).to.be.at.least(order.indexOf(before.risk_level));
      }),
      many,
    );
  });
});
