import { expect } from 'chai';
import { denial, readResult, verdictOf, type PolicyResult } from '../../../../plugins/policy/evaluator/result.ts';

const allowed = {
  ...{ allow: true, policies: ['base'], denies: [], warns: [], obligations: [], asks: [] },
  shadow: { would_deny: [], would_allow: [], would_ask: [] },
};
const read = (more: object): PolicyResult | undefined => readResult([{ result: { ...allowed, ...more } }]);
const said = { policy: 'base', message: 'no' };

describe('the result of an evaluation', () => {
  it('is read with all its members', () => {
    expect(read({})).to.deep.equal(allowed);
    const denied = {
      ...{ allow: false, policies: [], denies: [said], warns: [said], obligations: ['mask'] },
      asks: [{ policy: 'base', ask: { code: 'big' } }],
      shadow: { would_deny: [said], would_allow: ['next'], would_ask: [said] },
    };
    expect(read(denied)).to.deep.equal(denied);
    expect(read({ ...denied, denies: [] })).to.deep.equal({ ...denied, denies: [] });
  });

  it('of a module of an earlier version has no asks', () => {
    const { asks: _, ...earlier } = allowed;
    const shadow = { would_deny: [], would_allow: [] };
    expect(readResult([{ result: { ...earlier, shadow } }])).to.deep.equal(allowed);
  });

  it('shows a message that is no text as JSON', () => {
    const odd = { policy: 'base', message: { limit: 3 } };
    const ask = { policy: 'base', message: { code: 'big', message: 'a big one' } };
    expect(read({ warns: [ask] })?.warns).to.deep.equal([{ policy: 'base', message: 'a big one' }]);
    expect(read({ warns: [odd] })?.warns).to.deep.equal([{ policy: 'base', message: '{"limit":3}' }]);
  });

  const invalid: readonly (readonly [name: string, answer: unknown])[] = [
    ['nothing', undefined],
    ['an object', { result: allowed }],
    ['no entry', []],
    ['two entries', [{ result: allowed }, { result: allowed }]],
    ['an entry without a result', [{}]],
    ['null for an entry', [null]],
    ['null for the result', [{ result: null }]],
    ...(['allow', 'policies', 'denies', 'warns', 'obligations', 'shadow'] as const).map(
      (name) => [`a result without ${name}`, [{ result: { ...allowed, [name]: undefined } }]] as const,
    ),
    ...(['would_deny', 'would_allow'] as const).map(
      (name) =>
        [
          `a result without ${name}`,
          [{ result: { ...allowed, shadow: { ...allowed.shadow, [name]: undefined } } }],
        ] as const,
    ),
    ...Object.entries({
      ...{ allow: 'true', policies: [1], warns: {}, obligations: {}, denies: [{ message: 'no' }] },
      shadow: { would_deny: [{ policy: 'a' }], would_allow: [] },
    }).map(([name, value]) => [`a wrong ${name}`, [{ result: { ...allowed, [name]: value } }]] as const),
    ['a message of no policy', [{ result: { ...allowed, warns: [{ policy: 1, message: 'x' }] } }]],
    ['an allow of no policy', [{ result: { ...allowed, policies: [] } }]],
    ['an allow next to an ask', [{ result: { ...allowed, asks: [{ policy: 'base', ask: {} }] } }]],
    ['an ask of no policy', [{ result: { ...allowed, allow: false, asks: [{ ask: {} }] } }]],
    ['an ask without its object', [{ result: { ...allowed, allow: false, asks: [{ policy: 'base' }] } }]],
    ['asks that are no list', [{ result: { ...allowed, allow: false, asks: {} } }]],
    ['an allow beside a denial', [{ result: { ...allowed, denies: [said] } }]],
  ];
  for (const [name, answer] of invalid)
    it(`is invalid as ${name}`, () => expect(readResult(answer)).to.equal(undefined));
});

describe('the verdict of a result', () => {
  const verdict = (more: Partial<PolicyResult>) =>
    verdictOf({ ...allowed, ...more }, 'sha256:1', { action: 'execute', groups: undefined });
  const counted = { revision: 'sha256:1', warns: 0, shadow_denies: 0 };

  it('allows with the policies that allowed, and counts what only warned or watched', () => {
    expect(verdict({})).to.deep.equal({ allow: true, policies: ['base'], ...counted });
    const watched = verdict({ warns: [said], shadow: { would_deny: [said], would_allow: [], would_ask: [said] } });
    expect(watched).to.include({ warns: 1, shadow_denies: 2 });
  });

  it('denies with each denial, and each policy once', () => {
    const denies = [said, { policy: 'base', message: 'never' }, { policy: 'other', message: 'no' }];
    expect(verdict({ allow: false, denies })).to.deep.equal({
      allow: false,
      policies: ['base', 'other'],
      reasons: denies.map((one) => ({ code: 'policy_denied', ...one })),
      ...counted,
    });
  });

  it('denies when no policy allows, and when an obligation goes with the allow', () => {
    const codes = (more: Partial<PolicyResult>) => verdict(more).reasons?.map(({ code }) => code);
    expect(codes({ allow: false, policies: [] })).to.deep.equal(['not_allowed']);
    expect(codes({ allow: false, policies: [], obligations: ['mask'] })).to.deep.equal(['not_allowed']);
    expect(codes({ obligations: ['mask'] })).to.deep.equal(['unknown_obligation']);
    expect(verdict({ obligations: ['mask'] })).to.include({ allow: false });
  });

  it('of the engine names no policy, and its revision and message when they are known', () => {
    const plain = { allow: false, policies: [], warns: 0, shadow_denies: 0 };
    expect(denial('no_policy', undefined)).to.deep.equal({ ...plain, reasons: [{ code: 'no_policy' }] });
    expect(denial('policy_error', 'sha256:1', 'why')).to.deep.equal({
      ...plain,
      reasons: [{ code: 'policy_error', message: 'why' }],
      revision: 'sha256:1',
    });
  });
});
