import { expect } from 'chai';
import fc from 'fast-check';
import { canonical } from '../../../../kernel/index.ts';
import { commitWith, createCommit } from '../../../../plugins/receipts/format/commitment.ts';
import { splitStatement } from '../../../../plugins/receipts/issue/split-statement.ts';
import { completeStatement } from './complete-statement.ts';
import { draftRun, type RunDraft } from '../../../../plugins/receipts/issue/run-draft.ts';
import { runPredicate, type RunPredicate } from '../../../../plugins/receipts/format/run-statement.ts';
import { subjects } from '../../../../plugins/receipts/format/subject.ts';
import { saltedBy, vectorFact, vectors, vectorStatement } from '../sample.ts';
import type { RunFact } from '../../../../plugins/runtime/contract.ts';

const { predicate: vectorPredicate } = vectorStatement();
const issuer = { ...vectorPredicate.issuer, origin: vectorPredicate.log.origin };
const { salts_hex: salts } = vectors.run_receipt;

const draftOf = (fact: RunFact): RunDraft => draftRun(fact, vectorPredicate.receipt_id, issuer, createCommit()).draft;
const policyOf = (fact: Partial<RunFact>) => draftOf({ ...vectorFact(), ...fact }).facts.policy;

// The rule that the fast way is held against: the whole statement, sorted by the library.
function slowly(draft: RunDraft, sequence: number, previousDigest: string | undefined): string {
  return canonical({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'urn:agent-orb:run:v1',
    subject: subjects(draft),
    predicate: { ...draft, sequence, ...(previousDigest === undefined ? {} : { previous_digest: previousDigest }) },
  });
}

interface Sampled {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Sampled>>;
  readonly items?: Sampled;
}

// A value with all members that a schema names, two of each list; nothing is held against patterns.
function sampleOf({ const: only, enum: words, type, properties = {}, items = {} }: Sampled): unknown {
  if (only !== undefined) return only;
  if (words !== undefined) return words[0];
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one)]));
  if (type === 'array') return [sampleOf(items), sampleOf(items)];
  return type === 'boolean' ? true : type === 'string' ? 'word' : 7;
}

