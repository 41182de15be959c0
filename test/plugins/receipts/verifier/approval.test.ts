import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { shippedFacts } from '../../../helpers/command.ts';
import { canonical } from '../../../../kernel/index.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { verify, type VerifyOptions } from '../../../../plugins/receipts/verifier/verify.ts';
import {
  boundOfSample,
  computedVectors,
  heldReceipts,
  heldText,
  heldTwice,
  heldVectors,
  people,
  type SampleHeld,
} from '../held-sample.ts';
import { signedText, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const trust = { ...vectorTrust, facts: shippedFacts };
const approvalOf = ({ checks }: Report) => checks.find(({ name }) => name === 'approval_matches');
const judged = (sample: SampleHeld, options: VerifyOptions = {}) =>
  verify(heldText(sample), trust, { verifySignature, ...options });
const { predicate } = vectorStatement();
const of2 = boundOfSample({ asks: [{ code: 'a', approvers: 'office', of: 2, bind: 'inputs', policies: ['mail'] }] });
const bindsProvider = (providers: object[]) =>
  boundOfSample({ providers, asks: [{ code: 'a', approvers: 'office', of: 1, bind: 'provider', policies: ['mail'] }] });
const other = `sha256:${'1'.repeat(64)}`;
const ulid = '01M7X8PQA00000000000000009';

describe('the receipt of a run that people approved, with the receipts of their decisions', () => {
  it('says who approved exactly these inputs', () => {
    const report = judged({});
    expect(approvalOf(report)).to.deep.equal({
      name: 'approval_matches',
      result: 'pass',
      detail: `approved by ${people.ada} (office) for exactly these inputs`,
    });
    expect([report.overall, report.exit]).to.deep.equal(['VERIFIED', 0]);
  });

  it('names all whom it needed', () => {
    const second = { bound: of2, facts: { principal: people.bob } };
    const report = judged({ decisions: [{ bound: of2, facts: { state: 'open' } }, second] });
    expect(approvalOf(report)?.detail).to.equal(
      `approved by ${people.ada} (office) and ${people.bob} (office) for exactly these inputs`,
    );
  });

  it('names those of both approvals of a run that was held twice, in their order', () => {
    const report = judged(heldTwice());
    expect([report.overall, report.exit], JSON.stringify(report.checks)).to.deep.equal(['VERIFIED', 0]);
    expect(approvalOf(report)?.detail).to.equal(
      `approved by ${people.bob} (finance) and ${people.ada} (office) for exactly these inputs`,
    );
  });

  it('names a person once who approved both times', () => {
    const report = judged(heldTwice({ bound: boundOfSample(), facts: { principal: people.ada, groups: ['office'] } }));
    expect(approvalOf(report)).to.include({
      result: 'pass',
      detail: `approved by ${people.ada} (office) for exactly these inputs`,
    });
  });

  it('gives no verdict when only the decisions of the last approval are at hand', () => {
    const { run, decisions } = heldReceipts(heldTwice());
    const report = verify(JSON.stringify({ ...run, decisions: decisions.slice(1) }), trust);
    expect([approvalOf(report)?.result, report.exit]).to.deep.equal(['not_checked', 0]);
    expect(approvalOf(report)?.detail).to.include('not at hand: rec_01M7X8PQA00000000000000001;');
  });

  // A swap of the provider leaves the inputs as they are; an ask that binds the provider does not allow it.
  it('accepts another provider where only the inputs are bound', () => {
    expect(approvalOf(judged({ decisions: [{ bound: boundOfSample({ providers: [] }) }] }))?.result).to.equal('pass');
  });

  const denied = {
    status: 'denied' as const,
    reason: 'approval_refused',
    facts: {
      ...predicate.facts,
      attempts: [],
      outcome: 'denied' as const,
      policy: { ...predicate.facts.policy, decision: 'deny' as const, reasons: [{ code: 'approval_refused' }] },
    },
  };

  it('says who refused a run that was denied, and that nobody approved one that nobody decided', () => {
    const refused = judged({ decisions: [{ facts: { decision: 'refuse', state: 'refused' } }], run: denied });
    expect(refused.checks.filter(({ result }) => result === 'fail')).to.deep.equal([]);
    expect(approvalOf(refused)).to.deep.include({
      result: 'pass',
      detail: `refused by ${people.ada} (office); no provider was called`,
    });
    const silent = judged({ decisions: [], run: denied });
    expect(approvalOf(silent)).to.deep.include({ result: 'pass', detail: 'not approved; no provider was called' });
  });

  const differing = (members: object): SampleHeld => ({ decisions: [{ bound: boundOfSample(members) }] });
  const mismatches: readonly (readonly [string, SampleHeld, string])[] = [
    ['another approval', { approval: { approval_id: `apr_${ulid}` } }, 'another approval'],
    ['another digest', { approval: { digest: other } }, 'another digest'],
    ['a digest that is not that of what it binds', mislabelled(), 'not the one of what it binds'],
    ['another commitment to the inputs', differing({ inputs: { commitment: other, size: 94 } }), 'another inputs'],
    [
      'inputs of another size',
      differing({ inputs: { ...predicate.facts.inputs, size: predicate.facts.inputs.size + 1 } }),
      'another inputs',
    ],
    ['another run', differing({ run_id: `run_${ulid}` }), 'another run_id'],
    ['another Orb', differing({ orb_id: 'notify.chat@1.0.0' }), 'another orb_id'],
    ['another Orbiset', differing({ orbiset_id: 'other' }), 'another orbiset_id'],
    ['another manifest', differing({ manifest_digest: other }), 'another manifest_digest'],
    ['another requester', differing({ principal: people.bob }), 'another principal'],
    ['a sandbox run', differing({ mode: 'sandbox' }), 'another mode'],
    ['another delivery', differing({ delivery: 'at_least_once' }), 'another delivery'],
    ['another tenant', { decisions: [{ predicate: { tenant: 'other' } }] }, 'another tenant'],
    ['a provider that was not bound', { decisions: [{ bound: bindsProvider([]) }] }, 'binds the provider'],
    [
      'another configuration of the provider',
      { decisions: [{ bound: bindsProvider([{ name: 'smtp-main', config_digest: other }]) }] },
      'binds the provider',
    ],
    ['one person twice', twice(people.ada), 'decided twice'],
    [
      'a refusal, and the run went ahead',
      { decisions: [{ facts: { decision: 'refuse', state: 'refused' } }] },
      'refuses',
    ],
    ['no decision, and the run went ahead', { decisions: [] }, 'no decision is named'],
    ['too few people', { decisions: [{ bound: of2 }] }, '1 of 2 approvals of office'],
    ['people of another group', { decisions: [{ facts: { groups: ['finance'] } }] }, '0 of 1 approvals of office'],
    ['an approval that stayed open', { decisions: [{ facts: { state: 'open' } }] }, 'before it was approved'],
    ['a decision after the run', { order: ['run', 0] }, 'in the log after the run'],
    [
      'an earlier approval by another name',
      heldTwice({ predicate: { approval_id: `apr_${ulid}` } }),
      'another approval',
    ],
    ['an earlier approval of another digest', heldTwice({}, { digest: other }), 'another digest'],
    ['an earlier approval of other inputs', heldTwice(differingBound()), 'another inputs'],
    ['an earlier refusal', heldTwice({ facts: { decision: 'refuse', state: 'refused' } }), 'refuses'],
    [
      'an earlier approval by another group',
      heldTwice({ facts: { groups: ['office'] } }),
      '0 of 1 approvals of finance',
    ],
    ['an earlier approval after the run', { ...heldTwice(), order: [1, 'run', 0] }, 'in the log after the run'],
  ];
  for (const [what, sample, fault] of mismatches)
    it(`is refused for ${what}`, () => {
      const report = judged(sample);
      expect(approvalOf(report)?.result, JSON.stringify(report.checks)).to.equal('fail');
      expect(approvalOf(report)?.detail).to.include(fault);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 1]);
      // Nothing else is wrong with the receipt of the run: the decisions alone decide.
      expect(report.checks.filter(({ result }) => result === 'fail')).to.have.length(1);
    });

  // The rule of the kind refuses such a statement before anything is compared.
  it('is refused when the requester approved it', () => {
    const report = judged({ decisions: [{ facts: { principal: people.requester } }] });
    expect(approvalOf(report)).to.include({ result: 'fail' });
    expect(report.exit).to.equal(1);
  });

  it('does not count a decision that was changed, or that another key signed', () => {
    const { run, decisions } = heldReceipts();
    const [decision] = decisions;
    const { envelope } = decision as { envelope: { payload: string } };
    const text = Buffer.from(envelope.payload, 'base64').toString().replace('"office"', '"finance"');
    const payload = Buffer.from(text).toString('base64');
    const forged = { ...decision, envelope: { ...envelope, payload } };
    const report = verify(JSON.stringify({ ...run, decisions: [forged] }), trust);
    expect([approvalOf(report)?.result, report.exit]).to.deep.equal(['fail', 1]);
  });

  it('gives no verdict without the decisions: they are named as what could not be checked', () => {
    const { run } = heldReceipts();
    const report = verify(JSON.stringify(run), trust);
    expect(approvalOf(report)?.result).to.equal('not_checked');
    expect([report.overall, report.exit]).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(report.limits.join()).to.include('not at hand: rec_01M7X8PQA00000000000000001');
  });

  it('gives no verdict when only some decisions are at hand', () => {
    const second = { bound: of2, facts: { principal: people.bob } };
    const { run, decisions } = heldReceipts({ decisions: [{ bound: of2, facts: { state: 'open' } }, second] });
    const report = verify(JSON.stringify({ ...run, decisions: decisions.slice(0, 1) }), trust);
    expect([approvalOf(report)?.result, report.exit]).to.deep.equal(['not_checked', 0]);
  });

  it('gives no verdict by a verifier that does not know decisions', () => {
    const report = verify(heldText(), { ...vectorTrust, facts: [] });
    expect([approvalOf(report)?.result, report.exit]).to.deep.equal(['not_checked', 0]);
    expect(approvalOf(report)?.detail).to.include('could not be verified');
  });

  it('gives no verdict about the order without proofs of the log', () => {
    const { run, decisions } = heldReceipts();
    const bare = ({ proof: _, ...rest }: Readonly<Record<string, unknown>>) => rest;
    const text = JSON.stringify({ ...bare(run), decisions: decisions.map(bare) });
    const report = verify(text, trust, { unlogged: true });
    expect([report.exit, approvalOf(report)?.result]).to.deep.equal([0, 'not_checked']);
    expect(approvalOf(report)?.detail).to.include('before the run');
  });

  it('refuses decisions that the run does not name', () => {
    const { decisions } = heldReceipts();
    const plain = JSON.parse(signedText(vectors.run_receipt.payload)) as object;
    const report = verify(JSON.stringify({ ...plain, decisions }), trust);
    expect(approvalOf(report)).to.deep.include({ result: 'fail' });
    expect(approvalOf(report)?.detail).to.include('does not name');
  });

  it('has no such verdict for a run that nobody was asked about', () => {
    expect(approvalOf(verify(signedText(vectors.run_receipt.payload), trust))).to.equal(undefined);
  });

  for (const decisions of [{}, 'x', [1], Array.from({ length: 65 }, () => ({}))])
    it(`refuses ${JSON.stringify(decisions).slice(0, 12)} as decisions`, () => {
      const report = verify(JSON.stringify({ ...heldReceipts().run, decisions }), trust);
      expect(report.overall).to.equal('REJECTED');
    });
});

