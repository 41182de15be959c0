import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import { cursorAfter, idOfCursor, pageOf, textOfCursor } from '../../../../kernel/http/route/paging.ts';

describe('a list that pages by cursor', () => {
  const id = 'run_01M7ZM509V0PSD1953EKDMY11Q';
  const cursor = cursorAfter(id);

  for (const [items, is] of [
    [[], { items: [] }],
    [['a'], { items: ['a'] }],
    [['a', 'b'], { items: ['a', 'b'] }],
    [['a', 'b', 'c'], { items: ['a', 'b'], next_cursor: cursorAfter('b') }],
  ] as const)
    it(`of two items a page shows ${items.length}`, () => {
      expect(pageOf(items, 2, (item) => item)).to.deep.equal(is);
    });

  it('goes on after the id of its cursor', () => {
    expect([idOfCursor(cursor, 'run_'), idOfCursor(undefined, 'run_')]).to.deep.equal([id, undefined]);
    expect(textOfCursor(cursorAfter('own'), /^[a-z]+$/)).to.equal('own');
  });

  const refused: readonly (readonly [string, string])[] = [
    ['of another list', cursorAfter(id.replace('run', 'swp'))],
    ['of an id that is too long', cursorAfter(`${id}0`)],
    ['with something before the id', cursorAfter(`x${id}`)],
    ['of an id in lower case', cursorAfter(id.toLowerCase())],
    ['that is none', 'nonsense'],
    ['that is empty', ''],
    // Each is the same id to a lenient reader: one place of a list has one cursor.
    ['that is padded', `${cursor}=`],
    ['that is written in two parts', `${cursor.slice(0, 4)}\n${cursor.slice(4)}`],
  ];
  for (const [name, wrong] of refused)
    it(`refuses a cursor ${name}`, () => {
      expect(() => idOfCursor(wrong, 'run_'))
        .to.throw(PlatformError)
        .with.property('code', 'invalid_parameter');
    });
});
