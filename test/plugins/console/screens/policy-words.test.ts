import { expect } from 'chai';
import { outcomeText, peopleOf, replayText } from '../../../../plugins/console/app/screens/policies/words.ts';

describe('the words of the policy screens', () => {
  it('name each outcome of a decision', () => {
    expect(outcomeText({ outcome: 'allow' })).to.deep.equal(['allowed', 'good']);
    expect(outcomeText({ outcome: 'ask' })).to.deep.equal(['needs approval', 'warn']);
    expect(outcomeText({ outcome: 'deny' })).to.deep.equal(['denied', 'bad']);
  });

  it('name the people who must approve', () => {
    expect(peopleOf({ approvers: 'office', of: 1 })).to.equal('office');
    expect(peopleOf({ approvers: 'office', of: 2 })).to.equal('2 of office');
  });

  it('tell what a replay found, with approvals only where there would be some', () => {
    const counts = { same: 1, would_deny: 2, would_ask: 0, would_allow: 3, undecidable: 0, not_replayable: 0 };
    expect(replayText({ examined: 0, counts })).to.equal('There are no decisions to replay.');
    expect(replayText({ examined: 6, counts })).to.equal(
      'Of 6 decisions, the drafts would have denied 2 and allowed 3 more.',
    );
    expect(replayText({ examined: 7, counts: { ...counts, would_ask: 1 } })).to.equal(
      'Of 7 decisions, the drafts would have denied 2, asked for 1 approval and allowed 3 more.',
    );
  });
});