describe('the vectors of a held run', () => {
  it('are what is computed from the test seeds', () => {
    expect(heldVectors).to.deep.include(computedVectors());
  });

  it('verify together, and hold the digest of what was bound', () => {
    const { bound_canonical, bound, digest, run, decision } = heldVectors;
    expect(canonical(bound)).to.equal(bound_canonical);
    expect(`sha256:${createHash('sha256').update(bound_canonical).digest('hex')}`).to.equal(digest);
    for (const { payload, payload_sha256_hex } of [run, decision])
      expect(createHash('sha256').update(payload).digest('hex')).to.equal(payload_sha256_hex);
    const report = verify(JSON.stringify({ ...run.artefact, decisions: [decision.artefact] }), trust);
    expect(report.overall).to.equal('VERIFIED');
    expect(verify(JSON.stringify(decision.artefact), trust).overall).to.equal('VERIFIED');
    const { twice } = heldVectors;
    const both = { ...twice.run.artefact, decisions: twice.decisions.map(({ artefact }) => artefact) };
    expect(verify(JSON.stringify(both), trust).overall).to.equal('VERIFIED');
  });
});

function differingBound() {
  return { bound: boundOfSample({ inputs: { commitment: other, size: 94 } }) };
}

function mislabelled(): SampleHeld {
  return { approval: { digest: other }, decisions: [{ facts: { digest: other } }] };
}

function twice(principal: string): SampleHeld {
  return {
    decisions: [
      { bound: of2, facts: { state: 'open', principal } },
      { bound: of2, facts: { principal } },
    ],
  };
}
