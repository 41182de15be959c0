import { expect } from 'chai';
import { csvLine } from '../../../../../plugins/runtime/run/listing/csv.ts';

describe('a line of CSV', () => {
  for (const [what, cells, line] of [
    ['quotes texts and leaves numbers', ['a', 12, 'b c'], '"a",12,"b c"\r\n'],
    ['leaves what is absent empty', ['a', null, undefined, ''], '"a",,,""\r\n'],
    ['doubles quotes', ['say "x"'], '"say ""x"""\r\n'],
    ['keeps separators and line breaks within a cell', ['a,b;c', 'x\r\ny'], '"a,b;c","x\r\ny"\r\n'],
    ['keeps a sign that is not the first character', ['a=1', 'x-y', 'b@c', '1+1'], '"a=1","x-y","b@c","1+1"\r\n'],
    ...['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].map(
      (sign) => [`makes a text of ${JSON.stringify(sign)}`, [`${sign}cmd|x`], `"'${sign}cmd|x"\r\n`] as const,
    ),
    ['makes a text of a formula that closes the cell', ['=1","=2'], `"'=1"",""=2"\r\n`],
  ] as const)
    it(what, () => expect(csvLine(cells)).to.equal(line));
});
