import { expect } from 'chai';
import fc from 'fast-check';
import { canonical } from '../../../kernel/index.ts';
import type { RunFacts, RunPredicate, RunScore } from '../../../plugins/receipts/contract.ts';
import { scoreRun, type Scored } from '../../../plugins/receipts/score.ts';
import { vectorStatement } from './sample.ts';

type Attempt = RunFacts['attempts'][number];
type Overrides = Partial<Omit<RunFacts, 'policy' | 'orb' | 'schema' | 'action'>> & {
  policy?: Partial<RunFacts['policy']>;
  orb?: Partial<RunFacts['orb']>;
  schema?: Partial<RunFacts['schema']>;
  action?: Partial<RunFacts['action']>;
};

const attempt = (provider: string, outcome: Attempt['outcome'] = 'accepted', more: Partial<Attempt> = {}): Attempt => ({
  provider,
  adapter: 'email/smtp',
  generation: 1,
  config_digest: `sha256:${'0'.repeat(64)}`,
  outcome,
  latency_ms: 10,
  ...more,
});

// Base of 1–3: provider up, schemas valid, objective met, tier none, unsigned, one attempt, accepted.
function run(overrides: Overrides = {}, more: Partial<Pick<RunPredicate, 'status' | 'execution_ms'>> = {}): Scored {
  const { latency: objective, ...base } = vectorStatement().predicate.facts;
  const { policy, orb, schema, action, ...plain } = overrides;
  const latency = 'latency' in overrides ? undefined : objective;
  return {
    status: 'completed',
    execution_ms: 342,
    ...more,
    facts: {
      ...base,
      ...(latency === undefined ? {} : { latency }),
      attempts: [attempt('smtp-main')],
      ...plain,
      policy: { ...base.policy, ...policy },
      orb: { ...base.orb, ...orb },
      schema: { ...base.schema, ...schema },
      action: { ...base.action, ...action },
    } as RunFacts,
  };
}

// Base of A–L: the same, manifest signed, tier gold.
const gold = { manifest_signed: true, tier: 'gold' } as const;
const withHealth = (health: 'unknown' | 'degraded' | 'down') => ({ provider: { name: 'smtp-main', generation: 3, health } });
const unmatched = { policies: [] };
const caseB: Overrides = {
  orb: { ...gold, tier: 'silver' },
  policy: unmatched,
  attempts: [attempt('smtp-main', 'not_sent'), attempt('outbox')],
  ...withHealth('degraded'),
};
const twice = { delivery: 'at_least_once' } as const;
const payment = { class: 'payment' } as const;
const careless = { policy: unmatched, latency: undefined, data: { classes: [] } } as unknown as Overrides;

