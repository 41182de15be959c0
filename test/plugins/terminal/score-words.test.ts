import { expect } from 'chai';
import { explainScore } from '../../../plugins/terminal/score-words.ts';

const tier = { code: 'tier', points: 4 };
const custody = { code: 'key_in_process', points: 4 };

describe('the explanation of a trust score', () => {
  it('names the gate that limits the score, before the deductions', () => {
    const score = { deductions: [custody, tier], gates: [{ code: 'failed', max: 39 }] };
    expect(explainScore(39, score)).to.equal('failed: at most 39 · key in process −4, tier −4');
  });

  it('names each gate', () => {
    const gates = [
      { code: 'indeterminate', max: 49 },
      { code: 'orb_suspended', max: 19 },
    ];
    const words = 'indeterminate: at most 49 · orb suspended: at most 19';
    expect(explainScore(19, { deductions: [], gates })).to.equal(words);
  });

  it('lists the deductions alone when no gate applies', () => {
    expect(explainScore(92, { deductions: [custody, tier], gates: [] })).to.equal('key in process −4, tier −4');
  });

  it('says that a category is capped when the deductions add up to more than the score lost', () => {
    const deductions = [
      { code: 'no_policy_matched', points: 15 },
      { code: 'shadow_deny', points: 10 },
      { code: 'policy_warn', points: 9 },
    ];
    const words =
      'no policy matched −15, shadow deny −10, policy warn −9 (each category deducts at most its own maximum)';
    expect(explainScore(75, { deductions, gates: [] })).to.equal(words);
  });

  it('is empty for a full score and for a receipt without an explanation', () => {
    expect(explainScore(100, { deductions: [], gates: [] })).to.equal('');
    expect(explainScore(100, undefined)).to.equal('');
  });
});
