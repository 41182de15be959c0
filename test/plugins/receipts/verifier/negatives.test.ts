import { expect } from 'chai';
import { checkNames, type Report } from '../../../../plugins/receipts/verifier/report.ts';
import { beside, chained, freshAt, negatives, positives, smaller, together } from './negatives.ts';

const failures = ({ checks }: Report) => checks.filter(({ result }) => result === 'fail').map(({ name }) => name);

describe('each verdict', () => {
  it('has at least two vectors that fail for its reason alone', () => {
    for (const name of checkNames)
      expect(negatives.filter(({ verdict }) => verdict === name).length, name).to.be.at.least(2);
  });

  for (const { name, report, verdict } of negatives)
    it(`${verdict} alone fails: ${name}`, () => {
      const found = report();
      expect(failures(found)).to.deep.equal([verdict]);
      expect(found.overall).to.equal('REJECTED');
      expect(found.exit).to.not.equal(0);
    });

  for (const [name, report] of positives)
    it(`passes without the flaw: ${name}`, () => {
      const found = report();
      expect([failures(found), found.overall], JSON.stringify(found.checks)).to.deep.equal([[], 'VERIFIED']);
    });
});

describe('what could not be checked', () => {
  it('is a limit, and a refusal when it was asked for', () => {
    for (const asked of [beside({ seen: [] }), beside({ seen: [smaller] }), freshAt()])
      expect([asked.overall, asked.exit, failures(asked)]).to.deep.equal(['REJECTED', 3, []]);
    const unasked = beside({ seen: [smaller] }, []);
    expect([unasked.overall, unasked.exit]).to.deep.equal(['VERIFIED-WITH-LIMITS', 0]);
    expect(unasked.limits.join()).to.match(/^consistency_with_last_seen: not checked: /);
  });

  it('between receipts is named: a gap, a part of a log, a log whose key is pinned and that is not there', () => {
    const all = chained(4);
    const [first, , third, fourth] = all;
    const gap = together([first, third, fourth].filter((report) => report !== undefined));
    expect(gap.overall).to.equal('VERIFIED-WITH-LIMITS');
    expect(gap.limits.join('\n')).to.match(/^orbiset_chain: [^]*completeness: /);
    const pinned = [all[0]?.place?.checkpoint.origin ?? '', 'x'];
    expect(together(all, { pinned }).overall).to.equal('VERIFIED');
    const other = (pinned[0] ?? '').replace(/0$/, '1');
    const silent = together(all, { complete: true, pinned: [...pinned, other] });
    expect([silent.overall, silent.limits.join()]).to.deep.equal([
      'VERIFIED-WITH-LIMITS',
      `completeness: not checked: nothing of ${other}, whose key is pinned, is among the receipts`,
    ]);
  });

  it('is everything when nothing was verified', () => {
    expect(together([], { complete: true }).exit).to.equal(1);
    expect(together([]).overall).to.equal('VERIFIED-WITH-LIMITS');
  });
});
