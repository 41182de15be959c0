import { expect } from 'chai';
import { semverBuiltins } from '../../../../plugins/policy/builtins/semver.ts';

const compare = (left: unknown, right: unknown): unknown => semverBuiltins['semver.compare']?.(left, right);
const valid = (text: unknown): unknown => semverBuiltins['semver.is_valid']?.(text);

describe('semantic versions in policies', () => {
  // semver.org, §11: the examples, lowest first.
  const rising = [
    ...['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'],
    ...['1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0', '10.0.0'],
    ...['9007199254740992.0.0', '9007199254740993.0.0'],
  ];

  it('are ordered as the specification orders them', () => {
    for (const [at, left] of rising.entries())
      for (const [other, right] of rising.entries())
        expect(compare(left, right), `${left} against ${right}`).to.equal(Math.sign(at - other));
  });

  it('are equal when only their build metadata differ', () => {
    expect(compare('1.0.0+a', '1.0.0+b')).to.equal(0);
    expect(compare('1.0.0-rc.1+a', '1.0.0-rc.1')).to.equal(0);
  });

  it('are told from other texts, which cannot be compared', () => {
    for (const text of rising) expect(valid(text), text).to.equal(true);
    for (const text of ['', '1', '1.0', '01.0.0', '1.0.0-', '1.0.0-01', 'v1.0.0', '1.0.0+', ' 1.0.0']) {
      expect(valid(text), text).to.equal(false);
      expect(() => compare(text, '1.0.0'), text).to.throw('semver.compare: the text is not a semantic version');
      expect(() => compare('1.0.0', text), text).to.throw('semver.compare: the text is not a semantic version');
    }
    expect(valid(1)).to.equal(false);
    expect(valid(['1.0.0'])).to.equal(false);
    expect(() => compare(1, '1.0.0')).to.throw('an argument must be a string');
  });
});
