import { expect } from 'chai';
import { PlatformError, problems, ProviderError, rejectedReasons } from '../../kernel/error.ts';

const cases: readonly (readonly [name: string, error: () => PlatformError, framed: boolean])[] = [
  ['a refusal of the kernel', () => new PlatformError('rate_limited', 'wait'), false],
  ['a refusal of a plugin', () => new PlatformError({ ...problems.rate_limited, code: 'lent' }), false],
  ['a refusal that has a cause', () => new PlatformError('invalid_body', 'no', {}, { cause: new Error('x') }), true],
  ['a failure of the server', () => new PlatformError('storage_unavailable', 'later'), true],
  ['a code that the kernel does not know', () => new PlatformError('book_lent'), true],
];

describe('a problem that is thrown', () => {
  for (const [name, make, framed] of cases)
    it(`${name} ${framed ? 'says' : 'does not say'} where it arose`, () => {
      const { stack = '' } = make();
      expect(/^\s+at /m.test(stack)).to.equal(framed);
    });

  it('leaves the frames of other errors', () => {
    void new PlatformError('rate_limited', 'wait');
    expect(new Error('x').stack).to.match(/^\s+at /m);
  });
});

describe('what an adapter says of a rejection', () => {
  for (const reason of rejectedReasons)
    it(`has the reason ${reason}, which no other outcome has`, () => {
      const reasonOf = (outcome: ProviderError['outcome']) => new ProviderError(outcome, 'no', { reason }).reason;
      expect(reasonOf('rejected')).to.equal(reason);
      for (const outcome of ['provider_fault', 'not_sent', 'throttled', 'unknown'] as const)
        expect(reasonOf(outcome), outcome).to.equal(undefined);
    });
});