const examples: readonly [string, Scored, number, RunScore['band'], string, string, string][] = [
  ['1. before policies', run({ policy: unmatched }), 65, 'C', '15+4+6+10', 'medium', 'medium'],
  ['2. shipped policy', run(), 80, 'B', '4+6+10', 'medium', 'medium'],
  ['3. signed manifest', run({ orb: { manifest_signed: true } }), 86, 'B', '4+10', 'medium', 'medium'],
  ['1 unprobed', run({ policy: unmatched, ...withHealth('unknown') }), 62, 'C', '15+4+6+3+10', 'medium', 'medium'],
  ['2 unprobed', run(withHealth('unknown')), 77, 'B', '4+6+3+10', 'medium', 'medium'],
  ['3 unprobed', run({ orb: { manifest_signed: true }, ...withHealth('unknown') }), 83, 'B', '4+3+10', 'medium', 'medium'],
  ['A. one warn', run({ orb: gold, policy: { warns: 1 } }), 91, 'A', '3+4+2', 'medium', 'low'],
  ['B. failover', run(caseB, { execution_ms: 2600 }), 62, 'C', '15+4+6+2+5+2+4', 'medium', 'medium'],
  [
    'C. = B, confidential',
    run({ ...caseB, data: { classes: ['confidential'] } }, { execution_ms: 2600 }),
    62,
    'C',
    '15+4+6+2+5+2+4',
    'high',
    'high',
  ],
  [
    'D. unknown, then accepted',
    run({ orb: gold, action: twice, attempts: [attempt('smtp-main', 'unknown'), attempt('outbox')] }),
    77,
    'B',
    '4+2+5+10+2',
    'medium',
    'medium',
  ],
  [
    'E. both unknown',
    run(
      {
        orb: gold,
        action: twice,
        outcome: 'unknown',
        attempts: [attempt('smtp-main', 'unknown'), attempt('outbox', 'unknown')],
      },
      { status: 'indeterminate' },
    ),
    49,
    'D',
    '4+2+5+8+10+2',
    'medium',
    'high',
  ],
  ['F. payment', run({ orb: gold, action: payment }), 94, 'A', '4+2', 'critical', 'high'],
  [
    'G. payment denied',
    run(
      { orb: gold, action: payment, outcome: 'denied', attempts: [], policy: { decision: 'deny', reasons: [] } },
      { status: 'denied' },
    ),
    0,
    'D',
    '4+2',
    'critical',
    'critical',
  ],
  ['H. careless manifest', run(careless), 54, 'C', '15+4+6+1+10+10', 'medium', 'medium'],
  ['I. read', run({ orb: gold, action: { class: 'read', effect: 'none' } }), 94, 'A', '4+2', 'low', 'low'],
  ['J. rejected', run({ orb: gold, outcome: 'rejected' }, { status: 'failed' }), 39, 'D', '4+2', 'medium', 'high'],
  [
    'K. outputs break the schema',
    run({ orb: gold, outcome: 'invalid_outputs', schema: { outputs: 'invalid' } }, { status: 'failed' }),
    59,
    'C',
    '4+15+2',
    'medium',
    'medium',
  ],
  ['L. suspended', run({ orb: { ...gold, tier: 'none', state: 'suspended' } }), 19, 'D', '4+10', 'medium', 'high'],
];

