import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import { checkCopy, checkCopyOfUnknown } from '../../../../plugins/receipts/verifier/copy.ts';
import type { Statement } from '../../../../plugins/receipts/verifier/statement.ts';
import { vectorStatement } from '../sample.ts';

const run = vectorStatement();
const { receipt_id, finished_at: timestamp, score } = run.predicate;
const swap = {
  ...{ ...run, predicateType: 'urn:agent-orb:swap:v1' },
  predicate: { receipt_id, at: timestamp },
} as unknown as Statement;
const opinions = { signature_valid: false, checks: [], effective: {}, resolution: 'x' };
const { trust_score, risk_level } = score;

describe('the members beside an envelope', () => {
  for (const [what, statement, copy, result] of [
    ['none', run, {}, 'pass'],
    ['those of a run', run, { receipt_id, trust_score, risk_level, timestamp }, 'pass'],
    ['those of another kind', swap, { receipt_id, timestamp }, 'pass'],
    ['what a server thought', run, opinions, 'pass'],
    ['the statement', run, { statement: run }, 'pass'],
    ['the same statement, read again', run, { statement: vectorStatement() }, 'pass'],
    ['another statement', run, { statement: swap }, 'fail'],
    ['a score of a kind that has none', swap, { trust_score }, 'fail'],
    ['another score', run, { trust_score: trust_score + 1 }, 'fail'],
    ['another time', swap, { timestamp: 'x' }, 'fail'],
    ['a name that every object has', run, { constructor: Object }, 'fail'],
    ['an unknown member', run, { tier: undefined }, 'fail'],
  ] as const)
    it(`${result}: ${what}`, () => {
      expect(checkCopy(copy, statement, canonical(statement))).to.include({ name: 'readable_copy_matches', result });
    });

  for (const [what, copy, result] of [
    ['none', {}, 'pass'],
    ['its id, its statement and what a server thought', { receipt_id, statement: swap, ...opinions }, 'pass'],
    ['another id', { receipt_id: 'x' }, 'fail'],
    ['another id, and more', { receipt_id: 'x', tier: 'gold' }, 'fail'],
    ['another statement', { statement: run }, 'fail'],
    ['what may be of the kind', { tier: 'gold' }, 'not_checked'],
    ['the time, which may be elsewhere', { timestamp }, 'not_checked'],
  ] as const)
    it(`${result} for a kind that is not known: ${what}`, () => {
      expect(checkCopyOfUnknown(copy, swap, canonical(swap)).result).to.equal(result);
    });
});
