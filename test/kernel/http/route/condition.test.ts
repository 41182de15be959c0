import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { conditionOf, expectTag, namesTag } from '../../../../kernel/http/route/condition.ts';

const tag = '"a"';

describe('a condition on what is there', () => {
  // RFC 9110 §§13.1.1, 13.1.2: If-Match compares strongly, If-None-Match weakly.
  const rows: readonly (readonly [Readonly<Record<string, string>>, string | undefined, boolean])[] = [
    [{}, undefined, true],
    [{}, tag, true],
    [{ 'if-match': '*' }, tag, true],
    [{ 'if-match': '*' }, undefined, false],
    [{ 'if-match': '"a"' }, tag, true],
    [{ 'if-match': '"b", "a"' }, tag, true],
    [{ 'if-match': '"a"' }, undefined, false],
    [{ 'if-match': '"b"' }, tag, false],
    [{ 'if-match': 'W/"a"' }, tag, false],
    [{ 'if-match': 'a' }, tag, false],
    [{ 'if-match': '' }, tag, false],
    [{ 'if-none-match': '*' }, undefined, true],
    [{ 'if-none-match': '*' }, tag, false],
    [{ 'if-none-match': ' * ' }, tag, false],
    [{ 'if-none-match': '"a"' }, tag, false],
    [{ 'if-none-match': 'W/"a"' }, tag, false],
    [{ 'if-none-match': '"b" , "a"' }, tag, false],
    [{ 'if-none-match': '"b"' }, tag, true],
    [{ 'if-none-match': '"a"' }, undefined, true],
    [{ 'if-none-match': '' }, tag, true],
    [{ 'if-match': '"a"', 'if-none-match': '"b"' }, tag, true],
    [{ 'if-match': '"a"', 'if-none-match': '"a"' }, tag, false],
  ];
  for (const [headers, there, holds] of rows)
    it(`${JSON.stringify(headers)} ${holds ? 'holds' : 'fails'} for ${there ?? 'nothing'}`, () => {
      const expecting = (): void => expectTag(conditionOf(headers), there, 'read it again');
      if (holds) expect(expecting).not.to.throw();
      else expect(expecting).to.throw(PlatformError, 'read it again').with.property('code', 'precondition_failed');
    });

  it('of a reading is met when one of the tags is named, or any', () => {
    const named = [undefined, '', '"b"', '"a"', 'W/"a"', '"b",W/"a"', '*', ['"b"', '"a"']];
    expect(named.map((header) => namesTag(header, tag))).to.deep.equal([
      ...[false, false, false],
      ...[true, true, true, true, true],
    ]);
  });
});
