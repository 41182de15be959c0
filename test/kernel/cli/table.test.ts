import { expect } from 'chai';
import { table } from '../../../kernel/cli/table.ts';

describe('the output of a command', () => {
  it('a table has its columns two spaces apart and no space at the end of a line', () => {
    const text = table([
      ['A', 'LONG', 'C'],
      ['aaa…', 'b', ''],
    ]);
    expect(text).to.equal('A     LONG  C\naaa…  b');
  });

  it('a table shows control characters, which may be a stranger’s, as spaces', () => {
    expect(
      table([
        ['A', 'B'],
        ['x\u001b[2J\ny', 'z'],
      ]),
    ).to.equal('A        B\nx [2J y  z');
  });
});
