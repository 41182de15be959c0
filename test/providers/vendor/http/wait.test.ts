import { expect } from 'chai';
import { waiting } from '../../../../providers/vendor/http/wait.ts';

describe('the wait that a vendor tells in its body', () => {
  const after = (seconds: unknown, headers: Record<string, string> = {}): string | undefined =>
    waiting({ status: 429, headers, body: {} }, seconds).headers['retry-after'];

  for (const [seconds, header] of [
    [7, '7'],
    [4.2, '5'],
    [0, '0'],
    [-1, undefined],
    [NaN, undefined],
    ['7', undefined],
    [undefined, undefined],
  ] as const)
    it(`is read as seconds: ${String(seconds)}`, () => expect(after(seconds)).to.equal(header));

  it('does not replace that of a header', () => expect(after(7, { 'retry-after': '30' })).to.equal('30'));
});