describe('the trust score tsm-1', () => {
  for (const [name, scored, score, band, points, inherent, risk] of examples) {
    it(`is ${score} ${band}, ${inherent} → ${risk}, for ${name}`, () => {
      const result = scoreRun(scored);
      expect(result.trust_score).to.equal(score);
      expect(result.band).to.equal(band);
      expect(result.deductions.map((deduction) => deduction.points).join('+')).to.equal(points);
      expect([result.inherent_risk, result.risk_level]).to.deep.equal([inherent, risk]);
    });
  }

  it('explains the vector run exactly as its receipt does', () => {
    const { predicate } = vectorStatement();
    expect(scoreRun(predicate)).to.deep.equal(predicate.score);
  });

  it('names the gate of each status, invalid outputs instead of failed, and a suspended Orb after it', () => {
    const gates = (outcome: RunFacts['outcome'], status: RunPredicate['status'], state: 'active' | 'suspended') =>
      scoreRun(run({ outcome, orb: { state } }, { status })).gates;
    expect(gates('accepted', 'completed', 'active')).to.deep.equal([]);
    expect(gates('not_sent', 'failed', 'active')).to.deep.equal([{ code: 'failed', max: 39 }]);
    expect(gates('deadline', 'timed_out', 'active')).to.deep.equal([{ code: 'timed_out', max: 39 }]);
    expect(gates('cancelled', 'cancelled', 'active')).to.deep.equal([{ code: 'cancelled', max: 39 }]);
    expect(gates('unknown', 'indeterminate', 'active')).to.deep.equal([{ code: 'indeterminate', max: 49 }]);
    expect(gates('denied', 'denied', 'active')).to.deep.equal([{ code: 'denied', max: 0 }]);
    expect(gates('invalid_outputs', 'failed', 'suspended')).to.deep.equal([
      { code: 'invalid_outputs', max: 59 },
      { code: 'orb_suspended', max: 19 },
    ]);
  });

  it('cuts each category at its cap and still lists every deduction with its evidence', () => {
    const result = scoreRun(run({ orb: gold, policy: { policies: [], shadow_denies: 2, warns: 7 } }));
    expect(result.deductions.slice(0, 3)).to.deep.equal([
      { code: 'no_policy_matched', points: 15, evidence: '/facts/policy/policies' },
      { code: 'shadow_deny', points: 10, evidence: '/facts/policy/shadow_denies' },
      { code: 'policy_warn', points: 9, evidence: '/facts/policy/warns' },
    ]);
    expect(result.trust_score).to.equal(100 - 25 - 4 - 2);
  });

  it('counts a latency of more than twice the objective as worse than a missed one', () => {
    const missed = (execution: number) =>
      scoreRun(run({}, { execution_ms: execution })).deductions.find(({ code }) => code === 'latency_missed')?.points;
    expect([missed(2000), missed(2001), missed(4000), missed(4001)]).to.deep.equal([undefined, 2, 2, 5]);
  });

  describe('a possible duplicate', () => {
    const possible = (attempts: Attempt[], effect: RunFacts['action']['effect'] = 'irreversible') =>
      scoreRun(run({ attempts, action: { effect } })).deductions.some(({ code }) => code === 'duplicate_possible');
    const lost = attempt('a', 'unknown');

    it('is another provider tried after an unsettled unknown', () => {
      expect(possible([lost, attempt('b')])).to.equal(true);
      expect(possible([lost, attempt('a', 'not_sent'), attempt('b')])).to.equal(true);
      expect(possible([lost, attempt('a', 'unknown'), attempt('b', 'rejected')])).to.equal(true);
    });

    it('is none after a lookup, after an answer of the same provider, or when there is no effect', () => {
      expect(possible([attempt('a', 'unknown', { lookup: 'absent' }), attempt('b')])).to.equal(false);
      expect(possible([lost, attempt('a', 'unknown', { lookup: 'absent' }), attempt('b')])).to.equal(false);
      expect(possible([lost, attempt('a', 'provider_fault'), attempt('b')])).to.equal(false);
      expect(possible([lost, attempt('a')])).to.equal(false);
      expect(possible([lost, attempt('b')], 'none')).to.equal(false);
    });
  });

  describe('over random runs', () => {
    const outcomes = ['accepted', 'invalid_outputs', 'rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'] as const;
    const attempts = fc.record({ provider: fc.constantFrom('smtp-main', 'b', 'c'), outcome: fc.constantFrom(...outcomes) });
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
            policy: { decision: r.allow ? 'allow' : 'deny', policies: r.policies, warns: r.warns, shadow_denies: r.shadow },
            orb: { manifest_signed: r.signed, tier: r.tier, state: r.state },
            schema: { inputs: r.inputs, outputs: r.outputs },
            attempts: r.attempts,
            data: { classes: [...r.classes] },
            outcome: r.outcome,
            action: { class: r.action, effect: r.effect },
          },
          { status: r.status as RunPredicate['status'], execution_ms: r.execution },
        );
        const { provider: _p, latency: _l, ...facts } = scored.facts;
        return {
          ...scored,
          facts: {
            ...facts,
            ...(r.health === undefined ? {} : { provider: { name: 'smtp-main', generation: 1, health: r.health } }),
            ...(r.objective === undefined ? {} : { latency: { objective_ms: r.objective } }),
          } as RunFacts,
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
          const worse = classes.map((one, index) => (index === at ? 'restricted' : one)) as typeof classes;
          const restricted = { ...scored, facts: { ...scored.facts, data: { classes: worse } } };
          const [before, after] = [scoreRun(scored), scoreRun(restricted)];
          expect(order.indexOf(after.inherent_risk)).to.be.at.least(order.indexOf(before.inherent_risk));
          expect(order.indexOf(after.risk_level)).to.be.at.least(order.indexOf(before.risk_level));
        }),
        many,
      );
    });
  });
});
