import { expect } from 'chai';
import { readAsks, reservedCodes, type PolicyAsk } from '../../../../plugins/policy/evaluator/asks.ts';
import { undecidedReasons } from '../../../../plugins/receipts/format/names.ts';
import { outcomeOf, verdictOf, type PolicyResult } from '../../../../plugins/policy/evaluator/result.ts';

const groups = new Map([
  ['finance', { members: ['prn_1', 'prn_2'], links: false }],
  ['office', { members: ['prn_3'], links: true }],
]);
const run = { action: 'execute', groups };
const big = { code: 'big', message: 'a big payment', approvers: 'finance' };
const whole = { ...big, of: 1, expires_s: 3600, bind: 'inputs' };
const of = (ask: unknown, policy = 'limits'): PolicyAsk => ({ policy, ask });

describe('the asks of policies', () => {
  it('get their defaults', () => {
    expect(readAsks([of(big)], run)).to.deep.equal({ asks: [{ ...whole, policies: ['limits'] }], faults: [] });
  });

  it('are merged by code and group, to the strictest, in both orders, and sorted by code', () => {
    const strict = { ...big, message: 'A second look', of: 2, expires_s: 60, bind: 'provider' };
    const others = [of({ ...big, code: 'abroad' }), of({ ...big, approvers: 'office' }, 'b')];
    const given = [of(big), of(strict, 'a'), ...others];
    const expected = [
      { ...whole, code: 'abroad', policies: ['limits'] },
      { ...strict, policies: ['a', 'limits'] },
      { ...whole, approvers: 'office', policies: ['b'] },
    ];
    for (const found of [given, [...given].reverse()]) expect(readAsks(found, run).asks).to.deep.equal(expected);
  });

  const faulty: readonly (readonly [name: string, ask: unknown, message: RegExp])[] = [
    ['a text', 'please', /faulty/],
    ['null', null, /faulty/],
    ['a list', [big], /faulty/],
    ['one without a code', { ...big, code: undefined }, /code/],
    ['a code of another form', { ...big, code: 'Big One' }, /#\/code/],
    ['a code that means that the engine failed', { ...big, code: 'policy_unavailable' }, /#\/code/],
    ['one without a message', { ...big, message: '' }, /#\/message/],
    ['a message that is no text', { ...big, message: 3 }, /#\/message/],
    ['one without approvers', { code: 'big', message: 'x' }, /approvers/],
    ['two groups', { ...big, approvers: ['finance', 'office'] }, /#\/approvers/],
    [
      'a group that is unknown',
      { ...big, approvers: 'nobody' },
      /the group nobody, which plugins.approvals.config.groups/,
    ],
    ['a group of the name of a member of objects', { ...big, approvers: '__proto__' }, /the group __proto__/],
    ['nobody of a group', { ...big, of: 0 }, /#\/of/],
    ['a part of a person', { ...big, of: 1.5 }, /#\/of/],
    ['more people than the group has', { ...big, of: 3 }, /3 people of the group finance, which has 2/],
    ['a time that is too short', { ...big, expires_s: 59 }, /#\/expires_s/],
    ['a time that is too long', { ...big, expires_s: 604_801 }, /#\/expires_s/],
    ['a binding that is unknown', { ...big, bind: 'nothing' }, /#\/bind/],
    ['a member that is unknown', { ...big, silence: 'allow' }, /silence/],
  ];
  for (const [name, ask, message] of faulty)
    it(`deny as ${name}`, () => {
      const { asks, faults } = readAsks([of(ask)], run);
      expect(asks).to.deep.equal([]);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include({ code: 'policy_ask_invalid', policy: 'limits' });
      expect(faults[0]?.message).to.match(message);
    });

  it('have no code that receipts count as a fault of the platform', () => {
    expect(reservedCodes).to.include.members([...undecidedReasons]);
  });

  it('are at most 16, as a receipt has reasons', () => {
    const found = (count: number) => Array.from({ length: count }, (_, at) => of({ ...big, code: `c${at}` }));
    expect(readAsks(found(16), run)).to.deep.include({ faults: [] });
    expect(readAsks(found(17), run).faults).to.deep.equal([
      { code: 'policy_ask_invalid', message: 'the policies ask for more than 16 approvals of one run' },
    ]);
    // Equal ones count once.
    expect(readAsks([...found(16), ...found(16)], run).faults).to.deep.equal([]);
  });

  it('deny about another action, and without anybody to ask', () => {
    const message = (action: string, known?: typeof groups) =>
      readAsks([of(big)], { action, groups: known }).faults[0]?.message;
    expect(message('swap', groups)).to.match(/the action swap, and only runs/);
    expect(message('execute')).to.match(/the plugin `approvals` is not enabled/);
  });
});

describe('the verdict of a result with asks', () => {
  const asked: PolicyResult = {
    ...{ allow: false, policies: ['base'], denies: [], warns: [], obligations: [], asks: [of(big)] },
    shadow: { would_deny: [], would_allow: [], would_ask: [] },
  };
  const verdict = (more: Partial<PolicyResult> = {}) => verdictOf({ ...asked, ...more }, 'sha256:1', run);
  const codes = (more: Partial<PolicyResult>) => verdict(more).reasons?.map(({ code }) => code);

  it('asks, names the policies that ask, and does not allow', () => {
    const found = verdict();
    expect(found).to.deep.include({ allow: false, policies: ['limits'], asks: [{ ...whole, policies: ['limits'] }] });
    expect(found.reasons).to.deep.equal([{ code: 'big', policy: 'limits', message: 'a big payment' }]);
    const both = verdict({ asks: [of(big), of(big, 'b')] });
    expect(both).to.deep.include({ policies: ['b', 'limits'], reasons: [{ ...found.reasons?.[0], policy: 'b' }] });
    expect(outcomeOf(found)).to.equal('ask');
  });

  it('is a denial when a policy denies, in both orders of them', () => {
    const said = { policy: 'zz', message: 'never' };
    for (const policy of ['zz', 'aa']) {
      const found = verdict({ denies: [{ ...said, policy }], asks: [of(big), of(big, 'base')] });
      expect(found).to.deep.include({ allow: false, policies: [policy] });
      expect(found.asks).to.equal(undefined);
      expect(outcomeOf(found)).to.equal('deny');
    }
    expect(codes({ denies: [said] })).to.deep.equal(['policy_denied']);
  });

  it('is a denial when one of the asks is faulty, when no policy allows, and with an obligation', () => {
    expect(codes({ asks: [of(big), of('please', 'b')] })).to.deep.equal(['policy_ask_invalid']);
    expect(codes({ policies: [] })).to.deep.equal(['not_allowed']);
    expect(codes({ obligations: ['mask'] })).to.deep.equal(['unknown_obligation']);
    for (const more of [{ asks: [of(1)] }, { policies: [] }, { obligations: ['mask'] }])
      expect(verdict(more).asks).to.equal(undefined);
  });
});
