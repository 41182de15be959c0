import { expect } from 'chai';
import type { RunFacts, RunPredicate, RunScore } from '../../../../plugins/receipts/contract.ts';
import { scoreRun, type Scored } from '../../../../plugins/receipts/format/score.ts';
import { vectorStatement } from '../sample.ts';
import { attempt, run, type Attempt, type Overrides } from '../scored.ts';

// Base of A–L: the same, manifest signed, tier gold.
const gold = { manifest_signed: true, tier: 'gold' } as const;
const withHealth = (health: 'unknown' | 'degraded' | 'down') => ({
  provider: { name: 'smtp-main', generation: 3, health },
});
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
  [
    '3 unprobed',
    run({ orb: { manifest_signed: true }, ...withHealth('unknown') }),
    83,
    'B',
    '4+3+10',
    'medium',
    'medium',
  ],
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

  it('changes its band at 90, 75 and 50, and the risk with it', () => {
    const again = attempt('smtp-main', 'not_sent');
    const bounds: readonly [Scored, number, string, string][] = [
      [run({ orb: { ...gold, tier: 'bronze' } }), 90, 'A', 'low'],
      [run({ orb: gold, schema: { outputs: 'absent' } }), 89, 'B', 'medium'],
      [
        run({
          orb: gold,
          policy: unmatched,
          latency: undefined,
          ...withHealth('unknown'),
        } as unknown as Overrides),
        75,
        'B',
        'medium',
      ],
      [run({ orb: gold, policy: unmatched, schema: { outputs: 'absent' } }), 74, 'C', 'medium'],
      [run({ ...careless, attempts: [again, again, attempt('smtp-main')] }), 50, 'C', 'medium'],
      [run({ ...careless, schema: { outputs: 'absent' } }), 49, 'D', 'high'],
    ];
    for (const [scored, score, band, risk] of bounds) {
      const { risk_level, trust_score, ...rest } = scoreRun(scored);
      expect([trust_score, rest.band, risk_level]).to.deep.equal([score, band, risk]);
    }
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
});
