import { expect } from 'chai';
import type { RunFacts, RunPredicate } from '../../../../plugins/receipts/contract.ts';
import { deriveScoreFact } from '../../../../plugins/receipts/format/score.ts';
import { vectorStatement } from '../sample.ts';

const base = vectorStatement().predicate;

function outcomeClass(outcome: RunFacts['outcome'], change: Partial<RunFacts> = {}): string {
  return deriveScoreFact({ ...base, facts: { ...base.facts, outcome, ...change } }).outcome_class;
}

const denied = (code: string): Partial<RunFacts> => ({
  policy: { ...base.facts.policy, decision: 'deny', reasons: [{ code: 'other' }, { code }] },
});

describe('the outcome class', () => {
  const { provider: _, ...withoutProvider } = base.facts;
  const bare = (outcome: RunFacts['outcome']) =>
    deriveScoreFact({ ...base, facts: { ...withoutProvider, outcome } }).outcome_class;

  it('is ok iff accepted', () => expect(outcomeClass('accepted')).to.equal('ok'));

  for (const outcome of ['rejected', 'cancelled'] as const)
    it(`is the caller's fault when ${outcome}`, () => expect(outcomeClass(outcome)).to.equal('caller_fault'));

  it('is policy_denied for a decision of a policy', () => {
    expect(outcomeClass('denied', denied('policy_denied'))).to.equal('policy_denied');
    expect(outcomeClass('denied', denied('no_decision'))).to.equal('policy_denied');
  });

  for (const code of ['policy_unavailable', 'policy_error', 'policy_timeout', 'policy_overloaded', 'policy_integrity'])
    it(`is the platform's fault when the engine could not decide: ${code}`, () =>
      expect(outcomeClass('denied', denied(code))).to.equal('platform_fault'));

  for (const outcome of ['provider_fault', 'not_sent', 'throttled', 'unknown', 'invalid_outputs', 'deadline'] as const)
    it(`is the Orb's fault for ${outcome}, the platform's without a provider, the caller's by its own deadline`, () => {
      expect(outcomeClass(outcome)).to.equal('orb_fault');
      expect(bare(outcome)).to.equal('platform_fault');
      const action = { ...base.facts.action, caller_deadline: true } as const;
      expect(outcomeClass(outcome, { action })).to.equal('caller_fault');
    });
});

describe('latency_ok', () => {
  const latencyOk = (change: Partial<RunPredicate>) => deriveScoreFact({ ...base, ...change });
  const { latency: _, ...withoutObjective } = base.facts;

  it('compares the execution with the objective, the objective included', () => {
    expect(latencyOk({ execution_ms: 2000 })).to.have.property('latency_ok', true);
    expect(latencyOk({ execution_ms: 2001 })).to.have.property('latency_ok', false);
  });

  it('is absent without an objective and for a run that did not complete', () => {
    expect(latencyOk({ facts: withoutObjective })).to.not.have.property('latency_ok');
    expect(latencyOk({ status: 'failed' })).to.not.have.property('latency_ok');
  });
});