describe('the statement of a run', () => {
  it('is built from the fact as the vector has it, member by member', () => {
    const { draft } = draftRun(vectorFact(), vectorPredicate.receipt_id, issuer, saltedBy(salts.inputs, salts.outputs));
    const { sequence: _s, ...expected } = vectorPredicate;
    const { input_commitment: _c, ...policy } = expected.facts.policy;
    expect(draft).to.deep.equal({ ...expected, facts: { ...expected.facts, policy } });
  });

  it('is serialised to the bytes of the vector', () => {
    const { sequence, ...draft } = vectorPredicate;
    expect(completeStatement(splitStatement(draft), sequence, undefined)).to.equal(vectors.run_receipt.payload);
  });

  it('is in canonical form whatever the fact holds, first of its chain or not', () => {
    const word = fc.string({ unit: 'binary', maxLength: 8 });
    const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const random = fc.record({
      reason: some(word),
      tenant: word,
      orbiset: word,
      sequence: fc.integer({ min: 1, max: 2 ** 40 }),
      allow: fc.boolean(),
      decisionId: some(word),
      reasons: fc.array(fc.record({ code: word, policy: word, message: word }, { requiredKeys: ['code'] }), {
        maxLength: 3,
      }),
      phase: some(word),
      rejected: some(fc.constantFrom('recipient_gone', 'content_too_long' as const)),
      lookup: some(fc.constantFrom('absent', 'present' as const)),
      swap: some(word),
      caller: some(word),
      provider: fc.boolean(),
      outputs: fc.boolean(),
      delivery: fc.boolean(),
      deadline: fc.boolean(),
      latency: fc.double({ min: 0, max: 1e6, noNaN: true }),
    });
    fc.assert(
      fc.property(random, (r) => {
        const base = vectorFact();
        const { provider: _p, ...facts } = base.facts;
        const { outputs, reason: _r, ...rest } = base;
        const health = {
          name: r.tenant,
          generation: 1,
          health: 'up',
          ...(r.swap === undefined ? {} : { swap_id: r.swap }),
        } as const;
        const fact: RunFact = {
          ...rest,
          tenant: r.tenant,
          orbiset_id: r.orbiset,
          execution_ms: r.latency,
          ...(r.reason === undefined ? {} : { reason: r.reason }),
          ...(r.outputs && outputs !== undefined ? { outputs } : {}),
          decision: {
            ...base.decision,
            allow: r.allow,
            ...(r.decisionId === undefined ? {} : { decision_id: r.decisionId }),
            reasons: r.reasons,
          },
          standing: { ...base.standing, caller_ref: r.caller ?? '' },
          facts: {
            ...facts,
            ...(r.provider ? { provider: health } : {}),
            action: {
              ...facts.action,
              ...(r.delivery ? { delivery: 'at_least_once' } : {}),
              ...(r.deadline ? { caller_deadline: true } : {}),
            },
            attempts: facts.attempts.map((attempt) => ({
              ...attempt,
              latency_ms: r.latency,
              ...(r.phase === undefined ? {} : { phase: r.phase }),
              ...(r.rejected === undefined ? {} : { reason: r.rejected }),
              ...(r.lookup === undefined ? {} : { lookup: r.lookup }),
            })),
          },
        };
        const draft = draftOf(fact);
        const previous = r.sequence === 1 ? undefined : `sha256:${'a'.repeat(64)}`;
        expect(completeStatement(splitStatement(draft), r.sequence, previous)).to.equal(
          slowly(draft, r.sequence, previous),
        );
        expect(Number.isInteger(draft.execution_ms)).to.equal(true);
        expect(draft.facts.attempts.every(({ latency_ms: latency }) => Number.isInteger(latency))).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is in canonical form with every member that the schema knows', () => {
    const { sequence: _s, previous_digest: _p, ...draft } = sampleOf(runPredicate) as RunPredicate;
    expect(completeStatement(splitStatement(draft), 1, undefined)).to.equal(slowly(draft, 1, undefined));
  });

  it('is in canonical form with several of what there may be several of', () => {
    const { sequence: _s, ...vector } = vectorPredicate;
    const { attempts, policy } = vector.facts;
    const draft: RunDraft = {
      ...vector,
      facts: {
        ...vector.facts,
        attempts: [...attempts, ...attempts],
        policy: { ...policy, policies: ['a', '"', '\u2028'] },
      },
      score: {
        ...vector.score,
        gates: [
          { code: 'denied', max: 0 },
          { code: 'orb_suspended', max: 19 },
        ],
      },
    };
    expect(completeStatement(splitStatement(draft), 1, undefined)).to.equal(slowly(draft, 1, undefined));
  });

  it('is refused when a text has no canonical form', () => {
    expect(() => splitStatement(draftOf({ ...vectorFact(), tenant: '\udfff' }))).to.throw();
  });

  it('copies named members only: whatever else a fact carries stays out', () => {
    const fact = vectorFact();
    const laden = {
      ...fact,
      secret: 'x1',
      facts: { ...fact.facts, secret: 'x2', orb: { ...fact.facts.orb, secret: 'x3' } },
    };
    expect(JSON.stringify(draftOf(laden))).to.not.match(/secret|x[123]/);
  });

  it('holds inputs and outputs as commitments only', () => {
    const text = JSON.stringify(draftOf(vectorFact()));
    expect(text).to.not.include('ada@example.com').and.not.include('01m7x8pqg00000000000000002@example.com');
  });

  it('has one subject without outputs, two with them', () => {
    const { outputs: _, ...without } = vectorFact();
    expect(subjects(draftOf(without)).map(({ name }) => name)).to.deep.equal([`${without.run_id}/inputs`]);
    expect(subjects(vectorPredicate)).to.deep.equal(vectorStatement().subject);
  });

  describe('of a denied run', () => {
    const denied = (reasons: { code: string; policy?: string; message?: string }[]) =>
      policyOf({ decision: { allow: false, policies: ['no_bulk_mail'], reasons, warns: 0, shadow_denies: 0 } });

    it('commits to the message of a reason and shows code and policy plainly', () => {
      const { message, reason, salt_hex: salt } = vectors.run_receipt.deny_reason;
      const fact = {
        ...vectorFact(),
        decision: {
          allow: false,
          policies: ['no_bulk_mail'],
          reasons: [{ code: 'policy_denied', policy: 'no_bulk_mail', message }],
          warns: 0,
          shadow_denies: 0,
        },
      };
      const commit = saltedBy(salts.inputs, salts.outputs, salt);
      const { draft } = draftRun(fact, vectorPredicate.receipt_id, issuer, commit);
      expect(draft.facts.policy.reasons).to.deep.equal([reason]);
    });

    it('keeps 16 reasons', () => {
      expect(denied(Array.from({ length: 20 }, () => ({ code: 'c' }))).reasons).to.have.length(16);
    });

    it('commits to the first 500 characters of a message, never to half of one', () => {
      const long = `${'a'.repeat(499)}😂${'b'.repeat(10)}`;
      const commit = (text: string) => commitWith(new Uint8Array(16), text);
      const decision = {
        allow: false,
        policies: [],
        reasons: [{ code: 'c', message: long }],
        warns: 0,
        shadow_denies: 0,
      };
      const { draft } = draftRun({ ...vectorFact(), decision }, vectorPredicate.receipt_id, issuer, commit);
      const cut = commit(`"${'a'.repeat(499)}😂"`).digest;
      expect(draft.facts.policy.reasons).to.deep.equal([{ code: 'c', message_commitment: cut }]);
    });

    it('lists reasons iff denied', () => {
      expect(denied([])).to.have.property('reasons').that.deep.equals([]);
      expect(policyOf({})).to.not.have.property('reasons');
    });
  });
});
