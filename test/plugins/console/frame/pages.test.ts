import { expect } from 'chai';
import { merged, shownOf, waitingOf, type Pages } from '../../../../plugins/console/app/frame/pages.ts';

const idOf = (item: string): string => item.charAt(0);

// `54 | 3` are the items 5 and 4, and the cursor 3.
function pagesOf(text: string): Pages<string> {
  const [items = '', next] = text.split(' | ');
  return { path: '/letters', items: items.split(' ').filter(Boolean), next };
}

const textOf = ({ items, next }: Pages<string>): string =>
  next === undefined ? items.join(' ') : `${items.join(' ')} | ${next}`;

const rows: readonly (readonly [what: string, last: string, page: string, after: string])[] = [
  ['new items come first', '5 4', '6 5 4', '6 5 4'],
  ['known items change in place', '5 4', '5b 4', '5b 4'],
  ['a page without a cursor is all there is', '5 4 3 2', '5 3', '5 3'],
  ['nothing is left', '5 4', '', ''],
  ['what the page covers and lacks goes', '5 4 3 2 1', '5 3 | 3', '5 3 2 1'],
  ['new items come, others go, older ones stay', '5 4 3 2 | 2', '7 6 4 | 4', '7 6 4 3 2 | 2'],
  ['the page that is shown alone', '5 4 3 | 3', '5 3 2 | 2', '5 3 2 | 2'],
  ['more came than a page holds', '5 4 3 | 3', '9 8 7 | 7', '9 8 7 | 7'],
  ['an item that newly fits stands at the end of the page', '5 4 3 2 | 2', '5 4 1 | 1', '5 4 1 | 1'],
  ['an item that moved up stands once', '5 4 3 2 | 2', '2 5 | 5', '2 5 4 3 | 2'],
  ['nothing was found so far', '5 4 | 4', ' | 3', ' | 3'],
];

describe('the pages of a list, when the first is read again', () => {
  for (const [what, last, page, after] of rows)
    it(`${what}: ${last} and ${page} make ${after}`, () => {
      expect(textOf(merged(pagesOf(last), pagesOf(page), { idOf, hold: false }))).to.equal(after);
    });

  it('hold: known items change in place, none comes or goes, until what waits is shown', () => {
    const held = merged(pagesOf('5 4 3'), pagesOf('7 6 5b 3'), { idOf, hold: true });
    expect(textOf(held)).to.equal('5b 4 3');
    expect(waitingOf(held, idOf)).to.deep.equal({ come: 2, go: 1 });
    expect(textOf(shownOf(held, idOf))).to.equal('7 6 5b 3');
    expect(waitingOf(shownOf(held, idOf), idOf)).to.deep.equal({ come: 0, go: 0 });
  });

  it('hold: what waits gives way to what is read without it', () => {
    const held = merged(pagesOf('5 4'), pagesOf('6 5 4'), { idOf, hold: true });
    expect(merged(held, pagesOf('6 4'), { idOf, hold: false })).to.deep.equal(pagesOf('6 4'));
  });
});
